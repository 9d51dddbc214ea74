"""Statements and votes in the admin: seeds to draft, statements to moderate, votes and exposures to look at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError
from studies import access
from studies import services as studies_services
from studies.admin_common import RecordsAdmin, ScopedAdmin, study_filter
from studies.admin_inlines import DraftInline
from studies.models import Question, Study
from voting import services
from voting.forms import SeedForm
from voting.models import Exposure, Statement, Vote, VoteBlock, VoteSettings

TALLIES = ("n_shown", "n_agree", "n_disagree", "n_neutral")
FIELDS = ("question", "code", "origin", "status", "text", "is_preview", "created_at", "approved_at", "removed_at")


@admin.register(Statement)
class StatementAdmin(ScopedAdmin):
    """Where seeds of drafts are written, and statements approved and rejected. All else is measured."""

    study_path = "question__study"
    form = SeedForm
    list_display = ("code", "question", "origin", "status", "beginning", *TALLIES)
    list_filter = ("status", "origin", study_filter("question__study"), "is_preview")
    list_select_related = ("question__study",)
    search_fields = ("code", "question__code", "text")
    ordering = ("-pk",)
    actions = ("approve", "reject", "remove")

    @admin.display(description=gettext_lazy("text"))
    def beginning(self, statement: Statement) -> str:
        """As much of the text as most statements have."""
        return Truncator(statement.text).chars(300)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """A new seed is question, code and text; what is there shows everything."""
        return ("question", "code", "text") if obj is None else (*FIELDS, *TALLIES)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Of a drafted seed the text can be changed, of all else nothing."""
        return () if obj is None else tuple(name for name in (*FIELDS, *TALLIES) if name != "text")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Who edits some draft adds seeds to it."""
        return _drafts(request).exists()

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Drafted seeds, by editors."""
        if not isinstance(obj, Statement):
            return access.may_create(request.user)
        is_drafted = obj.origin == Statement.Origin.SEED and obj.status == Statement.Status.PENDING
        return is_drafted and obj.question.is_current and _drafts(request).filter(pk=obj.question.study_id).exists()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Questions of drafts that the account may edit."""
        questions = Question.objects.filter(study__in=_drafts(request), is_current=True)
        kwargs["queryset"] = questions.select_related("study")
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field is not None:
            field.label_from_instance = lambda question: f"{question.study.slug}: {question.code}"
        return field

    def save_model(self, request: HttpRequest, obj: Statement, form: Any, change: bool) -> None:
        """Write the seed as every other way of drafting one does, and note it in the study's record."""
        now, study = timezone.now(), obj.question.study
        row = {"question": obj.question.code, "code": obj.code, "text": obj.text}
        services.load_seeds(study=study, rows=[row], now=now)
        obj.pk = Statement.objects.get(question=obj.question, code=obj.code).pk
        obj.refresh_from_db()
        event = "study.seed_edited" if change else "study.seed_added"
        studies_services.record(study, event, by=request.user, now=now, statement=str(obj.public_id))

    @admin.action(description=gettext_lazy("Approve: show from now on"))
    def approve(self, request: HttpRequest, queryset: QuerySet[Statement]) -> None:
        """Let the chosen statements in."""
        self._do(request, queryset, services.approve_statement, access.Role.MODERATOR)

    @admin.action(description=gettext_lazy("Reject: show no more"))
    def reject(self, request: HttpRequest, queryset: QuerySet[Statement]) -> None:
        """Take the chosen statements out."""
        self._do(request, queryset, services.reject_statement, access.Role.MODERATOR)

    @admin.action(description=gettext_lazy("Remove drafted seeds"))
    def remove(self, request: HttpRequest, queryset: QuerySet[Statement]) -> None:
        """Remove the chosen seeds that were not published."""
        self._do(request, queryset, services.remove_seed, access.Role.EDITOR)

    def _do(self, request: HttpRequest, queryset: QuerySet[Statement], act: Any, role: str) -> None:
        """Do it one by one: what is not possible is said, and the rest is done."""
        now, n_done = timezone.now(), 0
        for statement in queryset.select_related("question__study").order_by("pk"):
            if not access.may(request.user, statement.question.study, role):
                message = _("%(what)s: your role in this study does not allow this.") % {"what": statement}
                self.message_user(request, message, messages.ERROR)
                continue
            try:
                act(statement=statement, by=request.user, now=now)
            except DomainError as error:
                self.message_user(request, str(error), messages.ERROR)
            else:
                n_done += 1
        if n_done:
            message = ngettext("Done for %(n)d statement.", "Done for %(n)d statements.", n_done)
            self.message_user(request, message % {"n": n_done}, messages.SUCCESS)


@admin.register(Vote)
class VoteAdmin(RecordsAdmin):
    """Votes with their history."""

    study_path = "statement__question__study"
    list_display = ("enrolment", "statement", "value", "cast_at", "superseded_at")
    list_filter = (study_filter("statement__question__study"), "value", ("superseded_at", admin.EmptyFieldListFilter))
    list_select_related = ("enrolment", "statement")
    search_fields = ("enrolment__public_code", "statement__code")
    ordering = ("-pk",)


@admin.register(Exposure)
class ExposureAdmin(RecordsAdmin):
    """What was shown to whom."""

    study_path = "question__study"
    list_display = ("enrolment", "question", "statement", "rank", "policy", "n_eligible", "shown_at")
    list_filter = (study_filter("question__study"), "policy")
    list_select_related = ("enrolment", "statement", "question")
    search_fields = ("enrolment__public_code", "statement__code", "question__code")
    ordering = ("-pk",)


@admin.register(VoteBlock)
class VoteBlockAdmin(RecordsAdmin):
    """What was required of whom, and whether they went on."""

    study_path = "question__study"
    list_display = ("enrolment", "question", "minimum", "required", "n_cast", "opened_at", "closed_at")
    list_filter = (study_filter("question__study"), ("closed_at", admin.EmptyFieldListFilter))
    list_select_related = ("enrolment", "question")
    search_fields = ("enrolment__public_code", "question__code")
    ordering = ("-pk",)


class VoteSettingsInline(DraftInline, admin.StackedInline):
    """The vote block, on the study's page."""

    model = VoteSettings
    fields = (("minimum", "policy", "mix", "moderation"),)
    can_delete = False


def _drafts(request: HttpRequest) -> QuerySet[Study]:
    return access.editable_studies(request.user).filter(status=Study.Status.DRAFT)
