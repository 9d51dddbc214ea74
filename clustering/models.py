"""Typed rows of what runs computed. A run's rows are written in the transaction that finishes it and never change."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.models import Run
from studies.models import Enrolment, ModelAnswer, Question, Source
from voting.models import Statement


class Grouping(models.Model):
    """The opinion groups of one question, or why there are none."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.OneToOneField(Run, models.PROTECT, related_name="grouping")
    question = models.ForeignKey(Question, models.PROTECT, related_name="groupings")
    n_participants = models.PositiveIntegerField()
    n_statements = models.PositiveIntegerField()
    n_votes = models.PositiveIntegerField()
    n_groups = models.PositiveIntegerField(null=True, blank=True)
    silhouette = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("grouping")
        verbose_name_plural = _("groupings")
        constraints = [
            models.CheckConstraint(
                condition=Q(n_groups=None) & ~Q(undefined="")
                # A comparison with NULL is unknown, and unknown passes a check: say what is not null.
                | Q(n_groups__isnull=False, n_groups__gte=1, undefined=""),
                name="clustering_grouping_defined_or_reason",
            )
        ]

    def __str__(self) -> str:
        return f"groups of {self.question_id} by run {self.run_id}"


class OpinionGroup(models.Model):
    """A cluster of participants by their votes: a viewpoint. `number` is 0 for the largest."""

    PERSONAL: frozenset[str] = frozenset()

    grouping = models.ForeignKey(Grouping, models.PROTECT, related_name="groups")
    number = models.PositiveIntegerField()
    size = models.PositiveIntegerField()

    class Meta:
        ordering = ["grouping", "number"]
        verbose_name = _("opinion group")
        verbose_name_plural = _("opinion groups")
        constraints = [
            models.UniqueConstraint(fields=["grouping", "number"], name="clustering_opiniongroup_number_once"),
            models.CheckConstraint(condition=Q(size__gte=1), name="clustering_opiniongroup_size_positive"),
        ]

    def __str__(self) -> str:
        return f"group {self.number} of {self.grouping_id}"


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


class GroupCoverage(models.Model):
    """Whether an answer represents a group: the mean rating of its members who rated it, against the threshold."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="group_coverages")
    group = models.ForeignKey(OpinionGroup, models.PROTECT, related_name="coverages")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, related_name="+")
    n_ratings = models.PositiveIntegerField()
    mean_rating = models.FloatField(null=True, blank=True)
    is_covered = models.BooleanField(null=True, help_text=_("empty if no member rated the answer"))

    class Meta:
        verbose_name = _("group coverage")
        verbose_name_plural = _("group coverages")
        constraints = [
            models.UniqueConstraint(fields=["run", "group", "answer"], name="clustering_groupcoverage_once"),
            models.CheckConstraint(
                condition=Q(n_ratings=0, is_covered=None, mean_rating=None)
                | Q(n_ratings__gte=1, is_covered__isnull=False, mean_rating__isnull=False),
                name="clustering_groupcoverage_rated_or_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer_id} for {self.group_id}"


class QuestionCoverage(models.Model):
    """Share of a question's groups that an answer represents; weighted by group size beside it."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="question_coverages")
    question = models.ForeignKey(Question, models.PROTECT, related_name="+")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, null=True, blank=True, related_name="+")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="+")
    n_groups = models.PositiveIntegerField()
    coverage = models.FloatField(null=True, blank=True)
    coverage_weighted = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("question coverage")
        verbose_name_plural = _("question coverages")
        constraints = [
            models.UniqueConstraint(
                fields=["run", "question", "source"],
                condition=Q(source__isnull=False),
                name="clustering_questioncoverage_once",
            ),
            models.UniqueConstraint(
                fields=["run", "question"],
                condition=Q(source=None),
                name="clustering_questioncoverage_best_once",
            ),
            models.CheckConstraint(
                condition=Q(coverage=None) & ~Q(undefined="")
                | Q(coverage__isnull=False, coverage__range=(0.0, 1.0), undefined=""),
                name="clustering_questioncoverage_defined_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id or 'best across models'} on {self.question_id}"


class Score(models.Model):
    """A source's OvertonScore over the questions of a run; no source means best across models."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="scores")
    is_weighted = models.BooleanField()
    n_questions = models.PositiveIntegerField()
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("OvertonScore")
        verbose_name_plural = _("OvertonScores")
        constraints = [
            models.UniqueConstraint(
                fields=["run", "source", "is_weighted"],
                condition=Q(source__isnull=False),
                name="clustering_score_once",
            ),
            models.UniqueConstraint(
                fields=["run", "is_weighted"], condition=Q(source=None), name="clustering_score_best_once"
            ),
            models.CheckConstraint(
                condition=Q(value=None) & ~Q(undefined="")
                | Q(value__isnull=False, value__range=(0.0, 1.0), undefined=""),
                name="clustering_score_defined_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"OvertonScore of {self.source_id} by run {self.run_id}"


class RunFigure(models.Model):
    """The specification of one figure of a run, made by the worker, so that the web process draws nothing."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="figures")
    name = models.CharField(max_length=32)
    specification = models.JSONField()
    table = models.JSONField(
        default=dict, blank=True, help_text=_("the numbers of the figure: columns (keys) and rows (unrounded)")
    )

    class Meta:
        verbose_name = _("figure")
        verbose_name_plural = _("figures")
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="clustering_runfigure_once")]

    def __str__(self) -> str:
        return f"{self.name} of run {self.run_id}"
