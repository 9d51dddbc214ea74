"""A study in the admin: written as a draft, read once published, and its life cycle as actions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import registry
from studies import access, services
from studies.admin_actions import STUDY_ACTIONS
from studies.admin_common import ScopedAdmin
from studies.admin_forms import MembershipFormSet, StudyForm
from studies.admin_inlines import FormItemInline, MembershipInline, QuestionInline, SourceInline, may_edit_draft
from studies.data.columns import IDENTITY_PERMISSION
from studies.models import Study

OWN_INLINES = (QuestionInline, SourceInline, FormItemInline)
ALWAYS_READ = ("page", "status", "current_version", "created_at", "created_by")
FIELDSETS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (None, {"fields": ("title", "slug", "page", "status", "language", "time_zone")}),
    (
        gettext_lazy("What participants are told"),
        {"fields": ("summary", "contact", "consent_text", "debrief_text", "withdrawal_policy")},
    ),
    (gettext_lazy("Ethics"), {"fields": ("ethics_body", "ethics_protocol")}),
    (gettext_lazy("Pay"), {"fields": (("pay_amount", "pay_currency", "pay_minutes"),)}),
    (
        gettext_lazy("Recruitment"),
        {"fields": (("allows_open_link", "allows_prolific"), "places", "session_minutes", "codes")},
    ),
    (
        gettext_lazy("The session"),
        {"fields": ("blocks", ("questions_each", "assignment_policy", "slot_minutes"))},
    ),
    (
        gettext_lazy("Writing"),
        {"fields": (("write_minimum", "write_maximum"), "stance_options", ("importance_low", "importance_high"))},
    ),
    (gettext_lazy("Rating"), {"fields": ("rate_instructions", ("rate_low", "rate_high"))}),
    (
        gettext_lazy("Bookkeeping"),
        {"classes": ("collapse",), "fields": ("seed", "current_version", "created_at", "created_by")},
    ),
)


def _sees_codes(request: HttpRequest, study: Study | None) -> bool:
    return study is None or access.may(request.user, study, access.Role.EDITOR)


@admin.register(Study)
class StudyAdmin(ScopedAdmin):
    """Drafts are saved by this form; everything else that happens to a study goes through a service."""

    study_path = "pk"
    form = StudyForm
    fieldsets = FIELDSETS
    list_display = ("title", "slug", "status", "page", "created_at")
    list_filter = ("status",)
    search_fields = ("title", "slug")
    actions = STUDY_ACTIONS

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Study | None:
        """The study, locked while it is saved: otherwise a draft could be written over what was just published."""
        study: Study | None = super().get_object(request, object_id, from_field)
        # The history, which is also asked for the study, writes nothing and has no transaction to lock in.
        if study is not None and request.method == "POST" and connection.in_atomic_block:
            services.lock(study)
        return study

    def get_fieldsets(self, request: HttpRequest, obj: Study | None = None) -> Any:
        """The same, without completion codes for those who do not edit; a draft with the state that was seen."""
        if obj is not None and may_edit_draft(request, obj):
            return (*FIELDSETS, (None, {"fields": ("seen",)}))
        if _sees_codes(request, obj):
            return FIELDSETS
        return [
            (title, {**part, "fields": [name for name in part["fields"] if name != "codes"]})
            for title, part in FIELDSETS
        ]

    def get_inlines(self, request: HttpRequest, obj: Study | None) -> list[Any]:
        """Our own parts, those of other apps, and the team."""
        others = [inline for module in registry.modules() for inline in module.admin_inlines()]
        return [*OWN_INLINES, *others, MembershipInline]

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> tuple[str, ...]:
        """Of a published study everything: it is frozen."""
        if may_edit_draft(request, obj):
            return ALWAYS_READ
        fields = [name for _title, part in FIELDSETS for name in part["fields"]]
        flat = [name for entry in fields for name in ([entry] if isinstance(entry, str) else entry)]
        return tuple(dict.fromkeys([*flat, *ALWAYS_READ]))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Staff create studies, and own them."""
        return access.may_create(request.user)

    def has_identify_permission(self, request: HttpRequest) -> bool:
        """Who may see recruiters' ids may delete them, in studies that they own."""
        return request.user.has_perm(IDENTITY_PERMISSION)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors change a draft; owners of a published study its team."""
        if not isinstance(obj, Study):
            return access.may_create(request.user)
        return may_edit_draft(request, obj) or access.may(request.user, obj, access.Role.OWNER)

    @admin.display(description=gettext_lazy("team's page"))
    def page(self, study: Study) -> str:
        """The way to links, progress and results."""
        if study.pk is None:
            return "-"
        return format_html('<a href="{}">{}</a>', reverse("studies:study", args=[study.slug]), _("go there"))

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Note who created it."""
        if not change:
            obj.created_by = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save a part; the team by its services."""
        if isinstance(formset, MembershipFormSet):
            formset.write(by=request.user, now=timezone.now())
        else:
            super().save_formset(request, form, formset, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save the parts; a new study gets its owner, and the usual form if none was written."""
        super().save_related(request, form, formsets, change)
        study: Study = form.instance
        if not change:
            services.furnish(study=study, by=request.user)
        changed = sorted({*form.changed_data, *(each.prefix for each in formsets if each.has_changed())})
        event = "study.edited" if change else "study.created"
        services.record(study, event, by=request.user, now=timezone.now(), changed=changed)
