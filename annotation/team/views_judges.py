"""Language models as raters: adding one, what asking it takes, asking it, answers from a file."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import access
from annotation.access import Role, campaign_for
from annotation.judging.planning import estimate
from annotation.models import Campaign, Rater
from annotation.selectors import teams
from annotation.selectors.judges import judge_lines
from annotation.services import importing, judging, raters
from annotation.team.forms import JudgeForm, TableForm
from annotation.team.pages import page
from core.endpoints import configured
from core.endpoints import names as endpoint_names
from core.errors import DomainError
from core.http import problem_table, render_page


@require_safe
@never_cache
@login_required
def judge_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The models, how far they are, and the forms that add one or its answers."""
    return _page(request, campaign_for(request.user, slug, needs=Role.OWNER))


def _page(request: HttpRequest, campaign: Campaign, *, status: int = 200, **more: Any) -> HttpResponse:
    standing = teams.standing_of(campaign)
    # What a model says is none of the business of people who judge themselves, until they are done.
    sees_answers = standing.lock is not None or not access.is_rater(request.user, campaign)
    context = {
        "standing": standing,
        "lines": judge_lines(campaign, standing.packet),
        "sees_answers": sees_answers,
        "has_endpoint": bool(endpoint_names()),
        "judge_form": JudgeForm(),
        "table_form": TableForm(),
    }
    return page(request, campaign, "judges.html", context | more, status=status)


@require_POST
@login_required
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a model judge as a rater of its own."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = JudgeForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, status=422, judge_form=form)
    values = form.cleaned_data
    try:
        rater = raters.add_judge(
            campaign=campaign,
            model=configured(values["endpoint"]).model,
            by=request.user,
            now=timezone.now(),
            **values,
        )
    except DomainError as error:
        form.add_error(None, str(error))
        return _page(request, campaign, status=422, judge_form=form)
    return redirect("audits:judge", slug, rater.public_id)


def _rater(campaign: Campaign, rater_id: UUID) -> Rater:
    return get_object_or_404(
        Rater.objects.select_related("judge"), campaign=campaign, public_id=rater_id, came_by=Rater.CameBy.ENDPOINT
    )


@require_safe
@never_cache
@login_required
def judge(request: HttpRequest, slug: str, rater_id: UUID) -> HttpResponse:
    """One model: how it is asked, what that will take, and the button that starts it."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    rater = _rater(campaign, rater_id)
    standing = teams.standing_of(campaign)
    context: dict[str, Any] = {"rater": rater, "standing": standing, "runs": _runs(campaign, rater)}
    if standing.stage == "judging" and standing.packet is not None:
        try:
            judging.refuse_another_model(rater.judge)
            context["estimate"] = estimate(rater, standing.packet)
        except DomainError as error:
            context["error"] = error
    context["unfinished"] = next((run for run in context["runs"] if run.is_unfinished), None)
    return page(request, campaign, "judge.html", context)


def _runs(campaign: Campaign, rater: Rater) -> list[Any]:
    return list(teams.runs_of(campaign, judging.KIND).filter(parameters__rater=rater.code)[:20])


@require_POST
@login_required
def start(request: HttpRequest, slug: str, rater_id: UUID) -> HttpResponse:
    """Ask the model about everything it has not judged."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    rater = _rater(campaign, rater_id)
    try:
        judging.start(campaign=campaign, rater=rater, by=request.user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
    return redirect("audits:judge", slug, rater_id)


@require_safe
@never_cache
@login_required
def progress(request: HttpRequest, slug: str, rater_id: UUID) -> HttpResponse:
    """How far the model is: a fragment that asks for itself until the run has ended."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    rater = _rater(campaign, rater_id)
    run = next(iter(_runs(campaign, rater)), None)
    is_under_way = run is not None and run.is_unfinished
    context = {"campaign": campaign, "rater": rater, "unfinished": run if is_under_way else None}
    response = render_page(request, "annotation/team/judge_progress.html", context, partial="progress")
    if not is_under_way:
        response["HX-Redirect"] = reverse("audits:judge", args=[slug, rater_id])
    return response


@require_POST
@login_required
def import_answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in answers that raters or models gave elsewhere, or show what that would do."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = TableForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, campaign, status=422, table_form=form)
    file = form.cleaned_data["file"]
    try:
        report = importing.import_judgements(
            campaign=campaign,
            source=file.read(),
            name=file.name,
            by=request.user,
            now=timezone.now(),
            dry_run=form.cleaned_data["dry_run"],
        )
    except DomainError as error:
        return _page(request, campaign, status=422, table_form=form, error=error, table=problem_table(error))
    if report.is_dry_run:
        return _page(request, campaign, table_form=form, report=report)
    messages.success(request, _("%(n)d answers were added.") % {"n": report.n_created})
    return redirect("audits:judges", slug)
