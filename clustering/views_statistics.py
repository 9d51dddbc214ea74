"""The page of every statistic of the scores, and the start of those over participants drawn anew."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from clustering import selectors, services
from clustering.pages.runs import origin_notes
from clustering.pages.statistics import statistics_context
from clustering.parameters import Parameters, Resampling
from clustering.views import nav, run_of
from core.errors import DomainError
from core.models import Run
from studies.access import Role, may, study_for


@login_required
@require_safe
@never_cache
def statistics(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """Every statistic of the scores of a run."""
    study = study_for(request.user, slug)
    found = run_of(study, run_id)
    if found.status != Run.Status.FINISHED:
        raise Http404
    context = {
        "study": study,
        "study_nav": nav(request, study, "results"),
        "run": found,
        "sections": statistics_context(study, found),
        "drawing": selectors.unfinished_viewpoints(study),
        "may_draw": may(request.user, study, Role.ANALYST),
        **origin_notes(study, found),
    }
    return render(request, "clustering/statistics.html", context)


@login_required
@require_POST
def draw(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """Queue the draws; the page of statistics shows them when they are done."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    run = run_of(study, run_id)
    try:
        resampling = Resampling(Parameters.from_dict(run.parameters))
        services.start_viewpoints(study=study, resampling=resampling, seed=run.seed, by=request.user)
        messages.success(request, _("People are being drawn anew. This page shows the result when it is there."))
    except DomainError as problem:
        messages.error(request, str(problem))
    return redirect("clustering:statistics", slug, run_id)
