"""The parts of a study on its page in the admin: open in a draft, to be read once it is published."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from studies import access
from studies.admin_common import TYPED_TEXTS
from studies.admin_forms import FormItemForm, MembershipForm, MembershipFormSet, SourceForm
from studies.models import FormItem, Membership, Question, Source, Study


def may_edit_draft(request: HttpRequest, study: Model | None) -> bool:
    """Whether the definition may be changed: of a new study, or of a draft by its editors."""
    if not isinstance(study, Study):
        return access.may_create(request.user)
    return study.status == Study.Status.DRAFT and access.may(request.user, study, access.Role.EDITOR)


class DraftInline(admin.options.InlineModelAdmin):
    """A part of the definition."""

    extra = 0
    formfield_overrides = TYPED_TEXTS

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever sees the study."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors of a draft."""
        return may_edit_draft(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors of a draft."""
        return may_edit_draft(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Editors of a draft."""
        return may_edit_draft(request, obj)


class QuestionInline(DraftInline, admin.StackedInline):
    """The current questions."""

    model = Question
    fields = (("code", "domain", "position"), "text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Without what earlier versions asked."""
        rows: QuerySet[Question] = super().get_queryset(request)
        return rows.filter(is_current=True)


class SourceInline(DraftInline, admin.TabularInline):
    """The models whose answers are rated."""

    model = Source
    form = SourceForm
    fields = ("code", "name", "settings", "position")


class FormItemInline(DraftInline, admin.StackedInline):
    """The items of the form. A new study without any gets the usual ones."""

    model = FormItem
    form = FormItemForm
    fields = (("code", "kind", "position"), "label", "hint", "options", ("minimum", "maximum"))
    classes = ("collapse",)


class MembershipInline(admin.TabularInline):
    """The team; owners change it at any time."""

    model = Membership
    form = MembershipForm
    formset = MembershipFormSet
    fields = ("username", "role")
    extra = 0
    verbose_name_plural = _("team")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        """With the accounts' names."""
        rows: QuerySet[Membership] = super().get_queryset(request)
        return rows.select_related("user")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who only looks sees the account itself, not the field to name one."""
        return ("username", "role") if self.has_change_permission(request, obj) else ("user", "role")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever sees the study."""
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Owners."""
        if not isinstance(obj, Study):
            return access.may_create(request.user)
        return access.may(request.user, obj, access.Role.OWNER)

    has_add_permission = has_change_permission  # type: ignore[assignment]
    has_delete_permission = has_change_permission
