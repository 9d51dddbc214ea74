"""Small helpers between a view and its answer."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from core.errors import BadInput


class HtmxRequest(HttpRequest):
    """A request that went through django-htmx's middleware."""

    htmx: HtmxDetails


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page; after a history restore it needs the whole page."""
    htmx = cast("HtmxRequest", request).htmx
    return bool(htmx) and not htmx.history_restore_request


def render_page(
    request: HttpRequest, template: str, context: dict[str, Any], *, partial: str, status: int = 200
) -> HttpResponse:
    """The page, or only its partial if htmx asks; never kept by a cache, since Back would show a bare fragment."""
    name = f"{template}#{partial}" if wants_fragment(request) else template
    response = render(request, name, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


def problem_table(error: Exception | None) -> dict[str, Any] | None:
    """The problems of an input as a table by line and column; None if `error` is of another kind."""
    if not isinstance(error, BadInput):
        return None
    labels = (_("File"), _("Line"), _("Column"), _("Name"), _("Problem"), _("What to do"))
    in_order = sorted(error.problems, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0))
    rows = [[each.file, each.line or "", each.column or "", each.name, each.message, each.remedy] for each in in_order]
    return {"columns": [{"label": label} for label in labels], "rows": rows}
