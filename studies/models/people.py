from __future__ import annotations

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from studies.models.content import Question
from studies.models.study import Study, StudyVersion


class EnrolmentQuerySet(models.QuerySet["Enrolment"]):
    """Enrolments by what they count for."""

    def counted(self) -> EnrolmentQuerySet:
        """Everybody but previews, which count for nothing."""
        return self.exclude(origin=Enrolment.Origin.PREVIEW)

    def holding_a_place(self) -> EnrolmentQuerySet:
        """Who takes one of the study's places: under way or complete, live or simulated, but not imported."""
        return self.filter(
            status__in=[Enrolment.Status.ACTIVE, Enrolment.Status.COMPLETE],
            origin__in=[Enrolment.Origin.LIVE, Enrolment.Origin.SIMULATED],
            import_batch="",
        )


class Enrolment(models.Model):
    """One person in one study. Holds no personal data: recruiter ids are in ExternalIdentity."""

    PERSONAL: frozenset[str] = frozenset()

    class Origin(models.TextChoices):
        LIVE = "live", _("live")
        IMPORTED = "imported", _("imported")
        SIMULATED = "simulated", _("simulated")
        PREVIEW = "preview", _("preview")

    class Status(models.TextChoices):
        ACTIVE = "active", _("under way")
        COMPLETE = "complete", _("complete")
        NO_CONSENT = "no_consent", _("no consent")
        SCREENED_OUT = "screened_out", _("screened out")
        TIMED_OUT = "timed_out", _("timed out")
        WITHDRAWN = "withdrawn", _("withdrawn")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="enrolments")
    version = models.ForeignKey(StudyVersion, models.PROTECT, null=True, blank=True, related_name="enrolments")
    public_code = models.CharField(_("public code"), max_length=64)
    origin = models.CharField(_("origin"), max_length=9, choices=Origin)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.ACTIVE)
    recruiter = models.CharField(_("recruiter"), max_length=16, default="open")
    language = models.CharField(_("language"), max_length=16, default="en")
    token_sha256 = models.CharField(max_length=64, null=True, blank=True, unique=True, editable=False)
    position = models.PositiveSmallIntegerField(_("position in the walk"), default=0)
    started_at = models.DateTimeField(_("started at"))
    consented_at = models.DateTimeField(_("consented at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)
    last_seen_at = models.DateTimeField(_("last seen at"))
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    import_batch = models.CharField(max_length=64, blank=True)

    objects = EnrolmentQuerySet.as_manager()

    class Meta:
        ordering = ["study", "id"]
        verbose_name = _("enrolment")
        verbose_name_plural = _("enrolments")
        indexes = [
            # The quota counts these inside the lock at every start.
            models.Index(fields=["study", "status", "origin"], name="studies_enrolment_places"),
            # The sweeper looks for sessions past their time.
            models.Index(fields=["expires_at"], condition=Q(status="active"), name="studies_enrolment_expiring"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["study", "public_code"], name="studies_enrolment_code_unique"),
            models.CheckConstraint(
                condition=Q(origin__in=["live", "imported", "simulated", "preview"]),
                name="studies_enrolment_origin_valid",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["active", "complete", "no_consent", "screened_out", "timed_out", "withdrawn"]),
                name="studies_enrolment_status_valid",
            ),
            models.CheckConstraint(
                condition=Q(status="active", finished_at=None) | (~Q(status="active") & Q(finished_at__isnull=False)),
                name="studies_enrolment_finished_at_agrees",
            ),
            models.CheckConstraint(
                # Simulated people who are imported stay marked as simulated; their version is elsewhere, too.
                condition=Q(origin="imported")
                | (Q(origin="simulated") & ~Q(import_batch=""))
                | Q(version__isnull=False),
                name="studies_enrolment_has_version",
            ),
        ]

    def __str__(self) -> str:
        return self.public_code

    @property
    def is_active(self) -> bool:
        """Whether the session goes on."""
        return self.status == self.Status.ACTIVE

    def is_past_its_time(self, now: datetime) -> bool:
        """Whether the session has to be timed out at `now`."""
        return self.is_active and self.expires_at is not None and now >= self.expires_at


class ExternalIdentity(models.Model):
    """A recruiter's ids of an enrolment: pseudonymous personal data, kept apart and deletable."""

    PERSONAL = frozenset({"external_id", "external_id_raw", "session_id", "study_ref"})

    enrolment = models.OneToOneField(Enrolment, models.CASCADE, related_name="external_identity")
    study = models.ForeignKey(Study, models.PROTECT, related_name="+")
    recruiter = models.CharField(max_length=16)
    external_id = models.CharField(max_length=128)
    external_id_raw = models.CharField(max_length=256)
    session_id = models.CharField(max_length=128, blank=True)
    study_ref = models.CharField(max_length=128, blank=True)

    class Meta:
        verbose_name = _("external identity")
        verbose_name_plural = _("external identities")
        permissions = [("export_externalidentity", "Can export recruiter ids")]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "recruiter", "external_id"], name="studies_externalidentity_person_once"
            ),
            models.UniqueConstraint(
                fields=["study", "recruiter", "session_id"],
                condition=~Q(session_id=""),
                name="studies_externalidentity_session_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recruiter} identity of enrolment {self.enrolment_id}"


class ConsentRecord(models.Model):
    """A decision on a consent text: append-only."""

    PERSONAL: frozenset[str] = frozenset()

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="consents")
    text_sha256 = models.CharField(max_length=64)
    language = models.CharField(max_length=16)
    accepted = models.BooleanField()
    decided_at = models.DateTimeField()

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        constraints = [models.UniqueConstraint(fields=["enrolment"], name="studies_consentrecord_once")]

    def __str__(self) -> str:
        return f"{'accepted' if self.accepted else 'declined'} {self.decided_at:%Y-%m-%d}"


class SlotQuerySet(models.QuerySet["Slot"]):
    """Slots by what they count for."""

    def taking(self, now: datetime) -> SlotQuerySet:
        """Slots that count against a question: complete, or reserved and not expired."""
        return self.filter(Q(status=Slot.Status.COMPLETE) | Q(status=Slot.Status.RESERVED, expires_at__gt=now))


class Slot(models.Model):
    """A question reserved for an enrolment until it is complete, released or expired."""

    PERSONAL: frozenset[str] = frozenset()

    class Status(models.TextChoices):
        RESERVED = "reserved", _("reserved")
        COMPLETE = "complete", _("complete")
        RELEASED = "released", _("released")

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="slots")
    question = models.ForeignKey(Question, models.PROTECT, related_name="slots")
    number = models.PositiveSmallIntegerField(_("number"))
    policy = models.CharField(_("policy"), max_length=8)
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.RESERVED)
    reserved_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        ordering = ["enrolment", "number"]
        verbose_name = _("slot")
        verbose_name_plural = _("slots")
        indexes = [models.Index(fields=["question", "status", "expires_at"], name="studies_slot_taking")]
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "question"], name="studies_slot_question_once"),
            models.UniqueConstraint(fields=["enrolment", "number"], name="studies_slot_number_once"),
            models.CheckConstraint(
                condition=Q(status__in=["reserved", "complete", "released"]), name="studies_slot_status_valid"
            ),
            models.CheckConstraint(
                condition=Q(status="complete", completed_at__isnull=False)
                | (~Q(status="complete") & Q(completed_at=None)),
                name="studies_slot_completed_at_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id}: {self.question_id} ({self.status})"


class Tombstone(models.Model):
    """What stays of a withdrawn enrolment: ids and numbers, never text."""

    PERSONAL: frozenset[str] = frozenset()

    study = models.ForeignKey(Study, models.PROTECT, related_name="tombstones")
    enrolment_public_id = models.UUIDField(unique=True)
    withdrawn_at = models.DateTimeField()
    policy = models.CharField(max_length=10)
    erased = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("tombstone")
        verbose_name_plural = _("tombstones")

    def __str__(self) -> str:
        return str(self.enrolment_public_id)
