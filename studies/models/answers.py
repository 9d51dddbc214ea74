from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from studies.models.content import ModelAnswer, Question
from studies.models.people import Enrolment
from studies.models.walk import Step


class Answer(models.Model):
    """A reply to a form item: one typed column filled, or why there is none."""

    PERSONAL = frozenset({"value_choice", "value_choices", "value_integer", "value_text"})

    class Missing(models.TextChoices):
        NOT_SHOWN = "not_shown", _("not shown")
        SKIPPED = "skipped", _("skipped")
        DECLINED = "declined", _("prefer not to say")
        CANNOT_JUDGE = "cannot_judge", _("cannot judge")
        TIMED_OUT = "timed_out", _("timed out")
        WITHDRAWN = "withdrawn", _("withdrawn")

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="answers")
    item_code = models.CharField(max_length=64)
    value_choice = models.CharField(max_length=64, null=True, blank=True)
    value_choices = models.JSONField(null=True, blank=True)
    value_integer = models.BigIntegerField(null=True, blank=True)
    value_text = models.TextField(null=True, blank=True)
    missing = models.CharField(max_length=12, choices=Missing, null=True, blank=True)
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["enrolment", "item_code"]
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "item_code"], name="studies_answer_once"),
            models.CheckConstraint(
                condition=Q(
                    value_choice__isnull=False,
                    value_choices__isnull=True,
                    value_integer=None,
                    value_text=None,
                    missing=None,
                )
                | Q(value_choice=None, value_choices__isnull=False, value_integer=None, value_text=None, missing=None)
                | Q(
                    value_choice=None,
                    value_choices__isnull=True,
                    value_integer__isnull=False,
                    value_text=None,
                    missing=None,
                )
                | Q(
                    value_choice=None,
                    value_choices__isnull=True,
                    value_integer=None,
                    value_text__isnull=False,
                    missing=None,
                )
                | Q(
                    value_choice=None,
                    value_choices__isnull=True,
                    value_integer=None,
                    value_text=None,
                    missing__isnull=False,
                ),
                name="studies_answer_one_column",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id}/{self.item_code}"


class FreeResponse(models.Model):
    """The participant's own view on a question, with stance and importance."""

    PERSONAL = frozenset({"text", "stance"})

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="free_responses")
    question = models.ForeignKey(Question, models.PROTECT, related_name="free_responses")
    text = models.TextField()
    n_characters = models.PositiveIntegerField()
    stance = models.CharField(max_length=64, blank=True)
    importance = models.PositiveSmallIntegerField(null=True, blank=True)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["question", "id"]
        verbose_name = _("free response")
        verbose_name_plural = _("free responses")
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "question"], name="studies_freeresponse_once"),
            models.CheckConstraint(
                condition=Q(importance=None) | Q(importance__range=(1, 5)), name="studies_freeresponse_importance_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id} on {self.question_id}"


class RatingQuerySet(models.QuerySet["RepresentationRating"]):
    """Ratings with their history."""

    def current(self) -> RatingQuerySet:
        """The last rating of each enrolment and answer."""
        return self.filter(superseded_at=None)


class RepresentationRating(models.Model):
    """1-5: to what extent is your perspective represented in this response. Changing one supersedes the earlier row."""

    PERSONAL: frozenset[str] = frozenset()

    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="ratings")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, related_name="ratings")
    value = models.PositiveSmallIntegerField()
    rank = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("place in the order shown, from 1"))
    rated_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = RatingQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("representation rating")
        verbose_name_plural = _("representation ratings")
        constraints = [
            models.UniqueConstraint(
                fields=["enrolment", "answer"],
                condition=Q(superseded_at=None),
                name="studies_representationrating_one_current",
            ),
            models.CheckConstraint(condition=Q(value__range=(1, 5)), name="studies_representationrating_value_range"),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__gte=F("rated_at")),
                name="studies_representationrating_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id} rated {self.answer_id}: {self.value}"


class LateSubmission(models.Model):
    """A post that came too late and differed from what counts: kept aside, never analysed."""

    PERSONAL = frozenset({"payload"})

    step = models.ForeignKey(Step, models.PROTECT, related_name="late_submissions")
    payload = models.JSONField()
    payload_sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        verbose_name = _("late submission")
        verbose_name_plural = _("late submissions")
        constraints = [models.UniqueConstraint(fields=["step", "payload_sha256"], name="studies_latesubmission_once")]

    def __str__(self) -> str:
        return f"late on step {self.step_id}"


class Draft(models.Model):
    """What is typed and not yet sent."""

    PERSONAL = frozenset({"payload"})

    step = models.OneToOneField(Step, models.PROTECT, related_name="draft")
    payload = models.JSONField()
    saved_at = models.DateTimeField()

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")

    def __str__(self) -> str:
        return f"draft of step {self.step_id}"
