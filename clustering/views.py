"""The results pages: progress and scores of a study, runs and what went into them."""

from __future__ import annotations

import csv
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from clustering import selectors, services
from clustering.forms import RunForm, initial_settings
from clustering.pages.runs import run_context
from clustering.pages.scores import SCORE_COLUMNS, score_rows, scores_context
from clustering.parameters import OVERTON
from clustering.reporting.selectors import reports_of
from core.canonical import canonical_json
from core.errors import DomainError, Invalid
from core.http import render_page
from core.models import Run
from studies.access import Role, study_for
from studies.models import Study
from studies.selectors import NavEntry, study_nav


@login_required
@require_safe
@never_cache
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores of the reported run, its questions, and the button that starts another run."""
    study = study_for(request.user, slug)
    return _results_page(request, study, RunForm(initial=initial_settings(study)))


def _results_page(request: HttpRequest, study: Study, form: RunForm, status: int = 200) -> HttpResponse:
    run = selectors.reported_run(study)
    context = {
        "study": study,
        "study_nav": nav(request, study, "results"),
        "form": form,
        "run": run,
        "unfinished": selectors.unfinished_run(study),
        "failed": selectors.failed_since(study, run),
        **(scores_context(study, run) if run else {}),
        "reports": reports_of(study, run, now=timezone.now()) if run else [],
    }
    return render(request, "clustering/results.html", context, status=status)


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a run; with settings that cannot be run, the page again with what is wrong."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    form = RunForm(request.POST)
    if not form.is_valid():
        return _results_page(request, study, form, status=422)
    try:
        services.start_scores(
            study=study, parameters=form.parameters(), seed=form.cleaned_data["seed"], by=request.user
        )
    except Invalid as problem:
        for name, texts in problem.fields.items():
            form.add_error(name if name in form.fields else None, texts)
        return _results_page(request, study, form, status=422)
    except DomainError as problem:
        messages.error(request, str(problem))
    return redirect("clustering:results", slug)


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """The progress of a run: a fragment that asks for itself until the run has ended, then leads to the results."""
    study = study_for(request.user, slug)
    run = run_of(study, run_id)
    context = {"study": study, "run": run, "unfinished": run if run.is_unfinished else None}
    response = render_page(request, "clustering/progress.html", context, partial="progress")
    if not run.is_unfinished:
        response["HX-Redirect"] = reverse("clustering:results", args=[slug])
    return response


@login_required
@require_safe
@never_cache
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """All runs of the study, newest first."""
    study = study_for(request.user, slug)
    context = {"study": study, "study_nav": nav(request, study, "runs"), "runs": selectors.latest_runs(study)}
    return render(request, "clustering/runs.html", context)


@login_required
@require_safe
@never_cache
def run(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """One run: what was computed, from what, with which settings."""
    study = study_for(request.user, slug)
    found = run_of(study, run_id)
    context = {"study": study, "study_nav": nav(request, study, "runs"), "run": found}
    return render(request, "clustering/run.html", context | run_context(study, found))


@login_required
@require_POST
def report(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """Make a run the one that pages and exports speak of."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    try:
        services.report_run(run=run_of(study, run_id), by=request.user)
        messages.success(request, _("This run is now the reported one."))
    except DomainError as problem:
        messages.error(request, str(problem))
    return redirect("clustering:run", slug, run_id)


@login_required
@require_safe
@never_cache
def result_json(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """The canonical result, byte for byte what the run's hash is of."""
    found = _finished(run_of(study_for(request.user, slug), run_id))
    response = HttpResponse(canonical_json(found.result), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="run-{found.public_id}.json"'
    return response


@login_required
@require_safe
@never_cache
def scores_csv(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """The OvertonScores of a run as a table."""
    found = _finished(run_of(study_for(request.user, slug), run_id))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="scores-{found.public_id}.csv"'
    writer = csv.writer(response, lineterminator="\n")
    writer.writerow(SCORE_COLUMNS)
    writer.writerows(score_rows(found))
    return response


def nav(request: HttpRequest, study: Study, name: str) -> list[NavEntry]:
    """The study's pages, with the page `name` of results as the current one."""
    return study_nav(study, request.user, reverse(f"clustering:{name}", args=[study.slug]))


def run_of(study: Study, run_id: Any) -> Run:
    """A run of scores of the study; 404 for any other."""
    try:
        public_id = UUID(str(run_id))
    except ValueError as problem:
        raise Http404 from problem
    found = Run.objects.filter(kind=OVERTON, subject_id=str(study.public_id), public_id=public_id).first()
    if found is None:
        raise Http404
    return found


def _finished(run: Run) -> Run:
    if run.status != Run.Status.FINISHED:
        raise Http404
    return run
