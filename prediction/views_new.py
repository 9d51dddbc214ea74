"""Models that nobody has rated: adding them, the leaderboard, and the shortlist that becomes a study."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.errors import DomainError
from core.http import problem_table
from prediction import pages, selectors, services
from prediction.forms import CandidatesForm, ShortlistForm
from prediction.views import nav
from studies.access import Role, may, study_for
from studies.models import Study


@login_required
@require_safe
@never_cache
def models(request: HttpRequest, slug: str) -> HttpResponse:
    """Measured models and predicted ones, clearly marked, with the forms to add and to choose."""
    return _page(request, study_for(request.user, slug))


def _page(request: HttpRequest, study: Study, *, status: int = 200, **more: Any) -> HttpResponse:
    report = selectors.latest_report(study)
    defaults = {"slug": f"{study.slug}-shortlist", "title": study.title}
    context = {
        "study": study,
        "study_nav": nav(request, study),
        "candidates": selectors.candidates_of(study),
        "is_closed": study.status == Study.Status.CLOSED,
        "may_edit": may(request.user, study, Role.EDITOR),
        "leaderboards": pages.leaderboards(report) if report else [],
        "report_run": report,
        "form": CandidatesForm(),
        "shortlist_form": ShortlistForm(study, initial=defaults),
    }
    return render(request, "prediction/models.html", context | more, status=status)


@login_required
@require_POST
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in a table of answers for prediction, or show what it would add."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    form = CandidatesForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, status=422, form=form)
    file = form.cleaned_data["file"]
    try:
        done = services.add_candidates(
            study=study,
            source=file.read(),
            name=file.name,
            by=request.user,
            now=timezone.now(),
            dry_run=form.cleaned_data["dry_run"],
        )
    except DomainError as error:
        return _page(request, study, status=422, form=form, error=error, table=problem_table(error))
    if done.is_dry_run:
        return _page(request, study, form=form, added=done)
    messages.success(request, _("%(n)d answers were added.") % {"n": done.n_new})
    return redirect("prediction:models", slug)


@login_required
@require_POST
def shortlist(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new draft with the chosen models, and go to it."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    form = ShortlistForm(study, request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            draft = services.shortlist_study(
                study=study,
                codes=values["models"],
                slug=values["slug"],
                title=values["title"],
                by=request.user,
                now=timezone.now(),
            )
        except DomainError as error:
            form.add_error("slug", str(error))
        else:
            messages.success(request, _("This is the new study: a draft with the chosen models, without any data."))
            return redirect("studies:study", draft.slug)
    return _page(request, study, status=422, shortlist_form=form)
