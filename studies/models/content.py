from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from studies.models.study import Study
from studies.models.validators import validate_code

CODE_HELP = _("A stable short name: letters, digits, '-', '_' and '.'. Exports and imports use it.")


class Question(models.Model):
    """A prompt with a stable code. Once published its text is frozen; another wording is another revision."""

    PERSONAL: frozenset[str] = frozenset()

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.CASCADE, related_name="questions")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code], help_text=CODE_HELP)
    revision = models.PositiveIntegerField(_("revision"), default=1, editable=False)
    is_current = models.BooleanField(default=True, editable=False)
    is_frozen = models.BooleanField(default=False, editable=False)
    domain = models.CharField(_("domain"), max_length=64, blank=True)
    text = models.TextField(_("text"))
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        ordering = ["study", "position", "code", "revision"]
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        constraints = [
            models.UniqueConstraint(fields=["study", "code", "revision"], name="studies_question_revision_unique"),
            models.UniqueConstraint(
                fields=["study", "code"], condition=Q(is_current=True), name="studies_question_one_current"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Source(models.Model):
    """A model with its generation settings: where answers come from."""

    PERSONAL: frozenset[str] = frozenset()

    study = models.ForeignKey(Study, models.CASCADE, related_name="sources")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code], help_text=CODE_HELP)
    name = models.CharField(_("name"), max_length=200)
    settings = models.JSONField(_("generation settings"), default=dict, blank=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        ordering = ["study", "position", "code"]
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        constraints = [models.UniqueConstraint(fields=["study", "code"], name="studies_source_code_unique")]

    def __str__(self) -> str:
        return self.code


class ModelAnswer(models.Model):
    """A source's answer to a question. Frozen with its question's study."""

    PERSONAL: frozenset[str] = frozenset()

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    question = models.ForeignKey(Question, models.CASCADE, related_name="answers")
    source = models.ForeignKey(Source, models.PROTECT, related_name="answers")
    text = models.TextField(_("text"))
    revision = models.PositiveIntegerField(_("revision"), default=1, editable=False)
    is_current = models.BooleanField(default=True, editable=False)
    is_frozen = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["question", "source", "revision"]
        verbose_name = _("model answer")
        verbose_name_plural = _("model answers")
        constraints = [
            models.UniqueConstraint(
                fields=["question", "source", "revision"], name="studies_modelanswer_revision_unique"
            ),
            models.UniqueConstraint(
                fields=["question", "source"], condition=Q(is_current=True), name="studies_modelanswer_one_current"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}/{self.source_id}"


class FormItem(models.Model):
    """One item of the form block. Every item can be skipped."""

    PERSONAL: frozenset[str] = frozenset()

    class Kind(models.TextChoices):
        SINGLE = "single", _("one choice")
        MULTIPLE = "multiple", _("several choices")
        INTEGER = "integer", _("whole number")
        TEXT = "text", _("text")

    study = models.ForeignKey(Study, models.CASCADE, related_name="form_items")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code], help_text=CODE_HELP)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    label = models.CharField(_("label"), max_length=300)
    hint = models.CharField(_("hint"), max_length=300, blank=True)
    options = models.JSONField(_("options"), default=list, blank=True)
    minimum = models.IntegerField(_("minimum"), null=True, blank=True)
    maximum = models.IntegerField(_("maximum"), null=True, blank=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        ordering = ["study", "position", "code"]
        verbose_name = _("form item")
        verbose_name_plural = _("form items")
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], name="studies_formitem_code_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["single", "multiple", "integer", "text"]), name="studies_formitem_kind_valid"
            ),
        ]

    def __str__(self) -> str:
        return self.code
