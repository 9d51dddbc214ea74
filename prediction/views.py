"""Predictions of a study: what there is, what a run would cost, its progress and results."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.canonical import canonical_json
from core.endpoints import names as endpoint_names
from core.errors import DomainError
from core.http import problem_table, render_page
from core.models import Run
from prediction import pages, selectors, services
from prediction.forms import AskingForm, FileForm, ReportForm, asking_defaults, report_defaults
from prediction.judging.planning import estimate
from prediction.parameters import Asking, Method
from studies.access import Role, study_for
from studies.models import Study
from studies.selectors import study_nav


@login_required
@require_safe
@never_cache
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Batches, runs, the latest report, and the forms that start something."""
    return overview_page(request, study_for(request.user, slug))


def overview_page(request: HttpRequest, study: Study, *, status: int = 200, **more: Any) -> HttpResponse:
    """The page, with a form that was not right, an estimate or an import if there is one."""
    report = selectors.latest_report(study)
    context = {
        "study": study,
        "study_nav": nav(request, study),
        "batches": selectors.batch_lines(study),
        "runs": selectors.runs_of(study),
        "unfinished": selectors.unfinished_run(study),
        "report_run": report,
        "has_judge": bool(endpoint_names()),
        "form": AskingForm(initial=asking_defaults(study)),
        "file_form": FileForm(),
        "report_form": ReportForm(study, initial=report_defaults(study)),
        **(pages.report_context(study, report) if report else {}),
    }
    return render(request, "prediction/overview.html", context | more, status=status)


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what a judge would cost; with `confirmed`, or for a baseline, queue the run."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    form = AskingForm(request.POST)
    if not form.is_valid():
        return overview_page(request, study, status=422, form=form)
    asking = form.settings()
    try:
        if asking.method == Method.JUDGE and "confirmed" not in request.POST:
            return _estimate_page(request, study, form, asking)
        run = services.start_predictions(study=study, asking=asking, by=request.user)
    except DomainError as problem:
        messages.error(request, str(problem))
        return redirect("prediction:overview", slug)
    return redirect("prediction:run", slug, run.public_id)


def _estimate_page(request: HttpRequest, study: Study, form: AskingForm, asking: Asking) -> HttpResponse:
    found = estimate(study, asking, reply_tokens=form.cleaned_data["reply_tokens"])
    context = {
        "study": study,
        "study_nav": nav(request, study),
        "estimate": found,
        "asking": asking,
        "posted": [(name, value) for name in form.fields for value in request.POST.getlist(name)],
    }
    return render(request, "prediction/estimate.html", context)


@login_required
@require_POST
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in a table of predictions, or show what it would add."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return overview_page(request, study, status=422, file_form=form)
    file = form.cleaned_data["file"]
    try:
        done = services.import_predictions(
            study=study,
            source=file.read(),
            name=file.name,
            method=form.cleaned_data["method"],
            by=request.user,
            now=timezone.now(),
            dry_run=form.cleaned_data["dry_run"],
        )
    except DomainError as error:
        return overview_page(request, study, status=422, file_form=form, error=error, table=problem_table(error))
    if done.is_dry_run:
        return overview_page(request, study, file_form=form, imported=done)
    messages.success(request, _("%(n)d predictions were added.") % {"n": done.n_new})
    return redirect("prediction:overview", slug)


@login_required
@require_POST
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a report on the chosen batches."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    form = ReportForm(study, request.POST)
    if not form.is_valid():
        return overview_page(request, study, status=422, report_form=form)
    run = services.start_report(study=study, reporting=form.settings(), seed=form.cleaned_data["seed"], by=request.user)
    return redirect("prediction:run", slug, run.public_id)


@login_required
@require_safe
@never_cache
def run(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """One run: its progress, then its result, and what went into it."""
    study = study_for(request.user, slug)
    found = run_or_404(study, run_id)
    context = {
        "study": study,
        "study_nav": nav(request, study),
        "run": found,
        "unfinished": found if found.is_unfinished else None,
        **pages.run_context(study, found),
    }
    return render(request, "prediction/run.html", context)


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """The progress of a run: a fragment that asks for itself until the run has ended, then leads to its page."""
    study = study_for(request.user, slug)
    found = run_or_404(study, run_id)
    context = {"study": study, "run": found, "unfinished": found if found.is_unfinished else None}
    response = render_page(request, "prediction/progress.html", context, partial="progress")
    if not found.is_unfinished:
        response["HX-Redirect"] = reverse("prediction:run", args=[slug, run_id])
    return response


@login_required
@require_safe
@never_cache
def result_json(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """The canonical result, byte for byte what the run's hash is of."""
    found = run_or_404(study_for(request.user, slug), run_id)
    if found.status != Run.Status.FINISHED:
        raise Http404
    response = HttpResponse(canonical_json(found.result), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="run-{found.public_id}.json"'
    return response


def nav(request: HttpRequest, study: Study) -> Any:
    """The bar above the pages of the study."""
    return study_nav(study, request.user, reverse("prediction:overview", args=[study.slug]))


def run_or_404(study: Study, run_id: Any) -> Run:
    """A run of predictions of this study."""
    found = selectors.run_of(study, run_id)
    if found is None:
        raise Http404
    return found
