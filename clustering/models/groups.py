"""Opinion groups of a question: who is in them, what they say, and what they are called."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clustering.letters import group_label
from core.models import Run
from studies.models import Enrolment, Question
from voting.models import Statement

LONGEST_NAME = 120


class Grouping(models.Model):
    """The opinion groups of one question, or why there are none."""

    PERSONAL: frozenset[str] = frozenset()

    class Line(models.TextChoices):
        DYNAMIC = "dynamic", _("dynamic")
        POLIS = "polis", _("polis")
        LIVE = "live", _("live")

    run = models.OneToOneField(Run, models.PROTECT, related_name="grouping")
    question = models.ForeignKey(Question, models.PROTECT, related_name="groupings")
    line = models.CharField(
        _("line"),
        max_length=8,
        choices=Line,
        default="dynamic",
        help_text=_("among which runs of the question groups keep their identities"),
    )
    n_participants = models.PositiveIntegerField()
    n_statements = models.PositiveIntegerField()
    n_votes = models.PositiveIntegerField()
    n_groups = models.PositiveIntegerField(null=True, blank=True)
    silhouette = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)
    identities = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("which group goes on as which of the run before, and what became of others"),
    )

    class Meta:
        verbose_name = _("grouping")
        verbose_name_plural = _("groupings")
        indexes = [
            # The next run of the line takes its identities from the latest one.
            models.Index(fields=["question", "line", "-id"], name="clustering_grouping_line"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(line__in=["dynamic", "polis", "live"]), name="clustering_grouping_line_valid"
            ),
            models.CheckConstraint(
                condition=Q(n_groups=None) & ~Q(undefined="")
                # A comparison with NULL is unknown, and unknown passes a check: say what is not null.
                | Q(n_groups__isnull=False, n_groups__gte=1, undefined=""),
                name="clustering_grouping_defined_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"groups of {self.question_id} by run {self.run_id}"


class OpinionGroup(models.Model):
    """A cluster of participants by their votes: a viewpoint.

    `number` is 0 for the largest group of its run. `identity` stays the same from run to run of a line, as long as most
    members do, and is never given to another group; names and letters go by it.
    """

    PERSONAL: frozenset[str] = frozenset()

    grouping = models.ForeignKey(Grouping, models.PROTECT, related_name="groups")
    number = models.PositiveIntegerField()
    identity = models.PositiveIntegerField(_("identity"))
    size = models.PositiveIntegerField()

    class Meta:
        ordering = ["grouping", "number"]
        verbose_name = _("opinion group")
        verbose_name_plural = _("opinion groups")
        constraints = [
            models.UniqueConstraint(fields=["grouping", "number"], name="clustering_opiniongroup_number_once"),
            models.UniqueConstraint(fields=["grouping", "identity"], name="clustering_opiniongroup_identity_once"),
            models.CheckConstraint(condition=Q(size__gte=1), name="clustering_opiniongroup_size_positive"),
        ]

    def __str__(self) -> str:
        return f"group {self.number} of {self.grouping_id}"

    @property
    def letter(self) -> str:
        """What it is called where it has no name."""
        return group_label(self.identity)


class GroupMember(models.Model):
    """Where a participant lies on the opinion map, and in which group; no group if they were left out."""

    PERSONAL: frozenset[str] = frozenset()

    grouping = models.ForeignKey(Grouping, models.PROTECT, related_name="members")
    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="group_memberships")
    group = models.ForeignKey(OpinionGroup, models.PROTECT, null=True, blank=True, related_name="members")
    x = models.FloatField(null=True, blank=True)
    y = models.FloatField(null=True, blank=True)
    n_votes = models.PositiveIntegerField()

    class Meta:
        ordering = ["grouping", "id"]
        verbose_name = _("group member")
        verbose_name_plural = _("group members")
        constraints = [models.UniqueConstraint(fields=["grouping", "enrolment"], name="clustering_groupmember_once")]

    def __str__(self) -> str:
        return f"{self.enrolment_id} in {self.group_id}"


class GroupStatement(models.Model):
    """How a group voted on a statement, and how strongly the statement sets the group apart."""

    PERSONAL: frozenset[str] = frozenset()

    group = models.ForeignKey(OpinionGroup, models.PROTECT, related_name="statements")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="+")
    n_agree = models.PositiveIntegerField()
    n_disagree = models.PositiveIntegerField()
    n_neutral = models.PositiveIntegerField()
    rank = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("place among the statements that characterise the group")
    )
    direction = models.SmallIntegerField(null=True, blank=True, help_text=_("+1 by agreeing, -1 by disagreeing"))
    repness = models.FloatField(null=True, blank=True)
    repness_test = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["group", "rank", "id"]
        verbose_name = _("group statement")
        verbose_name_plural = _("group statements")
        constraints = [
            models.UniqueConstraint(fields=["group", "statement"], name="clustering_groupstatement_once"),
            models.CheckConstraint(
                condition=Q(direction=None) | Q(direction__in=[-1, 1]), name="clustering_groupstatement_direction_valid"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group_id} on {self.statement_id}"


class GroupNameQuerySet(models.QuerySet["GroupName"]):
    """Names with their history."""

    def current(self) -> GroupNameQuerySet:
        """The last name of each group."""
        return self.filter(superseded_at=None)


class GroupName(models.Model):
    """What a viewpoint is called, by a person or as a draft. It belongs to the identity, so later runs carry it on.

    Append-only: another name supersedes it.
    """

    PERSONAL = frozenset({"created_by"})

    question = models.ForeignKey(Question, models.PROTECT, related_name="group_names")
    line = models.CharField(_("line"), max_length=8, choices=Grouping.Line)
    identity = models.PositiveIntegerField(_("identity"))
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    is_draft = models.BooleanField(_("draft"), default=False, help_text=_("nobody has approved it yet"))
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = GroupNameQuerySet.as_manager()

    class Meta:
        ordering = ["question", "line", "identity", "id"]
        verbose_name = _("name of a group")
        verbose_name_plural = _("names of groups")
        constraints = [
            models.UniqueConstraint(
                fields=["question", "line", "identity"],
                condition=Q(superseded_at=None),
                name="clustering_groupname_one_current",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="clustering_groupname_not_empty"),
            models.CheckConstraint(
                condition=Q(line__in=["dynamic", "polis", "live"]), name="clustering_groupname_line_valid"
            ),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__isnull=False, superseded_at__gte=F("created_at")),
                name="clustering_groupname_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return self.name
