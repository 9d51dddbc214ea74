from __future__ import annotations

import uuid

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from studies.models import Enrolment, FreeResponse, Question, Study
from studies.models.validators import Limits

MINIMUM = Limits(1, 1000)
"""How many votes a study may ask for on each question."""


class VoteSettings(models.Model):
    """The vote block of a study's draft."""

    PERSONAL: frozenset[str] = frozenset()

    class Policy(models.TextChoices):
        UNIFORM = "uniform", _("uniform at random")
        LEAST_VOTED = "least_voted", _("least voted first")
        MIXED = "mixed", _("a mix of both")

    class Moderation(models.TextChoices):
        AFTER = "after", _("live at once")
        BEFORE = "before", _("after approval")

    study = models.OneToOneField(Study, models.CASCADE, related_name="vote_settings")
    minimum = models.PositiveSmallIntegerField(_("fewest votes"), default=10, validators=MINIMUM.validators())
    policy = models.CharField(_("routing policy"), max_length=11, choices=Policy, default=Policy.UNIFORM)
    mix = models.FloatField(
        _("share of least voted in a mix"), default=0.5, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    moderation = models.CharField(_("moderation"), max_length=6, choices=Moderation, default=Moderation.AFTER)

    class Meta:
        verbose_name = _("vote settings")
        verbose_name_plural = _("vote settings")
        constraints = [
            models.CheckConstraint(
                condition=Q(policy__in=["uniform", "least_voted", "mixed"]), name="voting_votesettings_policy_valid"
            ),
            models.CheckConstraint(
                condition=Q(moderation__in=["after", "before"]), name="voting_votesettings_moderation_valid"
            ),
            models.CheckConstraint(condition=Q(mix__range=(0.0, 1.0)), name="voting_votesettings_mix_range"),
            models.CheckConstraint(
                condition=MINIMUM.condition("minimum"),
                name="voting_votesettings_minimum_range",
                violation_error_message=_("Ask for 1 to 1,000 votes on each question."),
            ),
        ]

    def __str__(self) -> str:
        return f"votes of {self.study_id}"


class StatementQuerySet(models.QuerySet["Statement"]):
    """Statements by moderation."""

    def approved(self) -> StatementQuerySet:
        """Those that may be shown."""
        return self.filter(status=Statement.Status.APPROVED)


class Statement(models.Model):
    """What peers vote on. Tallies are kept by `F()` in the vote's transaction and can be verified."""

    PERSONAL = frozenset({"text"})

    class Origin(models.TextChoices):
        SEED = "seed", _("seed")
        PEER = "peer", _("peer")
        IMPORT = "import", _("import")

    class Status(models.TextChoices):
        PENDING = "pending", _("waiting for moderation")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="statements")
    code = models.CharField(_("code"), max_length=64)
    origin = models.CharField(_("origin"), max_length=6, choices=Origin)
    status = models.CharField(_("status"), max_length=9, choices=Status)
    is_preview = models.BooleanField(default=False, help_text=_("written in a preview: shown in previews only"))
    author = models.ForeignKey(Enrolment, models.PROTECT, null=True, blank=True, related_name="statements")
    free_response = models.OneToOneField(FreeResponse, models.PROTECT, null=True, blank=True, related_name="statement")
    text = models.TextField(_("text"))
    created_at = models.DateTimeField()
    approved_at = models.DateTimeField(
        null=True, blank=True, help_text=_("when it was last let in; empty: it is as old as the statement, or never")
    )
    removed_at = models.DateTimeField(null=True, blank=True, help_text=_("when it was last rejected or withdrawn"))
    n_shown = models.PositiveIntegerField(default=0)
    n_agree = models.PositiveIntegerField(default=0)
    n_disagree = models.PositiveIntegerField(default=0)
    n_neutral = models.PositiveIntegerField(default=0)

    objects = StatementQuerySet.as_manager()

    class Meta:
        ordering = ["question", "id"]
        verbose_name = _("statement")
        verbose_name_plural = _("statements")
        indexes = [
            # Routing asks for the approved statements of a question at every vote.
            models.Index(fields=["question", "status", "id"], name="voting_statement_routing"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["question", "code"], name="voting_statement_code_unique"),
            models.CheckConstraint(
                condition=Q(origin__in=["seed", "peer", "import"]), name="voting_statement_origin_valid"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "approved", "rejected", "withdrawn"]),
                name="voting_statement_status_valid",
            ),
            models.CheckConstraint(
                condition=~Q(status="approved") | Q(removed_at=None), name="voting_statement_approved_not_removed"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class VoteBlock(models.Model):
    """One enrolment's vote block on one question: what was required and why, and when it was closed."""

    PERSONAL: frozenset[str] = frozenset()

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="vote_blocks")
    question = models.ForeignKey(Question, models.PROTECT, related_name="vote_blocks")
    minimum = models.PositiveSmallIntegerField()
    required = models.PositiveSmallIntegerField(help_text=_("the minimum, or what was eligible if that was fewer"))
    n_cast = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("vote block")
        verbose_name_plural = _("vote blocks")
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "question"], name="voting_voteblock_once"),
            models.CheckConstraint(condition=Q(required__lte=F("minimum")), name="voting_voteblock_required_range"),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id} on {self.question_id}"


class Exposure(models.Model):
    """A statement was shown to an enrolment: when, at which rank, under which policy, drawn from how many."""

    PERSONAL: frozenset[str] = frozenset()

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="exposures")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="exposures")
    question = models.ForeignKey(Question, models.PROTECT, related_name="+")
    nonce = models.UUIDField(default=uuid.uuid4, unique=True)
    rank = models.PositiveIntegerField()
    policy = models.CharField(max_length=11)
    n_eligible = models.PositiveIntegerField(help_text=_("statements it was drawn from"))
    shown_at = models.DateTimeField(null=True, blank=True, help_text=_("empty for imported votes of unknown exposure"))

    class Meta:
        ordering = ["enrolment", "rank"]
        verbose_name = _("exposure")
        verbose_name_plural = _("exposures")
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "statement"], name="voting_exposure_once"),
            models.UniqueConstraint(fields=["enrolment", "question", "rank"], name="voting_exposure_rank_once"),
        ]

    def __str__(self) -> str:
        return f"{self.statement_id} to {self.enrolment_id} as {self.rank}"


class VoteQuerySet(models.QuerySet["Vote"]):
    """Votes with their history."""

    def current(self) -> VoteQuerySet:
        """The last vote of each enrolment and statement."""
        return self.filter(superseded_at=None)


class Vote(models.Model):
    """+1 agree, -1 disagree, 0 neutral. Not shown and not answered are missing, never 0. Append-only."""

    PERSONAL: frozenset[str] = frozenset()

    class Value(models.IntegerChoices):
        DISAGREE = -1, _("disagree")
        NEUTRAL = 0, _("neutral")
        AGREE = 1, _("agree")

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="votes")
    statement = models.ForeignKey(Statement, models.PROTECT, related_name="votes")
    exposure = models.ForeignKey(Exposure, models.PROTECT, null=True, blank=True, related_name="votes")
    value = models.SmallIntegerField(choices=Value)
    cast_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = VoteQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("vote")
        verbose_name_plural = _("votes")
        constraints = [
            models.UniqueConstraint(
                fields=["enrolment", "statement"], condition=Q(superseded_at=None), name="voting_vote_one_current"
            ),
            models.CheckConstraint(condition=Q(value__in=[-1, 0, 1]), name="voting_vote_value_valid"),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__gte=F("cast_at")),
                name="voting_vote_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id} on {self.statement_id}: {self.value:+d}"


# Django finds models where an app's models are; these stand beside what makes them.
from voting.seeding.models import SeedDraft as SeedDraft  # noqa: E402
