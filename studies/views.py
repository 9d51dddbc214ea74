"""The team's pages of a study: what there is, what lacks, how far it is, and the buttons of its life cycle."""

from __future__ import annotations

from collections.abc import Callable
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
from studies import selectors, services
from studies.access import Role, may, study_for
from studies.definition import problems
from studies.forms import CloneForm, DefinitionForm
from studies.models import Study
from studies.recruitment.views import to_session


@require_safe
@never_cache
@login_required
def study_list(request: HttpRequest) -> HttpResponse:
    """The studies of whoever is logged in."""
    context = {"studies": selectors.study_list(request.user), "form": DefinitionForm()}
    return render(request, "studies/list.html", context)


@require_safe
@never_cache
@login_required
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """One study."""
    return study_page(request, study_for(request.user, slug))


def study_page(request: HttpRequest, study: Study, *, clone_form: Any = None, status: int = 200) -> HttpResponse:
    """The page of a study, with a form that was not right if there is one."""
    is_draft = study.status == Study.Status.DRAFT
    context = {
        "study": study,
        "study_nav": selectors.study_nav(study, request.user, request.path),
        "may_edit": may(request.user, study, Role.EDITOR),
        "problems": problems(study) if is_draft else [],
        "is_draft": is_draft,
        "share": selectors.share_links(study),
        "versions": selectors.versions_of(study),
        "members": study.memberships.select_related("user").order_by("role", "user__username"),
        "people": selectors.people_of(study),
        "questions": selectors.question_progress(study, now=timezone.now()),
        "summary": selectors.module_summary(study),
        "clone_form": clone_form or CloneForm(initial={"slug": f"{study.slug}-copy", "title": study.title}),
        "definition_form": DefinitionForm(),
    }
    return render(request, "studies/study.html", context, status=status)


@require_POST
@login_required
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Freeze the draft and open the study."""
    return _act(request, slug, services.publish_study, _("The study is published and open."))


@require_POST
@login_required
def pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Let nobody new in."""
    return _act(request, slug, services.pause, _("The study is paused: nobody new is let in."))


@require_POST
@login_required
def resume(request: HttpRequest, slug: str) -> HttpResponse:
    """Let people in again."""
    return _act(request, slug, services.resume, _("The study is open again."))


@require_POST
@login_required
def close(request: HttpRequest, slug: str) -> HttpResponse:
    """End recruitment for good."""
    return _act(request, slug, services.close, _("The study is closed."))


@require_POST
@login_required
def clone(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a new draft with the same definition, and go to it."""
    original = study_for(request.user, slug, needs=Role.EDITOR)
    form = CloneForm(request.POST)
    if form.is_valid():
        try:
            copy = services.clone_study(study=original, by=request.user, now=timezone.now(), **form.cleaned_data)
        except DomainError as error:
            form.add_error("slug", str(error))
        else:
            messages.success(request, _("This is the copy: a draft without any data."))
            return redirect("studies:study", copy.slug)
    return study_page(request, original, clone_form=form, status=422)


@require_POST
@login_required
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Walk the draft as a participant; what is entered counts for nothing."""
    previewed = study_for(request.user, slug, needs=Role.EDITOR)
    try:
        started = services.start_preview(study=previewed, by=request.user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
        return redirect("studies:study", slug)
    return to_session(slug, started.token)


def _act(request: HttpRequest, slug: str, service: Callable[..., Any], done: str) -> HttpResponse:
    """Do what a button says, and go back to the study's page with what came of it."""
    acted_on = study_for(request.user, slug, needs=Role.EDITOR)
    try:
        service(study=acted_on, by=request.user, now=timezone.now())
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("studies:study", slug)
