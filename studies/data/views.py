"""The team's page of exports: ask for one, see how far it is, download it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from core.errors import DomainError
from core.http import render_page
from core.models import Run
from studies import selectors as study_selectors
from studies.access import Role, study_for
from studies.data import selectors, services
from studies.data.forms import ExportForm
from studies.models import Study


@require_GET
@never_cache
@login_required
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """The exports of a study, and the button that starts another."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    return _page(request, study, ExportForm(user=request.user))


def _page(request: HttpRequest, study: Study, form: ExportForm, status: int = 200) -> HttpResponse:
    address = reverse("studies:exports", args=[study.slug])
    context = {
        "study": study,
        "study_nav": study_selectors.study_nav(study, request.user, address),
        "form": form,
        "unfinished": selectors.unfinished_export(study),
        "lines": selectors.export_lines(study, request.user, now=timezone.now()),
        "days": selectors.KEPT.days,
    }
    return render(request, "studies/exports.html", context, status=status)


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue an export; with a choice that cannot be, the page again with what is wrong."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    form = ExportForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    try:
        services.start_export(study=study, by=request.user, now=timezone.now(), **form.cleaned_data)
    except DomainError as error:
        messages.error(request, str(error))
    return redirect("studies:exports", slug)


@require_GET
@never_cache
@login_required
def progress(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponse:
    """How far an export is: a fragment that asks for itself until it has ended, then leads to the page."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    run = _run_of(study, run_id)
    context = {"study": study, "unfinished": run if run.is_unfinished else None}
    response = render_page(request, "studies/exports_progress.html", context, partial="progress")
    if not run.is_unfinished:
        response["HX-Redirect"] = reverse("studies:exports", args=[slug])
    return response


@require_GET
@never_cache
@login_required
def download(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponseBase:
    """The archive of an export; who takes it is noted."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    run = _run_of(study, run_id)
    try:
        name = services.take_archive(study=study, run=run, by=request.user, now=timezone.now())
        file: Any = default_storage.open(name)
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("studies:exports", slug)
    except FileNotFoundError:
        messages.error(request, _("The file is not there any more. Export anew."))
        return redirect("studies:exports", slug)
    return FileResponse(file, as_attachment=True, filename=name.rpartition("/")[2], content_type="application/zip")


def _run_of(study: Study, run_id: UUID) -> Run:
    run: Run = get_object_or_404(selectors.export_runs(study), public_id=run_id)
    return run
