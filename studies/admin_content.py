"""Questions and model answers in lists of their own: to search in many, and to write answers in drafts."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from studies import access, services
from studies.admin_common import ScopedAdmin, study_filter
from studies.admin_forms import ModelAnswerForm
from studies.models import ModelAnswer, Question, Source, Study


@admin.register(Question)
class QuestionAdmin(ScopedAdmin):
    """All questions with their revisions; they are written on the study's page."""

    list_display = ("code", "study", "domain", "beginning", "revision", "is_current", "is_frozen")
    list_filter = (study_filter("study"), "is_current", "is_frozen")
    list_select_related = ("study",)
    search_fields = ("code", "text", "domain")
    fields = ("study", "code", "domain", "text", "revision", "is_current", "is_frozen", "position")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """On the study's page."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """On the study's page."""
        return False

    @admin.display(description=_("text"))
    def beginning(self, question: Question) -> str:
        """The first words."""
        return Truncator(question.text).chars(80)


@admin.register(ModelAnswer)
class ModelAnswerAdmin(ScopedAdmin):
    """Model answers; those of drafts can be written here."""

    study_path = "question__study"
    form = ModelAnswerForm
    list_display = ("question", "source", "study", "beginning", "revision", "is_current", "is_frozen")
    list_filter = (study_filter("question__study"), "is_current", "is_frozen")
    list_select_related = ("question__study", "source")
    search_fields = ("question__code", "source__code", "text")
    readonly_fields = ("revision", "is_current", "is_frozen")

    @admin.display(description=_("study"))
    def study(self, answer: ModelAnswer) -> str:
        """The study of its question."""
        return answer.question.study.slug

    @admin.display(description=_("text"))
    def beginning(self, answer: ModelAnswer) -> str:
        """The first words."""
        return Truncator(answer.text).chars(80)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Who edits some draft."""
        return access.may_create(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors, while the study is a draft."""
        if not isinstance(obj, ModelAnswer):
            return access.may_create(request.user)
        study = obj.question.study
        is_open = study.status == Study.Status.DRAFT and not obj.is_frozen
        return is_open and access.may(request.user, study, access.Role.EDITOR)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only questions and sources of drafts that the user may edit."""
        drafts = access.editable_studies(request.user).filter(status=Study.Status.DRAFT)
        rows: QuerySet[Any] = Source.objects if db_field.name == "source" else Question.objects.filter(is_current=True)
        kwargs["queryset"] = rows.filter(study__in=drafts).select_related("study")
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field is not None:
            field.label_from_instance = lambda row: f"{row.study.slug}: {row.code}"
        return field

    def save_model(self, request: HttpRequest, obj: ModelAnswer, form: Any, change: bool) -> None:
        """Save, and note it in the study's record."""
        super().save_model(request, obj, form, change)
        event = "study.answer_edited" if change else "study.answer_added"
        study = obj.question.study
        services.record(study, event, by=request.user, now=timezone.now(), answer=str(obj.public_id))
