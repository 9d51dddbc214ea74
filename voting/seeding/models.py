from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.models import Run
from studies.models import Question


class SeedDraft(models.Model):
    """A statement that a model wrote, or declined to write, with where it comes from; a person decides.

    `series` hashes question, seed, endpoint and model, so that a generation that is started again, or extended, finds
    what it has and repeats no call. Of the example only its code is here; its text stays where people can withdraw it.
    """

    PERSONAL = frozenset({"decided_by"})

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting for a decision")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    question = models.ForeignKey(Question, models.CASCADE, related_name="seed_drafts")
    run = models.ForeignKey(Run, models.PROTECT, related_name="+")
    series = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField(help_text=_("place in the draw of examples, from 1"))
    example = models.CharField(max_length=64, help_text=_("public code of the person whose response was the example"))
    example_question = models.CharField(max_length=64, help_text=_("code of the question that it answers"))
    endpoint = models.CharField(max_length=64)
    model = models.CharField(max_length=200, help_text=_("as the server named it"))
    prompt_version = models.CharField(max_length=16)
    prompt_sha256 = models.CharField(max_length=64)
    raw = models.TextField(help_text=_("the reply as it was received"))
    text = models.TextField(blank=True)
    refusal = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.WAITING)
    approved_text = models.TextField(blank=True, help_text=_("what the person let in, edited or not"))
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    statement = models.OneToOneField(
        "voting.Statement", models.SET_NULL, null=True, blank=True, related_name="seed_draft"
    )

    class Meta:
        ordering = ["question", "series", "position"]
        verbose_name = _("generated seed")
        verbose_name_plural = _("generated seeds")
        constraints = [
            models.UniqueConstraint(fields=["series", "example", "prompt_sha256"], name="voting_seeddraft_once"),
            models.CheckConstraint(
                condition=Q(status="waiting", decided_at=None, approved_text="")
                | Q(status="rejected", decided_at__isnull=False, approved_text="")
                | (Q(status="approved", decided_at__isnull=False) & ~Q(approved_text="")),
                name="voting_seeddraft_decision_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}/{self.position}"

    @property
    def is_edited(self) -> bool:
        """Whether the person let in something else than the model wrote."""
        return bool(self.approved_text) and self.approved_text != self.text
