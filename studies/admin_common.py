"""What all pages of the admin share: everybody sees their own studies' rows, and of measured data only sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import BadRequest, ValidationError
from django.db import models
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from studies import access
from studies.admin_fields import TypedText
from studies.models import Study

TYPED_TEXTS: dict[Any, Any] = {models.TextField: {"form_class": TypedText, "widget": AdminTextareaWidget}}


#: What filters and the drill-down by date put behind the name of a column in the address of a list.
FILTER_LOOKUPS = frozenset({"", "exact", "isnull", "isempty"})
DATE_LOOKUPS = frozenset({"year", "month", "day", "gte", "lt"})


class ScopedAdmin(admin.ModelAdmin):
    """Rows of the studies in which the user has a role, reached over `study_path`; others do not exist."""

    study_path: ClassVar[str] = "study"
    list_per_page = 50
    show_full_result_count = False
    formfield_overrides = TYPED_TEXTS

    def studies(self, request: HttpRequest) -> QuerySet[Study]:
        """The studies whose rows the user sees here."""
        return access.team_studies(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only rows of those studies."""
        rows: QuerySet[Any] = super().get_queryset(request)
        if request.user.is_superuser:  # type: ignore[union-attr]
            return rows
        return rows.filter(**{f"{self.study_path}__in": self.studies(request)})

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Staff come in; what they see there is scoped."""
        return access.may_create(request.user)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever finds a row may see it."""
        return access.may_create(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is deleted here; withdrawal has its own action."""
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only what the filters beside the list ask.

        Django lets any column of the list's own table be asked, hidden ones too: who may not see a study's completion
        codes could spell them out by `?codes__complete__startswith=`.
        """
        name, _separator, how = lookup.partition("__")
        entries = [entry[0] if isinstance(entry, tuple) else entry for entry in self.get_list_filter(request)]
        names = {getattr(entry, "parameter_name", entry) for entry in entries}
        return (name in names and how in FILTER_LOOKUPS) or (name == self.date_hierarchy and how in DATE_LOOKUPS)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Do an action; what was chosen must be keys."""
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(key)  # type: ignore[union-attr]
        except ValidationError as error:
            raise BadRequest("A row was chosen by something that is no key.") from error
        return super().response_action(request, queryset, *args, **kwargs)

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """A row that is not there, or is not the user's, is 404 rather than a way back."""
        raise Http404


class RecordsAdmin(ScopedAdmin):
    """Measured data: for owners, editors and analysts to look at, never to add, change or delete."""

    def studies(self, request: HttpRequest) -> QuerySet[Study]:
        """Who may read data, not only the study's pages."""
        return access.readable_studies(request.user)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Measured by the walk alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Measured data stays as it was measured."""
        return False


class StudyFilter(admin.SimpleListFilter):
    """The user's studies, by slug; Django's own filter would name everybody's."""

    title = _("study")
    parameter_name = "study"
    path = "study"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterator[tuple[str, str]]:
        """Slug and title."""
        studies = Study.objects.all() if request.user.is_superuser else model_admin.studies(request)  # type: ignore[union-attr]
        yield from studies.order_by("title").values_list("slug", "title")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen study."""
        return queryset.filter(**{f"{self.path}__slug": self.value()}) if self.value() else queryset


def study_filter(path: str) -> type[StudyFilter]:
    """A filter by study for rows that reach it over `path`."""
    return type("StudyFilter", (StudyFilter,), {"path": path})
