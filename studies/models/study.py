from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.randomness import new_seed
from studies.models.validators import (
    LEAST_PAY,
    PAY_MINUTES,
    PLACES,
    QUESTIONS_EACH,
    SESSION_MINUTES,
    SLOT_MINUTES,
    WRITE_MAXIMUM,
    WRITE_MINIMUM,
    validate_currency,
    validate_language,
    validate_slug,
    validate_time_zone,
)

DEFAULT_BLOCKS = ["consent", "form", "write", "rate", "vote", "debrief"]


def default_blocks() -> list[str]:
    """The walk of the Overton paper, section 3."""
    return list(DEFAULT_BLOCKS)


def default_stances() -> list[dict[str, str]]:
    """The stances of the Overton paper, appendix I."""
    return [
        {"value": "liberal", "label": "Liberal"},
        {"value": "neutral", "label": "Neutral"},
        {"value": "conservative", "label": "Conservative"},
    ]


class StudyQuerySet(models.QuerySet["Study"]):
    """Studies by who may see them."""

    def visible_to(self, user: Any) -> StudyQuerySet:
        """The studies in which `user` has a role; a superuser sees all, a stranger none."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user).distinct()


class Study(models.Model):
    """A research project. Its columns are the draft of the next version; a session runs from its StudyVersion alone."""

    PERSONAL = frozenset({"contact", "created_by"})

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    class AssignmentPolicy(models.TextChoices):
        UNIFORM = "uniform", _("uniform at random")
        BALANCED = "balanced", _("balanced by completes and live reservations")

    class WithdrawalPolicy(models.TextChoices):
        DELETE_ALL = "delete_all", _("delete everything")
        KEEP_VOTES = "keep_votes", _("delete texts, keep numbers detached")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(
        _("slug"),
        max_length=64,
        unique=True,
        validators=[validate_slug],
        help_text=_("The name in links: a-z, 0-9 and hyphens."),
    )
    title = models.CharField(_("title"), max_length=200)
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.DRAFT, editable=False)
    seed = models.CharField(
        _("seed"), max_length=64, default=new_seed, help_text=_("All random orders derive from it.")
    )
    language = models.CharField(_("language"), max_length=16, default="en", validators=[validate_language])
    time_zone = models.CharField(_("display time zone"), max_length=64, default="UTC", validators=[validate_time_zone])
    current_version = models.ForeignKey(
        "StudyVersion", models.PROTECT, null=True, blank=True, related_name="+", editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    summary = models.TextField(_("information for participants"), blank=True)
    contact = models.CharField(
        _("contact"), max_length=200, blank=True, help_text=_("How participants reach the team.")
    )
    consent_text = models.TextField(_("consent text"), blank=True)
    debrief_text = models.TextField(_("closing text"), blank=True)
    ethics_body = models.CharField(_("ethics body"), max_length=200, blank=True)
    ethics_protocol = models.CharField(_("protocol number"), max_length=100, blank=True)
    pay_amount = models.DecimalField(
        _("pay"), max_digits=8, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(LEAST_PAY)]
    )
    pay_currency = models.CharField(
        _("currency"),
        max_length=3,
        blank=True,
        validators=[validate_currency],
        help_text=_("For instance USD, GBP, EUR."),
    )
    pay_minutes = models.PositiveSmallIntegerField(
        _("estimated minutes"), null=True, blank=True, validators=PAY_MINUTES.validators()
    )

    blocks = models.JSONField(_("blocks"), default=default_blocks)
    allows_open_link = models.BooleanField(_("open link"), default=True)
    allows_prolific = models.BooleanField(_("Prolific"), default=True)
    places = models.PositiveIntegerField(
        _("places"), null=True, blank=True, help_text=_("Empty: no limit."), validators=PLACES.validators()
    )
    session_minutes = models.PositiveIntegerField(
        _("minutes until a session times out"),
        null=True,
        blank=True,
        default=1440,
        validators=SESSION_MINUTES.validators(),
    )
    questions_each = models.PositiveSmallIntegerField(
        _("questions for each participant"), default=3, validators=QUESTIONS_EACH.validators()
    )
    assignment_policy = models.CharField(
        _("assignment of questions"), max_length=8, choices=AssignmentPolicy, default=AssignmentPolicy.BALANCED
    )
    slot_minutes = models.PositiveIntegerField(
        _("minutes a question is reserved"), default=60, validators=SLOT_MINUTES.validators()
    )
    write_minimum = models.PositiveSmallIntegerField(
        _("fewest characters"), default=75, validators=WRITE_MINIMUM.validators()
    )
    write_maximum = models.PositiveSmallIntegerField(
        _("most characters"), default=300, validators=WRITE_MAXIMUM.validators()
    )
    stance_options = models.JSONField(_("stance options"), default=default_stances, blank=True)
    importance_low = models.CharField(_("lowest importance"), max_length=80, default="Not at all important")
    importance_high = models.CharField(_("highest importance"), max_length=80, default="Extremely important")
    rate_instructions = models.TextField(_("rating instructions"), blank=True)
    rate_low = models.CharField(_("lowest rating"), max_length=80, default="Not at all represented")
    rate_high = models.CharField(_("highest rating"), max_length=80, default="Fully represented")
    codes = models.JSONField(_("completion codes"), default=dict, blank=True)
    withdrawal_policy = models.CharField(
        _("when somebody withdraws"), max_length=10, choices=WithdrawalPolicy, default=WithdrawalPolicy.DELETE_ALL
    )

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("study")
        verbose_name_plural = _("studies")
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["draft", "open", "paused", "closed"]), name="studies_study_status_valid"
            ),
            models.CheckConstraint(
                condition=Q(assignment_policy__in=["uniform", "balanced"]), name="studies_study_assignment_policy_valid"
            ),
            models.CheckConstraint(
                condition=Q(withdrawal_policy__in=["delete_all", "keep_votes"]),
                name="studies_study_withdrawal_policy_valid",
            ),
            models.CheckConstraint(
                condition=Q(status="draft") | Q(current_version__isnull=False), name="studies_study_open_has_version"
            ),
            models.CheckConstraint(
                condition=Q(write_minimum__lte=F("write_maximum")),
                name="studies_study_write_range",
                violation_error_message=_("The fewest characters must not exceed the most."),
            ),
            models.CheckConstraint(
                condition=WRITE_MAXIMUM.condition("write_maximum"),
                name="studies_study_write_maximum_range",
                violation_error_message=_("A text has at most 1 to 10,000 characters."),
            ),
            models.CheckConstraint(
                condition=Q(pay_amount=None) | Q(pay_amount__gte=LEAST_PAY),
                name="studies_study_pay_amount_range",
                violation_error_message=_("Pay is not negative."),
            ),
            models.CheckConstraint(
                condition=PAY_MINUTES.condition("pay_minutes", null=True),
                name="studies_study_pay_minutes_range",
                violation_error_message=_("A session is estimated to take a minute or more; leave empty what is open."),
            ),
            models.CheckConstraint(
                condition=PLACES.condition("places", null=True),
                name="studies_study_places_range",
                violation_error_message=_("A study has a place or more; leave it empty for no limit."),
            ),
            models.CheckConstraint(
                condition=SESSION_MINUTES.condition("session_minutes", null=True),
                name="studies_study_session_minutes_range",
                violation_error_message=_("A session lasts 5 minutes or more; leave it empty for no limit."),
            ),
            models.CheckConstraint(
                condition=QUESTIONS_EACH.condition("questions_each"),
                name="studies_study_questions_each_range",
                violation_error_message=_("Each participant gets a question or more."),
            ),
            models.CheckConstraint(
                condition=SLOT_MINUTES.condition("slot_minutes"),
                name="studies_study_slot_minutes_range",
                violation_error_message=_("A question is reserved for 5 minutes or more."),
            ),
        ]

    def __str__(self) -> str:
        return self.title


class StudyVersion(models.Model):
    """The definition a participant saw, frozen: canonical JSON and its SHA-256. Never changed once written.

    A preview freezes the draft in a version of its own (`is_preview`), so that a preview walks exactly as a session.
    """

    PERSONAL = frozenset({"published_by"})

    study = models.ForeignKey(Study, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(_("number"), null=True, blank=True)
    is_preview = models.BooleanField(default=False)
    definition = models.JSONField(_("definition"))
    sha256 = models.CharField(max_length=64)
    reason = models.CharField(_("reason for the amendment"), max_length=500, blank=True)
    published_at = models.DateTimeField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["study", "number"]
        verbose_name = _("study version")
        verbose_name_plural = _("study versions")
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="studies_studyversion_number_unique"),
            models.CheckConstraint(
                condition=Q(is_preview=True, number=None) | Q(is_preview=False, number__isnull=False),
                name="studies_studyversion_number_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id} v{self.number}" if self.number else f"{self.study_id} preview"


class Membership(models.Model):
    """A role of an account in a study."""

    PERSONAL = frozenset({"user"})

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        EDITOR = "editor", _("editor")
        ANALYST = "analyst", _("analyst")
        MODERATOR = "moderator", _("moderator")
        ANNOTATOR = "annotator", _("annotator")

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="study_memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="studies_membership_one_role"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "editor", "analyst", "moderator", "annotator"]),
                name="studies_membership_role_valid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.study_id}"
