"""Statements and votes in the admin: to look at, and statements to moderate. What was measured cannot be changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError, shown
from studies.models import Question
from voting import access, services
from voting.models import Exposure, Statement, Vote, VoteSettings


class TeamAdmin(admin.ModelAdmin):
    """Rows of studies in whose team the account is; nobody adds, changes or deletes them here."""

    study_path = "question__study"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Keep to what the account may see; anything else does not exist for it."""
        studies = access.studies_of_team(request.user)
        return super().get_queryset(request).filter(**{f"{self.study_path}__in": studies})

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Everybody of a team, whatever the account's other permissions."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The role in a study decides; the query set has left only such rows."""
        return access.studies_of_team(request.user).exists()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: withdrawal erases."""
        return False


class QuestionFilter(admin.SimpleListFilter):
    """By question, of the account's studies only: the stock filter would name everybody's."""

    title = gettext_lazy("question")
    parameter_name = "question"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The current questions of the account's studies."""
        questions = Question.objects.filter(study__in=access.studies_of_team(request.user), is_current=True)
        rows = questions.order_by("study__slug", "position", "code").values_list("pk", "study__slug", "code")
        return [(str(pk), f"{slug}: {code}") for pk, slug, code in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen question."""
        return queryset.filter(question=self.value()) if (self.value() or "").isdecimal() else queryset


class StudyFilter(admin.SimpleListFilter):
    """By study, of the account's only."""

    title = gettext_lazy("study")
    parameter_name = "study"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The account's studies."""
        return [(study.slug, study.title) for study in access.studies_of_team(request.user).order_by("slug")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen study."""
        path = self.study_path(queryset)
        return queryset.filter(**{path: self.value()}) if self.value() else queryset

    @staticmethod
    def study_path(queryset: QuerySet[Any]) -> str:
        """How the rows lead to the slug of their study."""
        return "statement__question__study__slug" if queryset.model is Vote else "question__study__slug"


@admin.register(Statement)
class StatementAdmin(TeamAdmin):
    """Where a moderator approves and rejects."""

    list_display = (
        "code",
        "question",
        "origin",
        "status",
        "text_start",
        "n_shown",
        "n_agree",
        "n_disagree",
        "n_neutral",
    )
    list_filter = ("status", "origin", StudyFilter, QuestionFilter, "is_preview")
    list_select_related = ("question",)
    search_fields = ("code", "text")
    search_help_text = gettext_lazy("By code and text")
    ordering = ("-pk",)
    actions = ("approve", "reject")
    fields = (
        "question",
        "code",
        "origin",
        "status",
        "text",
        "is_preview",
        "created_at",
        "approved_at",
        "removed_at",
        "n_shown",
        "n_agree",
        "n_disagree",
        "n_neutral",
    )

    @admin.display(description=gettext_lazy("text"))
    def text_start(self, statement: Statement) -> str:
        """Enough of the text to judge most statements by."""
        return statement.text if len(statement.text) <= 300 else f"{statement.text[:299]}…"

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        """Whether the account moderates some study; which of the chosen rows are its own is looked up in the action."""
        return access.moderated_studies(request.user).exists()

    @admin.action(description=gettext_lazy("Approve the chosen statements"), permissions=["moderate"])
    def approve(self, request: HttpRequest, queryset: QuerySet[Statement]) -> None:
        """Let the chosen statements in."""
        self._moderate(request, queryset, services.approve_statement)

    @admin.action(description=gettext_lazy("Reject the chosen statements"), permissions=["moderate"])
    def reject(self, request: HttpRequest, queryset: QuerySet[Statement]) -> None:
        """Take the chosen statements out."""
        self._moderate(request, queryset, services.reject_statement)

    def _moderate(self, request: HttpRequest, queryset: QuerySet[Statement], act: Any) -> None:
        """Do it one by one: what is not possible is said, and the rest is done."""
        own = set(access.moderated_statements(request.user).filter(pk__in=queryset).values_list("pk", flat=True))
        now, n_done = timezone.now(), 0
        for statement in queryset.order_by("pk"):
            if statement.pk not in own:
                message = _("Your role in the study of %(code)s does not allow this.") % {"code": shown(statement.code)}
                self.message_user(request, message, messages.ERROR)
                continue
            try:
                act(statement=statement, by=request.user, now=now)
            except DomainError as error:
                self.message_user(request, str(error), messages.WARNING)
            else:
                n_done += 1
        message = ngettext("%(n)d statement done.", "%(n)d statements done.", n_done) % {"n": n_done}
        self.message_user(request, message, messages.SUCCESS if n_done else messages.INFO)


@admin.register(Vote)
class VoteAdmin(TeamAdmin):
    """Votes with their history, to look at."""

    study_path = "statement__question__study"
    list_display = ("pk", "enrolment", "statement", "value", "cast_at", "superseded_at")
    list_filter = ("value", StudyFilter, ("superseded_at", admin.EmptyFieldListFilter))
    list_select_related = ("enrolment", "statement")
    ordering = ("-pk",)


@admin.register(Exposure)
class ExposureAdmin(TeamAdmin):
    """What was shown to whom, to look at."""

    list_display = ("pk", "enrolment", "statement", "rank", "policy", "n_eligible", "shown_at")
    list_filter = ("policy", StudyFilter, QuestionFilter)
    list_select_related = ("enrolment", "statement")
    ordering = ("-pk",)


@admin.register(VoteSettings)
class VoteSettingsAdmin(TeamAdmin):
    """The vote block of a draft. Sessions run from the published version, which this does not change."""

    study_path = "study"
    list_display = ("study", "minimum", "policy", "mix", "moderation")
    list_select_related = ("study",)
    readonly_fields = ("study",)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors, of drafts."""
        if not isinstance(obj, VoteSettings):
            return self.has_view_permission(request)
        return obj.study.status == obj.study.Status.DRAFT and access.may_edit(request.user, obj.study)
