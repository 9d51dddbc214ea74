"""Generated seeds of a draft study: start, watch, and decide on each."""

from __future__ import annotations

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

from core.endpoints import names
from core.errors import DomainError
from core.http import render_page
from studies.access import Role, study_for
from studies.models import Study
from studies.selectors import study_nav
from voting.seeding import selectors, services
from voting.seeding.forms import DecisionForm, SeedingForm
from voting.seeding.planning import estimate, planned


@login_required
@require_safe
@never_cache
def seeds(request: HttpRequest, slug: str) -> HttpResponse:
    """What was generated, and the form that asks for more."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    return _page(request, study, SeedingForm(study, request.user))


def _page(request: HttpRequest, study: Study, form: SeedingForm, *, status: int = 200, **more: Any) -> HttpResponse:
    last = selectors.last_run(study)
    context = {
        "study": study,
        "study_nav": study_nav(study, request.user, reverse("seeding:seeds", args=[study.slug])),
        "form": form,
        "has_endpoint": bool(names()),
        "is_draft": study.status == Study.Status.DRAFT,
        "questions": selectors.drafts_by_question(study),
        "unfinished": selectors.unfinished_run(study),
        "failed": last if last is not None and last.status == last.Status.FAILED else None,
    }
    return render(request, "voting/seeds.html", context | more, status=status)


@login_required
@require_POST
@never_cache
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Say how many calls it takes and what they cost; with `confirmed`, start."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    form = SeedingForm(study, request.user, request.POST)
    if not form.is_valid():
        return _page(request, study, form, status=422)
    seeding, seed = form.settings(), form.cleaned_data["seed"]
    try:
        if "confirmed" not in request.POST:
            found = estimate(planned(study, seeding, seed), seeding)
            posted = [(name, value) for name in form.fields for value in request.POST.getlist(name)]
            return _page(request, study, form, estimate=found, posted=posted)
        services.start_seeding(study=study, seeding=seeding, seed=seed, by=request.user, now=timezone.now())
    except DomainError as problem:
        messages.error(request, str(problem))
    return redirect("seeding:seeds", slug)


@login_required
@require_safe
@never_cache
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """A fragment that asks for itself until the generation has ended, then leads to what came of it."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    unfinished = selectors.unfinished_run(study)
    context = {"study": study, "unfinished": unfinished}
    response = render_page(request, "voting/seeds_progress.html", context, partial="progress")
    if unfinished is None:
        response["HX-Redirect"] = reverse("seeding:seeds", args=[slug])
    return response


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, draft_id: UUID) -> HttpResponse:
    """Make a generated text a seed, as edited, or put it aside."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    draft = selectors.draft_of(study, draft_id)
    if draft is None:
        raise Http404
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, study, SeedingForm(study, request.user), status=422)
    try:
        if form.cleaned_data["act"] == "approve":
            services.approve_draft(draft=draft, text=form.cleaned_data["text"], by=request.user, now=timezone.now())
            messages.success(request, _("This is now a seed of the study."))
        else:
            services.reject_draft(draft=draft, by=request.user, now=timezone.now())
            messages.success(request, _("Put aside."))
    except DomainError as problem:
        messages.error(request, str(problem))
    return redirect(f"{reverse('seeding:seeds', args=[slug])}#q-{draft.question.code}")
