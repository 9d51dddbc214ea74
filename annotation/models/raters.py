from __future__ import annotations

import uuid
from datetime import datetime

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.campaigns import Campaign, ConsentText
from annotation.models.packets import Packet
from studies.models import Enrolment
from studies.models.validators import LEAST_PAY, validate_currency


class PayPer(models.TextChoices):
    """What the pay of a rater is for."""

    NOTHING = "", _("unpaid or not known")
    ITEM = "item", _("an item")
    HOUR = "hour", _("an hour")
    WHOLE = "whole", _("the whole work")


class Terms(models.Model):
    """How raters were found and what they are paid: recorded for the report."""

    recruitment = models.CharField(
        _("recruitment"), max_length=300, blank=True, help_text=_("For instance: students of the department.")
    )
    pay_amount = models.DecimalField(
        _("pay"), max_digits=8, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(LEAST_PAY)]
    )
    pay_currency = models.CharField(_("currency"), max_length=3, blank=True, validators=[validate_currency])
    pay_per = models.CharField(_("pay is for"), max_length=5, choices=PayPer, blank=True, default=PayPer.NOTHING)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(pay_amount=None, pay_currency="", pay_per="")
                | (
                    Q(pay_amount__isnull=False, pay_amount__gte=LEAST_PAY, pay_per__in=["item", "hour", "whole"])
                    & ~Q(pay_currency="")
                ),
                name="%(app_label)s_%(class)s_pay_agrees",
            ),
        ]


class Invitation(Terms):
    """A link by which people become raters, until it expires or is used up. Only the hash of its token is kept."""

    PERSONAL = frozenset({"created_by"})

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    name = models.CharField(_("name"), max_length=120, help_text=_("For the team; raters do not see it."))
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    limit = models.PositiveIntegerField(_("how many may use it"))
    n_used = models.PositiveIntegerField(_("used"), default=0, editable=False)
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["campaign", "id"]
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            *Terms.Meta.constraints,
            models.CheckConstraint(condition=Q(limit__gte=1), name="annotation_invitation_limit_positive"),
            models.CheckConstraint(condition=Q(n_used__lte=F("limit")), name="annotation_invitation_within_limit"),
        ]

    def __str__(self) -> str:
        return self.name

    def is_open(self, now: datetime) -> bool:
        """Whether somebody may still come in by it at `now`."""
        return self.revoked_at is None and now < self.expires_at and self.n_used < self.limit


class RaterQuerySet(models.QuerySet["Rater"]):
    """Raters by what they are."""

    def people(self) -> RaterQuerySet:
        """Human raters."""
        return self.filter(kind=Rater.Kind.PERSON)

    def models(self) -> RaterQuerySet:
        """Language models as raters."""
        return self.filter(kind=Rater.Kind.MODEL)


class Rater(Terms):
    """Who judges in a campaign: a person or a language model. `code` names them in exports and nowhere their name."""

    PERSONAL = frozenset({"account", "name", "recruitment"})

    class Kind(models.TextChoices):
        PERSON = "person", _("person")
        MODEL = "model", _("language model")

    class CameBy(models.TextChoices):
        ACCOUNT = "account", _("account")
        INVITATION = "invitation", _("invitation link")
        ENROLMENT = "enrolment", _("session of a study")
        ENDPOINT = "endpoint", _("model endpoint")
        FILE = "file", _("import")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="raters")
    code = models.CharField(_("code"), max_length=64)
    kind = models.CharField(_("kind"), max_length=6, choices=Kind)
    came_by = models.CharField(_("came by"), max_length=10, choices=CameBy)
    name = models.CharField(_("name"), max_length=200, blank=True, help_text=_("For the team."))
    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="raters")
    invitation = models.ForeignKey(Invitation, models.PROTECT, null=True, blank=True, related_name="raters")
    enrolment = models.ForeignKey(Enrolment, models.PROTECT, null=True, blank=True, related_name="raters")
    token_sha256 = models.CharField(max_length=64, null=True, blank=True, unique=True, editable=False)
    column = models.PositiveSmallIntegerField(
        default=1, help_text=_("which of an item's places this rater is offered first")
    )
    joined_at = models.DateTimeField(_("joined at"))
    removed_at = models.DateTimeField(_("removed at"), null=True, blank=True)

    objects = RaterQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "code"]
        verbose_name = _("rater")
        verbose_name_plural = _("raters")
        constraints = [
            *Terms.Meta.constraints,
            models.UniqueConstraint(fields=["campaign", "code"], name="annotation_rater_code_unique"),
            models.UniqueConstraint(fields=["campaign", "account"], name="annotation_rater_account_once"),
            models.UniqueConstraint(fields=["campaign", "enrolment"], name="annotation_rater_enrolment_once"),
            models.CheckConstraint(condition=Q(kind__in=["person", "model"]), name="annotation_rater_kind_valid"),
            models.CheckConstraint(
                condition=Q(came_by="account", enrolment=None, invitation=None)
                | Q(came_by="invitation", enrolment=None, invitation__isnull=False)
                | Q(came_by="enrolment", enrolment__isnull=False, invitation=None, account=None)
                | Q(came_by__in=["endpoint", "file"], enrolment=None, invitation=None, account=None),
                name="annotation_rater_came_by_agrees",
            ),
            models.CheckConstraint(
                condition=Q(came_by="file")
                | Q(came_by="endpoint", kind="model")
                | Q(came_by__in=["account", "invitation", "enrolment"], kind="person"),
                name="annotation_rater_kind_agrees",
            ),
            models.CheckConstraint(condition=Q(column__gte=1), name="annotation_rater_column_positive"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_active(self) -> bool:
        """Whether the rater may still work."""
        return self.removed_at is None


class RaterConsent(models.Model):
    """A rater's decision on a consent text: append-only."""

    PERSONAL: frozenset[str] = frozenset()

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="consents")
    consent_text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents")
    text_sha256 = models.CharField(max_length=64)
    accepted = models.BooleanField(_("accepted"))
    decided_at = models.DateTimeField(_("decided at"))

    class Meta:
        ordering = ["rater", "id"]
        verbose_name = _("consent of a rater")
        verbose_name_plural = _("consents of raters")
        constraints = [
            models.UniqueConstraint(fields=["rater", "consent_text"], name="annotation_raterconsent_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} {'accepted' if self.accepted else 'declined'}"


class Qualification(models.Model):
    """A rater's attempt at the gold items of a packet; `passed` is empty while it goes on."""

    PERSONAL: frozenset[str] = frozenset()

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="qualifications")
    packet = models.ForeignKey(Packet, models.PROTECT, related_name="qualifications")
    attempt = models.PositiveSmallIntegerField(_("attempt"))
    n_asked = models.PositiveIntegerField(_("answers asked"), default=0)
    n_right = models.PositiveIntegerField(_("right answers"), default=0)
    passed = models.BooleanField(_("passed"), null=True, blank=True)
    started_at = models.DateTimeField(_("started at"))
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    class Meta:
        ordering = ["rater", "attempt"]
        verbose_name = _("qualification")
        verbose_name_plural = _("qualifications")
        constraints = [
            models.UniqueConstraint(fields=["rater", "packet", "attempt"], name="annotation_qualification_once"),
            models.UniqueConstraint(
                fields=["rater", "packet"],
                condition=Q(finished_at=None),
                name="annotation_qualification_one_under_way",
            ),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="annotation_qualification_attempt_positive"),
            models.CheckConstraint(
                condition=Q(n_right__lte=F("n_asked")), name="annotation_qualification_right_of_asked"
            ),
            models.CheckConstraint(
                condition=Q(finished_at=None, passed__isnull=True) | Q(finished_at__isnull=False, passed__isnull=False),
                name="annotation_qualification_finished_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt} of {self.rater_id}"
