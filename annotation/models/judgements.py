from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignments import Assignment
from annotation.models.packets import Dimension, Label


class Submission(models.Model):
    """One post of answers to an item. The same client key is the same post, however often it arrives."""

    PERSONAL: frozenset[str] = frozenset()

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(_("number"))
    client_key = models.UUIDField(_("client key"), default=uuid.uuid4)
    payload_sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField(_("received at"))

    class Meta:
        ordering = ["assignment", "number"]
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="annotation_submission_number_once"),
            models.UniqueConstraint(fields=["assignment", "client_key"], name="annotation_submission_client_key_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="annotation_submission_number_positive"),
        ]

    def __str__(self) -> str:
        return f"submission {self.number} to {self.assignment_id}"


class JudgementQuerySet(models.QuerySet["Judgement"]):
    """Judgements with their history."""

    def current(self) -> JudgementQuerySet:
        """The last one of each assignment and dimension."""
        return self.filter(superseded_at=None)

    def counted(self) -> JudgementQuerySet:
        """What analyses take: the current ones of real work that is not extra."""
        return self.current().filter(
            assignment__purpose=Assignment.Purpose.WORK,
            assignment__status=Assignment.Status.DONE,
            assignment__is_extra=False,
        )


class Judgement(models.Model):
    """A rater's answer on one dimension of one item: a label, several labels, or why there is none. Append-only.

    `label` speaks of the texts in their stored order; `shown_label` is what was chosen on the page, the mirror of it
    where the sides were swapped. `swapped` and `rank` are the order shown, kept with each answer.
    """

    PERSONAL = frozenset({"evidence"})

    class Missing(models.TextChoices):
        CANNOT_JUDGE = "cannot_judge", _("cannot judge")
        NOT_APPLICABLE = "not_applicable", _("not applicable")
        SKIPPED = "skipped", _("skipped")
        REFUSED = "refused", _("refused by the model")
        UNPARSABLE = "unparsable", _("the model's answer could not be read")
        WITHDRAWN = "withdrawn", _("withdrawn")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgements")
    submission = models.ForeignKey(
        Submission, models.PROTECT, null=True, blank=True, related_name="judgements", help_text=_("empty if imported")
    )
    dimension = models.ForeignKey(Dimension, models.PROTECT, related_name="judgements")
    label = models.ForeignKey(Label, models.PROTECT, null=True, blank=True, related_name="judgements")
    shown_label = models.ForeignKey(Label, models.PROTECT, null=True, blank=True, related_name="+")
    labels = models.JSONField(_("labels"), null=True, blank=True, help_text=_("codes, in the declared order"))
    missing = models.CharField(_("missing"), max_length=14, choices=Missing, null=True, blank=True)
    evidence = models.TextField(_("evidence"), blank=True)
    swapped = models.BooleanField(_("sides swapped"), null=True, blank=True)
    rank = models.PositiveIntegerField(_("place in the rater's order"), null=True, blank=True)
    judged_at = models.DateTimeField(_("judged at"))
    superseded_at = models.DateTimeField(_("superseded at"), null=True, blank=True)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("judgement")
        verbose_name_plural = _("judgements")
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "dimension"],
                condition=Q(superseded_at=None),
                name="annotation_judgement_one_current",
            ),
            models.CheckConstraint(
                condition=Q(label__isnull=False, shown_label__isnull=False, labels__isnull=True, missing=None)
                | Q(label=None, shown_label=None, labels__isnull=False, missing=None)
                | Q(label=None, shown_label=None, labels__isnull=True, missing__isnull=False),
                name="annotation_judgement_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(missing=None)
                | Q(
                    missing__isnull=False,
                    missing__in=[
                        "cannot_judge",
                        "not_applicable",
                        "skipped",
                        "refused",
                        "unparsable",
                        "withdrawn",
                    ],
                ),
                name="annotation_judgement_missing_valid",
            ),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__isnull=False, superseded_at__gte=F("judged_at")),
                name="annotation_judgement_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension_id} of assignment {self.assignment_id}"


class JudgementDraft(models.Model):
    """What is chosen and typed and not yet sent."""

    PERSONAL = frozenset({"payload"})

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="draft")
    payload = models.JSONField(_("payload"))
    saved_at = models.DateTimeField(_("saved at"))

    class Meta:
        verbose_name = _("draft of a judgement")
        verbose_name_plural = _("drafts of judgements")

    def __str__(self) -> str:
        return f"draft for {self.assignment_id}"
