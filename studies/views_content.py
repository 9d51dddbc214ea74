"""Definitions and tables in and out of a study, through the browser."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import DomainError
from core.http import problem_table
from studies import access, errors, imports, selectors, services
from studies.access import Role, study_for
from studies.definition import dump_yaml, load_bytes
from studies.forms import DefinitionForm, ImportForm, SeedsForm
from studies.models import Study


@require_safe
@never_cache
@login_required
def definition(request: HttpRequest, slug: str) -> HttpResponse:
    """The definition of the study's draft as a file; completion codes, which pay, are for those who edit."""
    study = study_for(request.user, slug)
    with_codes = access.may(request.user, study, Role.EDITOR)
    response = HttpResponse(dump_yaml(study, with_codes=with_codes), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}.yaml"'
    return response


@require_safe
@never_cache
@login_required
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A published version as it was frozen and hashed; without its completion codes for those who do not edit."""
    study = study_for(request.user, slug)
    frozen = get_object_or_404(study.versions, number=number)
    shown = dict(frozen.definition)
    if not access.may(request.user, study, Role.EDITOR):
        del shown["codes"]
    response = JsonResponse(shown, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-v{number}.json"'
    return response


@require_POST
@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """Take in a definition: a new draft, a changed draft, or the amendment of a published study."""
    form = DefinitionForm(request.POST, request.FILES)
    error: DomainError | None = None
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            study, done = _take_in(request.user, file.read(), file.name, form.cleaned_data["reason"])
        except DomainError as caught:
            error = caught
        else:
            messages.success(request, done)
            return redirect("studies:study", study.slug)
    context = {
        "studies": selectors.study_list(request.user),
        "form": form,
        "error": error,
        "table": problem_table(error),
    }
    return render(request, "studies/list.html", context, status=422)


def _take_in(user: Any, content: bytes, name: str, reason: str) -> tuple[Study, str]:
    """Load the definition into the study it names, if `user` may change that one or it is new."""
    read = load_bytes(content, name)
    study = Study.objects.filter(slug=read.slug).first()
    if study is None or not access.may(user, study, Role.EDITOR):
        if not access.may_create(user):  # the same whether there is such a study or not
            raise PermissionDenied(_("Only staff create studies."))
        if study is not None:
            raise errors.SlugTaken(read.slug)
    now = timezone.now()
    if study is None or study.status == Study.Status.DRAFT:
        study, is_new = services.apply_definition(definition=read, by=user, now=now)
        return study, _("The draft was created.") if is_new else _("The draft was changed.")
    amended = services.amend(study=study, definition=read, reason=reason, by=user, now=now)
    return study, _("Version %(number)d is published.") % {"number": amended.number}


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def import_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Import questions, sources, answers or seeds into the draft; a dry run first shows what would be done."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    if request.method == "GET":
        return _import_page(request, study)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _import_page(request, study, form=form, status=422)
    file, how = form.cleaned_data["file"], {name: form.cleaned_data[name] for name in ("kind", "dry_run")}
    try:
        done = imports.import_rows(
            study=study, source=file.read(), name=file.name, by=request.user, now=timezone.now(), **how
        )
    except DomainError as error:
        return _import_page(request, study, form=form, error=error, status=422)
    return _after_import(request, study, done, form=form)


@require_POST
@login_required
def import_seeds_of(request: HttpRequest, slug: str) -> HttpResponse:
    """Take another study's free responses as seeds; its texts are for those who may read its data."""
    study = study_for(request.user, slug, needs=Role.EDITOR)
    form = SeedsForm(request.POST, studies=access.readable_studies(request.user).exclude(pk=study.pk))
    if not form.is_valid():
        return _import_page(request, study, seeds_form=form, status=422)
    try:
        done = imports.seeds_from_study(study=study, by=request.user, now=timezone.now(), **form.cleaned_data)
    except DomainError as error:
        return _import_page(request, study, seeds_form=form, error=error, status=422)
    return _after_import(request, study, done, seeds_form=form)


def _after_import(request: HttpRequest, study: Study, done: imports.Imported, **forms: Any) -> HttpResponse:
    if done.is_dry_run:
        return _import_page(request, study, done=done, **forms)
    n = done.n_rows
    said = ngettext("%(n)d row: %(new)d new, %(changed)d changed.", "%(n)d rows: %(new)d new, %(changed)d changed.", n)
    messages.success(request, said % {"n": n, "new": len(done.new), "changed": len(done.changed)})
    return redirect("studies:import", study.slug)


def _import_page(
    request: HttpRequest,
    study: Study,
    *,
    form: Any = None,
    seeds_form: Any = None,
    done: imports.Imported | None = None,
    error: DomainError | None = None,
    status: int = 200,
) -> HttpResponse:
    others = access.readable_studies(request.user).exclude(pk=study.pk)
    url = reverse("studies:import", args=[study.slug])
    context = {
        "study": study,
        "study_nav": selectors.study_nav(study, request.user, url),
        "is_draft": study.status == Study.Status.DRAFT,
        "form": form or ImportForm(),
        "seeds_form": seeds_form or SeedsForm(studies=others),
        "columns": imports.columns(),
        "done": done,
        "preview": imports.preview_table(done) if done else None,
        "error": error,
        "table": problem_table(error),
    }
    return render(request, "studies/import.html", context, status=status)
