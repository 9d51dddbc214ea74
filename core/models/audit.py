from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditEvent(models.Model):
    """What a person of the team did, when, to what. Holds ids and numbers, never a participant's text.

    The subject is named softly (kind and public id), so that an erased object leaves its trace without a row.
    """

    PERSONAL = frozenset({"by", "by_name"})

    event = models.CharField(_("event"), max_length=64)
    subject_kind = models.CharField(_("kind of subject"), max_length=32)
    subject_id = models.CharField(_("subject"), max_length=64)
    study_id = models.CharField(_("study"), max_length=36, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    by_name = models.CharField(_("by"), max_length=150)
    at = models.DateTimeField(_("at"))
    detail = models.JSONField(_("detail"), default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["study_id", "-at"], name="core_auditevent_by_study")]
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")

    def __str__(self) -> str:
        return f"{self.event} {self.subject_kind} {self.subject_id}"
