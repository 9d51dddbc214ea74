"""Exports: ask for one, see how far it is, download it."""

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
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Role, campaign_for
from annotation.models import Campaign
from annotation.selectors import archives, teams
from annotation.services import sharing
from annotation.team.forms import ExportForm
from annotation.team.pages import page
from core.errors import DomainError
from core.http import render_page


@require_safe
@never_cache
@login_required
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """The exports of the audit, and the button that starts another."""
    return _page(request, campaign_for(request.user, slug, needs=Role.ANALYST), ExportForm())


def _page(request: HttpRequest, campaign: Campaign, form: ExportForm, status: int = 200) -> HttpResponse:
    lines = archives.lines(campaign, request.user, now=timezone.now())
    context: dict[str, Any] = {
        "standing": teams.standing_of(campaign),
        "form": form,
        "lines": lines,
        "unfinished": next((line.run for line in lines if line.run.is_unfinished), None),
        "days": archives.KEPT.days,
    }
    return page(request, campaign, "exports.html", context, status=status)


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue an export."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    form = ExportForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    try:
        sharing.start(
            campaign=campaign,
            is_public=form.cleaned_data["scope"] == "public",
            formats=form.cleaned_data["formats"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as error:
        messages.error(request, str(error))
    return redirect("audits:exports", slug)


@require_safe
@never_cache
@login_required
def progress(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponse:
    """How far an export is: a fragment that asks for itself until it has ended, then leads to the page."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = get_object_or_404(archives.runs_of(campaign), public_id=run_id)
    context = {"campaign": campaign, "unfinished": run if run.is_unfinished else None}
    response = render_page(request, "annotation/team/exports_progress.html", context, partial="progress")
    if not run.is_unfinished:
        response["HX-Redirect"] = reverse("audits:exports", args=[slug])
    return response


@require_safe
@never_cache
@login_required
def download(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponseBase:
    """The archive of an export; who takes it is noted."""
    campaign = campaign_for(request.user, slug, needs=Role.ANALYST)
    run = get_object_or_404(archives.runs_of(campaign), public_id=run_id)
    try:
        name = sharing.take_archive(campaign=campaign, run=run, by=request.user, now=timezone.now())
        file: Any = default_storage.open(name)
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("audits:exports", slug)
    except FileNotFoundError:
        messages.error(request, _("The file is not there any more. Export anew."))
        return redirect("audits:exports", slug)
    return FileResponse(file, as_attachment=True, filename=name.rpartition("/")[2], content_type="application/zip")
