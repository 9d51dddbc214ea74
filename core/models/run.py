from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

LEASE = timedelta(seconds=60)
MAX_ATTEMPTS = 3
PART_ATTEMPTS = MAX_ATTEMPTS - 1
"""One less, so that a part that kills its worker is given up before the run that it is a part of."""


class RunQuerySet(models.QuerySet["Run"]):
    """Runs by state."""

    def unfinished(self) -> RunQuerySet:
        """Queued or running."""
        return self.filter(status__in=[Run.Status.QUEUED, Run.Status.RUNNING])

    def finished(self) -> RunQuerySet:
        """With a result."""
        return self.filter(status=Run.Status.FINISHED)

    def of(self, kind: str, subject_id: uuid.UUID | str) -> RunQuerySet:
        """Runs of a kind on a subject, newest first."""
        return self.filter(kind=kind, subject_id=str(subject_id)).order_by("-id")


class Run(models.Model):
    """One computation. The row is the truth about it: no result backend, no state in messages.

    A worker holds a run by `claim_token` and renews `heartbeat_at`; whoever finds the heartbeat older than the lease
    may take the run over. A finished run never changes.
    """

    PERSONAL = frozenset({"created_by"})

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(_("kind"), max_length=32)
    subject_kind = models.CharField(_("kind of subject"), max_length=32)
    subject_id = models.CharField(_("subject"), max_length=36)
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="parts")
    continues = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("continues"),
        help_text=_("the run from whose state it starts; its result holds that run's hash"),
    )
    parameters = models.JSONField(_("parameters"))
    parameters_sha256 = models.CharField(max_length=64)
    seed = models.BigIntegerField(_("seed"))
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.QUEUED)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    progress_note = models.CharField(max_length=200, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    claim_token = models.UUIDField(null=True, blank=True)
    is_held_with_parent = models.BooleanField(
        default=False, help_text=_("taken by whoever held the run that it is a part of")
    )
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(_("queued at"))
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True, help_text=_("when a message was last sent for it"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    input_sha256 = models.CharField(_("hash of the input"), max_length=64, blank=True)
    result = models.JSONField(_("result"), null=True, blank=True)
    result_sha256 = models.CharField(_("hash of the result"), max_length=64, blank=True)
    versions = models.JSONField(_("versions"), default=dict, blank=True)
    error = models.TextField(_("error"), blank=True)
    is_reported = models.BooleanField(_("reported"), default=False)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes = [
            # The sweeper looks for what is unfinished every ten seconds.
            models.Index(fields=["status", "heartbeat_at"], name="core_run_unfinished"),
            models.Index(fields=["kind", "subject_id", "-id"], name="core_run_latest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "finished", "failed"]), name="core_run_status_valid"
            ),
            models.UniqueConstraint(
                fields=["kind", "subject_kind", "subject_id", "parameters_sha256", "seed"],
                condition=Q(status__in=["queued", "running"], parent=None),
                name="core_run_one_unfinished",
            ),
            models.UniqueConstraint(
                fields=["parent", "kind", "subject_kind", "subject_id"],
                condition=Q(parent__isnull=False),
                name="core_run_one_part_of_a_kind",
            ),
            models.UniqueConstraint(
                fields=["kind", "subject_kind", "subject_id"],
                condition=Q(is_reported=True),
                name="core_run_one_reported",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["finished", "failed"], finished_at__isnull=False)
                | Q(status__in=["queued", "running"], finished_at=None),
                name="core_run_finished_at_agrees",
            ),
            models.CheckConstraint(
                condition=(Q(status="running") & Q(claim_token__isnull=False) & Q(heartbeat_at__isnull=False))
                | (~Q(status="running") & Q(claim_token=None)),
                name="core_run_claim_agrees",
            ),
            models.CheckConstraint(
                condition=Q(status="finished", result__isnull=False) | (~Q(status="finished") & Q(result_sha256="")),
                name="core_run_result_agrees",
            ),
            models.CheckConstraint(
                condition=Q(progress_done__lte=F("progress_total")), name="core_run_progress_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject_kind} {self.subject_id} ({self.status})"

    @property
    def is_unfinished(self) -> bool:
        """Whether a worker may still write it."""
        return self.status in {self.Status.QUEUED, self.Status.RUNNING}
