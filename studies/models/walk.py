from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from studies.models.content import ModelAnswer, Question
from studies.models.people import Enrolment


class Step(models.Model):
    """One page of a session, planned at the start in the order drawn. Its nonce names it in every form.

    `submitted_at` and `payload_sha256` belong to the first valid post; an identical repeat is recognised by the hash.
    """

    PERSONAL: frozenset[str] = frozenset()

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="steps")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16)
    block = models.CharField(max_length=16)
    question = models.ForeignKey(Question, models.PROTECT, null=True, blank=True, related_name="+")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, null=True, blank=True, related_name="+")
    number = models.PositiveSmallIntegerField(default=1, help_text=_("rank within its kind and question, from 1"))
    nonce = models.UUIDField(default=uuid.uuid4, unique=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    payload_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["enrolment", "position"]
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "position"], name="studies_step_position_once"),
            models.CheckConstraint(
                condition=Q(submitted_at=None, payload_sha256="")
                | (Q(submitted_at__isnull=False) & ~Q(payload_sha256="")),
                name="studies_step_submitted_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.kind}"


class PageView(models.Model):
    """A display of a step: when, and what was shown in which order and layout."""

    PERSONAL: frozenset[str] = frozenset()

    step = models.ForeignKey(Step, models.PROTECT, related_name="views")
    shown_at = models.DateTimeField()
    shown = models.JSONField(default=dict, blank=True)
    layout = models.CharField(max_length=32, blank=True)

    class Meta:
        ordering = ["step", "id"]
        verbose_name = _("page view")
        verbose_name_plural = _("page views")

    def __str__(self) -> str:
        return f"{self.step_id} at {self.shown_at:%H:%M:%S}"
