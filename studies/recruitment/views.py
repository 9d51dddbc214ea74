"""The start page, the start, and the personal link."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from core.access import public
from core.http import render_page
from studies.access_participant import in_study_language
from studies.models import Enrolment, Study, StudyVersion
from studies.recruitment.arrival import OPEN, Arrival, parse_arrival
from studies.recruitment.selectors import is_coming_back, session_here
from studies.recruitment.services import Started, StartOutcome, reopen, start_session
from studies.session.blocks import Definition
from studies.session.outcomes import full_outcome
from studies.session.pages import plain_page, where
from studies.session.selectors import Plan, frozen
from studies.session.tokens import BadLink, is_simulated, read_resume_token, session_key, set_session_cookie


@require_safe
@public("the start page of a published study; opening it changes nothing")
@in_study_language
def landing(request: HttpRequest, study: Study, version: StudyVersion) -> HttpResponse:
    """Say what the study is and offer to start; whoever has a session in this browser goes to its page."""
    arrival = parse_arrival(request.GET, version.definition)
    is_broken = arrival.problem and arrival.recruiter != OPEN  # a link without any id says nothing of who comes
    here = None if is_broken else session_here(study, arrival, session_key(request))
    if here is not None and (here.is_active or here.origin != Enrolment.Origin.PREVIEW):
        return HttpResponseRedirect(reverse("participant:page", args=[study.slug]))
    if arrival.problem:
        return problem_page(request, version.definition, arrival.problem, status=400)
    resuming = is_coming_back(study, arrival)
    if study.status != Study.Status.OPEN and not resuming:
        return closed_page(request, version.definition)
    if not arrival.is_identified:
        arrival = replace(arrival, start_key=secrets.token_hex(16))
    return _landing(request, version.definition, hidden=arrival.hidden(), resuming=resuming)


@require_http_methods(["GET", "POST"])
@public("enrols whoever presses Start on the start page of an open study")
@in_study_language
def start(request: HttpRequest, study: Study, version: StudyVersion) -> HttpResponse:
    """Enrol the person, or open the session that is theirs, and go to its page."""
    if request.method == "GET":
        query = request.GET.urlencode()
        return HttpResponseRedirect(reverse("participant:landing", args=[study.slug]) + (f"?{query}" if query else ""))
    arrival = parse_arrival(request.POST, version.definition)
    if arrival.problem:
        return problem_page(request, version.definition, arrival.problem, status=400)
    try:
        simulated = is_simulated(request.POST.get("simulated", ""), slug=study.slug)
    except BadLink as error:
        return problem_page(request, version.definition, str(error), status=error.http_status)
    started = start_session(
        study=study,
        arrival=arrival,
        now=timezone.now(),
        origin=Enrolment.Origin.SIMULATED if simulated else Enrolment.Origin.LIVE,
        key=session_key(request),
    )
    return _after_start(request, study, version.definition, arrival, started)


@require_http_methods(["GET", "POST"])
@public("the signed link is the key")
@in_study_language
def resume(request: HttpRequest, study: Study, version: StudyVersion, token: str) -> HttpResponse:
    """Show where the session of a personal link is; the button opens it in this browser."""
    try:
        public_id = read_resume_token(token, now=timezone.now())
    except BadLink as error:
        return problem_page(request, version.definition, str(error), status=error.http_status)
    if request.method == "POST":
        started = reopen(public_id=public_id, slug=study.slug)
        if started.may_walk:
            return to_session(study.slug, started.token)
    enrolment = study.enrolments.filter(public_id=public_id).first()
    if enrolment is None or enrolment.version_id is None:
        return problem_page(request, version.definition, str(BadLink.default_message), status=403)
    return _resume_page(request, enrolment, version.definition)


def to_session(slug: str, token: str) -> HttpResponse:
    """Send the browser to the session's page with the cookie that opens it."""
    response = see_other(reverse("participant:page", args=[slug]))
    set_session_cookie(response, slug=slug, token=token)
    return response


def see_other(address: str) -> HttpResponse:
    """The answer to a post that says where to look next, by GET."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def problem_page(request: HttpRequest, definition: Definition, problem: str, *, status: int) -> HttpResponse:
    """Say what is wrong with a link or a session, and whom to ask."""
    return _landing(request, definition, problem=problem, status=status)


def closed_page(request: HttpRequest, definition: Definition) -> HttpResponse:
    """Say that the study does not take anybody in."""
    context = plain_page(definition, "closed", _("This study is not open"))
    return render_page(request, "studies/session/closed.html", context, partial="main")


def _landing(
    request: HttpRequest,
    definition: Definition,
    *,
    hidden: list[tuple[str, str]] | None = None,
    resuming: bool = False,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    start_url = reverse("participant:start", args=[definition["slug"]])
    context: dict[str, Any] = plain_page(
        definition,
        "problem" if problem else "landing",
        definition["title"],
        start_url=start_url,
        hidden=hidden or [],
        resuming=resuming,
        problem=problem,
    )
    context["study"] |= {name: definition.get(name) or None for name in ("summary", "pay", "ethics")}
    return render_page(request, "studies/session/landing.html", context, partial="main", status=status)


def _after_start(
    request: HttpRequest, study: Study, definition: Definition, arrival: Arrival, started: Started
) -> HttpResponse:
    if started.may_walk:
        return to_session(study.slug, started.token)
    if started.outcome is StartOutcome.NOT_OPEN:
        return closed_page(request, definition)
    if started.outcome is StartOutcome.FULL:
        outcome = full_outcome(arrival.recruiter, definition)
        context = plain_page(definition, "full", outcome.title, outcome=outcome)
        return render_page(request, "studies/session/full.html", context, partial="main", status=409)
    context = plain_page(definition, "already", _("This session was started elsewhere"))
    return render_page(request, "studies/session/already.html", context, partial="main", status=409)


def _resume_page(request: HttpRequest, enrolment: Enrolment, definition: Definition) -> HttpResponse:
    plan = Plan(enrolment, frozen(enrolment.version_id or 0))
    step = plan.at(enrolment.position) if enrolment.is_active else None
    context = plain_page(definition, "resume", _("Welcome back"), where=where(plan, step), resume_post_url=request.path)
    return render_page(request, "studies/session/resume.html", context, partial="main")
