from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignments import Assignment
from annotation.models.raters import Rater


class Judge(models.Model):
    """How a language model is asked as a rater: endpoint, model, parameters and prompt, fixed once it was asked."""

    PERSONAL: frozenset[str] = frozenset()

    rater = models.OneToOneField(Rater, models.PROTECT, primary_key=True, related_name="judge")
    endpoint = models.CharField(_("endpoint"), max_length=64, help_text=_("The name of a configured model endpoint."))
    model = models.CharField(_("model"), max_length=200)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    prompt = models.TextField(_("prompt"))
    prompt_sha256 = models.CharField(max_length=64)
    asks_both_ways = models.BooleanField(
        _("ask both ways round"), default=False, help_text=_("For the consistency under swapped sides.")
    )
    attempts = models.PositiveSmallIntegerField(_("attempts at a call"), default=3)

    class Meta:
        verbose_name = _("judge")
        verbose_name_plural = _("judges")
        constraints = [
            models.CheckConstraint(condition=Q(attempts__range=(1, 10)), name="annotation_judge_attempts_range"),
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}"


class JudgeCall(models.Model):
    """One question to a model and what came back, raw. What cannot be read is recorded as such and never guessed."""

    PERSONAL: frozenset[str] = frozenset()

    class Outcome(models.TextChoices):
        ANSWERED = "answered", _("answered")
        REFUSED = "refused", _("refused")
        UNPARSABLE = "unparsable", _("could not be read")
        FAILED = "failed", _("failed")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="calls")
    attempt = models.PositiveSmallIntegerField(_("attempt"))
    outcome = models.CharField(_("outcome"), max_length=10, choices=Outcome)
    prompt_sha256 = models.CharField(max_length=64, help_text=_("hash of the whole message that was sent"))
    model = models.CharField(_("model that answered"), max_length=200, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    raw_output = models.TextField(_("raw output"), blank=True)
    usage = models.JSONField(_("usage"), default=dict, blank=True)
    error = models.CharField(_("error"), max_length=500, blank=True)
    asked_at = models.DateTimeField(_("asked at"))
    answered_at = models.DateTimeField(_("answered at"))

    class Meta:
        ordering = ["assignment", "attempt"]
        verbose_name = _("call of a judge")
        verbose_name_plural = _("calls of judges")
        constraints = [
            models.UniqueConstraint(fields=["assignment", "attempt"], name="annotation_judgecall_attempt_once"),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="annotation_judgecall_attempt_positive"),
            models.CheckConstraint(
                condition=(Q(outcome="failed") & ~Q(error="")) | Q(outcome__in=["answered", "refused", "unparsable"]),
                name="annotation_judgecall_outcome_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"call {self.attempt} for {self.assignment_id}: {self.outcome}"
