"""What was measured, and what was done: to look at, never to change. Recruiters' ids need a permission of their own."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from core.models import AuditEvent, Run
from studies import access
from studies.admin_actions import confirm, do_each
from studies.admin_common import RecordsAdmin, study_filter
from studies.data.columns import IDENTITY_PERMISSION
from studies.data.withdrawal import withdraw_enrolment
from studies.models import (
    Answer,
    ConsentRecord,
    Enrolment,
    ExternalIdentity,
    FreeResponse,
    LateSubmission,
    PageView,
    Question,
    RepresentationRating,
    Slot,
    Step,
    StudyVersion,
    Tombstone,
)


@admin.register(Enrolment)
class EnrolmentAdmin(RecordsAdmin):
    """People by their public codes."""

    list_display = ("public_code", "study", "origin", "status", "recruiter", "started_at", "finished_at")
    list_filter = (study_filter("study"), "status", "origin", "recruiter")
    list_select_related = ("study",)
    search_fields = ("public_code",)
    date_hierarchy = "started_at"
    actions = ("withdraw",)
    exclude = ("token_sha256",)

    @admin.action(description=_("Withdraw: erase what they gave"))
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Enrolment]) -> HttpResponse | None:
        """Erase by each study's policy what the chosen people gave."""
        warning = _("What these people gave is erased by their study's policy. It cannot be brought back.")
        question = confirm(self, request, queryset, action="withdraw", warning=str(warning))
        if question is None:
            chosen = queryset.select_related("study")
            do_each(self, request, chosen, act=_withdraw, study_of=lambda enrolment: enrolment.study)
        return question


def _withdraw(enrolment: Enrolment, request: HttpRequest) -> Any:
    return withdraw_enrolment(enrolment=enrolment, by=request.user, now=timezone.now())


@admin.register(ExternalIdentity)
class ExternalIdentityAdmin(RecordsAdmin):
    """Recruiters' ids, apart from everything else."""

    list_display = ("external_id", "recruiter", "session_id", "enrolment", "study")
    list_filter = (study_filter("study"), "recruiter")
    list_select_related = ("enrolment", "study")
    search_fields = ("external_id", "session_id", "enrolment__public_code")

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Only with the permission."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only with the permission, and for one's own studies."""
        return access.may_create(request.user) and request.user.has_perm(IDENTITY_PERMISSION)


@admin.register(ConsentRecord)
class ConsentRecordAdmin(RecordsAdmin):
    """Decisions on the consent text."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "accepted", "decided_at", "language", "text_sha256")
    list_filter = (study_filter("enrolment__study"), "accepted")
    list_select_related = ("enrolment",)
    search_fields = ("enrolment__public_code",)


@admin.register(Slot)
class SlotAdmin(RecordsAdmin):
    """Reservations of questions."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "question", "number", "status", "policy", "reserved_at", "expires_at")
    list_filter = (study_filter("enrolment__study"), "status")
    list_select_related = ("enrolment", "question")
    search_fields = ("enrolment__public_code", "question__code")


@admin.register(Step)
class StepAdmin(RecordsAdmin):
    """The planned pages of a session."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "position", "kind", "question", "submitted_at")
    list_filter = (study_filter("enrolment__study"), "kind")
    list_select_related = ("enrolment", "question")
    search_fields = ("enrolment__public_code",)


@admin.register(PageView)
class PageViewAdmin(RecordsAdmin):
    """Displays of pages."""

    study_path = "step__enrolment__study"
    list_display = ("enrolment", "step", "shown_at", "layout")
    list_filter = (study_filter("step__enrolment__study"),)
    list_select_related = ("step__enrolment",)
    search_fields = ("step__enrolment__public_code",)

    @admin.display(description=_("enrolment"))
    def enrolment(self, view: PageView) -> str:
        """Whose page it was."""
        return view.step.enrolment.public_code


@admin.register(Answer)
class AnswerAdmin(RecordsAdmin):
    """Replies to the form."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "item_code", "value", "missing", "answered_at")
    list_filter = (study_filter("enrolment__study"), "missing")
    list_select_related = ("enrolment",)
    search_fields = ("enrolment__public_code", "item_code")

    @admin.display(description=_("value"))
    def value(self, answer: Answer) -> str:
        """Whichever column is filled."""
        if answer.value_choices is not None:
            return ", ".join(answer.value_choices)
        columns = (answer.value_choice, answer.value_integer, answer.value_text)
        return next((str(value) for value in columns if value is not None), "")


@admin.register(FreeResponse)
class FreeResponseAdmin(RecordsAdmin):
    """What people wrote."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "question", "beginning", "stance", "importance", "written_at")
    list_filter = (study_filter("enrolment__study"), "importance")
    list_select_related = ("enrolment", "question")
    search_fields = ("enrolment__public_code", "question__code", "text")

    @admin.display(description=_("text"))
    def beginning(self, response: FreeResponse) -> str:
        """The first words."""
        return Truncator(response.text).chars(80)


@admin.register(RepresentationRating)
class RepresentationRatingAdmin(RecordsAdmin):
    """How well people felt represented, with history."""

    study_path = "enrolment__study"
    list_display = ("enrolment", "answer", "value", "rank", "rated_at", "superseded_at")
    list_filter = (study_filter("enrolment__study"), "value")
    list_select_related = ("enrolment", "answer")
    search_fields = ("enrolment__public_code",)


@admin.register(LateSubmission)
class LateSubmissionAdmin(RecordsAdmin):
    """Posts that came too late and differed: kept, never analysed."""

    study_path = "step__enrolment__study"
    list_display = ("step", "received_at", "payload_sha256")
    list_filter = (study_filter("step__enrolment__study"),)
    list_select_related = ("step",)


@admin.register(Tombstone)
class TombstoneAdmin(RecordsAdmin):
    """What is left of who withdrew."""

    list_display = ("enrolment_public_id", "study", "withdrawn_at", "policy")
    list_filter = (study_filter("study"), "policy")
    list_select_related = ("study",)


@admin.register(StudyVersion)
class StudyVersionAdmin(RecordsAdmin):
    """Frozen definitions."""

    list_display = ("study", "number", "is_preview", "sha256", "published_at", "published_by", "reason")
    exclude = ("definition",)  # on the team's page, where completion codes are for those who edit
    list_filter = (study_filter("study"), "is_preview")
    list_select_related = ("study", "published_by")


class SoftScopedAdmin(RecordsAdmin):
    """Rows that name their study by its public id rather than by a key."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only rows about the user's studies."""
        rows: QuerySet[Any] = admin.ModelAdmin.get_queryset(self, request)
        return rows if request.user.is_superuser else self.of_studies(rows, self.studies(request))  # type: ignore[union-attr]

    def of_studies(self, rows: QuerySet[Any], studies: QuerySet[Any]) -> QuerySet[Any]:
        """The rows about `studies`."""
        raise NotImplementedError(f"{type(self).__name__} must define of_studies()")


@admin.register(AuditEvent)
class AuditEventAdmin(SoftScopedAdmin):
    """What the team did."""

    list_display = ("at", "event", "by_name", "subject_kind", "subject_id", "detail")
    list_filter = ("event",)
    search_fields = ("event", "by_name", "subject_id")
    date_hierarchy = "at"

    def of_studies(self, rows: QuerySet[Any], studies: QuerySet[Any]) -> QuerySet[Any]:
        """Events carry their study's public id."""
        return rows.filter(study_id__in=[str(public_id) for public_id in studies.values_list("public_id", flat=True)])


@admin.register(Run)
class RunAdmin(SoftScopedAdmin):
    """Computations."""

    list_display = (
        "kind",
        "subject_kind",
        "subject_id",
        "status",
        "attempt",
        "queued_at",
        "finished_at",
        "is_reported",
    )
    list_filter = ("kind", "status", "is_reported")
    search_fields = ("subject_id", "public_id")
    exclude = ("claim_token",)

    def of_studies(self, rows: QuerySet[Any], studies: QuerySet[Any]) -> QuerySet[Any]:
        """A run is about a study or one of its questions."""
        questions = Question.objects.filter(study__in=studies)
        ids = [*studies.values_list("public_id", flat=True), *questions.values_list("public_id", flat=True)]
        return rows.filter(subject_id__in=[str(public_id) for public_id in ids])
