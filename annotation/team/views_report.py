"""Agreement: ask for a report, read it, take its files."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Role, campaign_for, may_see_hidden
from annotation.models import Campaign
from annotation.reporting import html
from annotation.reporting.sharing import FILES, file_of
from annotation.selectors import reports, teams
from annotation.services import agreeing
from annotation.team.pages import act, page
from core.http import render_page
from core.models import Run


@require_safe
@never_cache
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest report, the button that starts another, and the list of all."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    runs = list(reports.reports_of(campaign)[:20])
    latest = next((run for run in runs if _may_read(request.user, campaign, run)), None)
    return _page(request, campaign, runs, latest)


@require_safe
@never_cache
@login_required
def report_of_run(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponse:
    """One report."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = _readable(request.user, campaign, run_id)
    return _page(request, campaign, list(reports.reports_of(campaign)[:20]), run)


def _page(request: HttpRequest, campaign: Campaign, runs: list[Run], shown: Run | None) -> HttpResponse:
    context: dict[str, Any] = {
        "standing": teams.standing_of(campaign),
        "runs": runs,
        "unfinished": next((run for run in runs if run.is_unfinished), None),
        "shown": shown,
        "formats": sorted(FILES),
        "body": html.body(shown.result) if shown is not None and shown.result is not None else "",
    }
    return page(request, campaign, "report.html", context)


def _may_read(user: Any, campaign: Campaign, run: Run) -> bool:
    if reports.reason_against(run):
        return False
    return not run.parameters["hidden"] or may_see_hidden(user, campaign)


def _readable(user: Any, campaign: Campaign, run_id: UUID) -> Run:
    """The finished report, if the user may read it; else it is not there."""
    runs = reports.reports_of(campaign)
    allowed = [run.pk for run in runs.filter(public_id=run_id) if _may_read(user, campaign, run)]
    return get_object_or_404(runs, pk__in=allowed)


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for a report."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    return act(
        request, campaign, agreeing.start, _("The report is being computed."), "audits:report", campaign=campaign
    )


@require_safe
@never_cache
@login_required
def progress(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponse:
    """How far a report is: a fragment that asks for itself until it has ended, then leads to the page."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = get_object_or_404(reports.reports_of(campaign), public_id=run_id)
    context = {"campaign": campaign, "unfinished": run if run.is_unfinished else None}
    response = render_page(request, "annotation/team/report_progress.html", context, partial="progress")
    if not run.is_unfinished:
        response["HX-Redirect"] = reverse("audits:report", args=[slug])
    return response


@require_safe
@never_cache
@login_required
def file(request: HttpRequest, slug: str, run_id: UUID, form: str) -> HttpResponse:
    """The report as one file."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = _readable(request.user, campaign, run_id)
    content, media_type = file_of(run.result or {}, form)
    response = HttpResponse(content, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{campaign.slug}-agreement.{form}"'
    return response


@require_safe
@never_cache
@login_required
def archive(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponseBase:
    """All files of the report, the matrix and Parquet among them."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = _readable(request.user, campaign, run_id)
    try:
        content: Any = default_storage.open(reports.archive_name(run))
    except FileNotFoundError:
        messages.error(request, _("The file is not there any more. Report anew."))
        return redirect("audits:report", slug)
    name = f"{campaign.slug}-agreement.zip"
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/zip")
