"""Pages of one question and of one of its groups, and the form that names a group."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from clustering import selectors, services
from clustering.forms import GroupNameForm
from clustering.pages.groups import all_statements, group_context
from clustering.pages.questions import question_context
from clustering.pages.runs import origin_notes
from clustering.portraits import Portrait, portraits
from clustering.selectors import QuestionResult
from clustering.views import nav, run_of
from core.errors import DomainError
from core.models import Run
from studies.access import Role, may, study_for
from studies.models import Study


@login_required
@require_safe
@never_cache
def question(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Opinion map, groups and coverage of one question in the reported run, or in `?run=`."""
    study = study_for(request.user, slug)
    run, result = _result_of(request, study, code)
    context = {**_common(request, study, run), **question_context(study, run, result)}
    return render(request, "clustering/question.html", context)


@login_required
@require_safe
@never_cache
def group(request: HttpRequest, slug: str, code: str, letter: str) -> HttpResponse:
    """Everything about one group: name, who its members are, and every statement they voted on."""
    study = study_for(request.user, slug)
    run, result = _result_of(request, study, code)
    portrait = _portrait(study, result, letter)
    form = GroupNameForm(initial={"name": portrait.name.name if portrait.name else ""})
    return _group_page(request, study, run, result, portrait, form)


@login_required
@require_POST
def name_group(request: HttpRequest, slug: str, code: str, letter: str) -> HttpResponse:
    """Name a group; an empty name takes its name away."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    run, result = _result_of(request, study, code)
    portrait = _portrait(study, result, letter)
    form = GroupNameForm(request.POST)
    if not form.is_valid():
        return _group_page(request, study, run, result, portrait, form, status=422)
    try:
        named = services.name_group(group=portrait.group, name=form.cleaned_data["name"], by=request.user)
    except DomainError as problem:
        form.add_error("name", str(problem))
        return _group_page(request, study, run, result, portrait, form, status=422)
    messages.success(request, _("The group has a name now.") if named else _("The group has no name any more."))
    return redirect(f"{request.path.removesuffix('name/')}?run={run.public_id}")


def _group_page(
    request: HttpRequest,
    study: Study,
    run: Run,
    result: QuestionResult,
    portrait: Portrait,
    form: GroupNameForm,
    status: int = 200,
) -> HttpResponse:
    context = {
        **_common(request, study, run),
        "question": result.question,
        "group": group_context(study, result.question, run, portrait),
        "statements": all_statements(portrait),
        "form": form,
        "may_name": may(request.user, study, Role.ANALYST),
    }
    return render(request, "clustering/group.html", context, status=status)


def _common(request: HttpRequest, study: Study, run: Run) -> dict[str, Any]:
    return {
        "study": study,
        "study_nav": nav(request, study, "results"),
        "run": run,
        **origin_notes(study, run),
    }


def _result_of(request: HttpRequest, study: Study, code: str) -> tuple[Run, QuestionResult]:
    """The run asked for and what it found about the question."""
    run = run_of(study, request.GET["run"]) if "run" in request.GET else selectors.reported_run(study)
    subject = selectors.question_in(run, study, code) if run else None
    result = selectors.question_result(run, subject) if run and subject else None
    if run is None or result is None:
        raise Http404
    return run, result


def _portrait(study: Study, result: QuestionResult, letter: str) -> Portrait:
    found = portraits(study, result.grouping) if result.grouping else []
    for portrait in found:
        if portrait.letter == letter:
            return portrait
    raise Http404
