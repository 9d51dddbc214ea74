"""Runs in the admin: to look at. Nobody adds, changes or deletes what was computed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from core.models import Run
from voting.access import studies_of_team


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):
    """Runs of studies in whose team the account is; parts of a run belong to its page."""

    list_display = ("queued_at", "kind", "status", "seed", "progress_done", "progress_total", "is_reported")
    list_filter = ("kind", "status")
    date_hierarchy = "queued_at"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Keep to runs on studies of the account's teams; the result is large and has a page of its own."""
        keys = [str(key) for key in studies_of_team(request.user).values_list("public_id", flat=True)]
        return super().get_queryset(request).filter(subject_kind="study", subject_id__in=keys).defer("result")

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Leave the result to its download."""
        return ("result", "claim_token")

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Everybody of a team."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The role in a study decides; the query set has left only such rows."""
        return studies_of_team(request.user).exists()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: the results page queues runs."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False
