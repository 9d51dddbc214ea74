"""Figures and reports as files: the numbers at once, drawings and reports by the worker."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from clustering.models import RunFigure
from clustering.reporting import selectors, services
from clustering.showing.about import about
from clustering.showing.tables import as_csv
from clustering.views import nav, run_of
from core.errors import DomainError
from core.http import render_page
from core.models import Run
from studies.access import Role, study_for
from studies.models import Question, Study


@login_required
@require_safe
@never_cache
def figure_csv(request: HttpRequest, slug: str, run_id: UUID, name: str) -> HttpResponse:
    """The numbers of a figure, unrounded."""
    study = study_for(request.user, slug)
    row = _figure(study, run_id, name)
    if not row.table:
        raise Http404
    response = HttpResponse(as_csv(row.table), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{name}.csv"'
    return response


@login_required
@require_POST
def figure(request: HttpRequest, slug: str, run_id: UUID, name: str) -> HttpResponse:
    """Ask for a drawing in a format, and go to where it appears."""
    study = study_for(request.user, slug)
    row = _figure(study, run_id, name)
    try:
        made = services.start_figure(
            study=study, row=row, form=request.POST.get("format", ""), by=request.user, now=timezone.now()
        )
    except DomainError as problem:
        messages.error(request, str(problem))
        return redirect(_page_of(study, row.run))
    return redirect("clustering:file", slug, made.public_id)


@login_required
@require_POST
def report_file(request: HttpRequest, slug: str, run_id: UUID) -> HttpResponse:
    """Ask for the report about a run, and go to where it appears."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    run = run_of(study, run_id)
    try:
        made = services.start_report(
            study=study, run=run, audience=request.POST.get("audience", ""), by=request.user, now=timezone.now()
        )
    except DomainError as problem:
        messages.error(request, str(problem))
        return redirect("clustering:run", slug, run_id)
    return redirect("clustering:file", slug, made.public_id)


@login_required
@require_safe
@never_cache
def file(request: HttpRequest, slug: str, file_id: UUID) -> HttpResponse:
    """How far a file is, then the file; with htmx only the part that changes."""
    study = study_for(request.user, slug)
    made = _file_run(study, file_id)
    about_run = selectors.result_run(study, UUID(made.parameters["run"]))
    context = {
        "study": study,
        "study_nav": nav(request, study, "results"),
        "line": selectors.file_line(made, now=timezone.now()),
        "run": made,
        "title": _title(made),
        "back": _page_of(study, about_run) if about_run else reverse("clustering:results", args=[slug]),
    }
    return render_page(request, "clustering/file.html", context, partial="state")


@login_required
@require_safe
@never_cache
def file_download(request: HttpRequest, slug: str, file_id: UUID) -> HttpResponseBase:
    """The file; who takes it is noted."""
    study = study_for(request.user, slug)
    made = _file_run(study, file_id)
    try:
        name = services.take_file(study=study, run=made, by=request.user, now=timezone.now())
        content: Any = default_storage.open(name)
    except DomainError as problem:
        messages.error(request, str(problem))
        return redirect("clustering:file", slug, file_id)
    except FileNotFoundError:
        messages.error(request, _("The file is not there any more. Make it anew."))
        return redirect("clustering:file", slug, file_id)
    short = name.rpartition("/")[2]
    media_type = selectors.MEDIA_TYPES[short.rpartition(".")[2]]
    return FileResponse(content, as_attachment=True, filename=short, content_type=media_type)


def _figure(study: Study, run_id: UUID, name: str) -> RunFigure:
    row = selectors.figure_row(study, run_id, name)
    if row is None:
        raise Http404
    return row


def _file_run(study: Study, file_id: UUID) -> Run:
    """A report is for analysts alone to make, but whoever is of the team may read it."""
    made: Run | None = selectors.file_runs(study).filter(public_id=file_id).first()
    if made is None:
        raise Http404
    return made


def _title(made: Run) -> str:
    if made.kind == selectors.REPORT:
        return _("Report")
    name = about(made.parameters["figure"]).title
    return _("%(figure)s as %(format)s") % {"figure": name, "format": made.parameters["format"].upper()}


def _page_of(study: Study, run: Run) -> str:
    """The page that shows the figures of a run."""
    if run.parent_id is None:
        return reverse("clustering:results", args=[study.slug])
    code = Question.objects.filter(public_id=run.subject_id).values_list("code", flat=True).first()
    return (
        reverse("clustering:question", args=[study.slug, code])
        if code
        else reverse("clustering:results", args=[study.slug])
    )
