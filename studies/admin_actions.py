"""Actions on studies: each asks first, does what a service does, and says for each study what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import DomainError
from studies import access, services
from studies.data.services import start_export
from studies.models import Study
from studies.recruitment import services as recruitment
from studies.recruitment.views import to_session

Act = Callable[[Any, HttpRequest], Any]


def confirm(
    modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any], *, action: str, warning: str
) -> HttpResponse | None:
    """The page that asks before `action`; None once it was answered."""
    if request.POST.get("confirmed") == "yes":
        return None
    context = {
        **modeladmin.admin_site.each_context(request),
        "title": _("Are you sure?"),
        "warning": warning,
        "objects": list(queryset),
        "action": action,
        "opts": modeladmin.model._meta,
        "checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/confirm_action.html", context)


def do_each(
    modeladmin: admin.ModelAdmin,
    request: HttpRequest,
    queryset: QuerySet[Any],
    *,
    act: Act,
    study_of: Any,
    needs: str = access.Role.EDITOR,
) -> None:
    """Do `act` to each object in whose study the user has the role; say what failed, and count what was done."""
    n_done = 0
    for obj in queryset:
        if not access.may(request.user, study_of(obj), needs):
            message = _("%(what)s: your role in this study does not allow this.") % {"what": obj}
            modeladmin.message_user(request, message, messages.ERROR)
            continue
        try:
            act(obj, request)
        except DomainError as error:
            modeladmin.message_user(request, f"{obj}: {error}", messages.ERROR)
        else:
            n_done += 1
    if n_done:
        message = ngettext("Done for %(n)d.", "Done for %(n)d.", n_done) % {"n": n_done}
        modeladmin.message_user(request, message, messages.SUCCESS)


def _action(name: str, description: Any, warning: Any, service: Callable[..., Any]) -> Any:
    """An action on studies that asks with `warning` and then calls `service`."""

    def run(modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse | None:
        question = confirm(modeladmin, request, queryset, action=name, warning=str(warning))
        if question is None:
            do_each(modeladmin, request, queryset, act=_call(service), study_of=lambda study: study)
        return question

    run.__name__ = name
    return admin.action(description=description)(run)


def _call(service: Callable[..., Any]) -> Act:
    return lambda study, request: service(study=study, by=request.user, now=timezone.now())


def _clone(*, study: Study, by: Any, now: Any) -> Study:
    """A copy under the next free slug; slug and title are edited in the draft."""
    taken = set(Study.objects.filter(slug__startswith=study.slug[:50]).values_list("slug", flat=True))
    names = (f"{study.slug[:50]}-copy{n or ''}" for n in range(len(taken) + 1))
    slug = next(name for name in names if name not in taken)
    return services.clone_study(study=study, slug=slug, by=by, now=now)


@admin.action(description=gettext_lazy("Preview as a participant"))
def preview(modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Study]) -> HttpResponse | None:
    """Walk one draft as a participant; it counts for nothing."""
    chosen = list(queryset[:2])
    if len(chosen) != 1:
        modeladmin.message_user(request, _("Choose one study to preview."), messages.WARNING)
        return None
    if not access.may(request.user, chosen[0], access.Role.EDITOR):
        modeladmin.message_user(request, _("Your role in this study does not allow this."), messages.ERROR)
        return None
    try:
        started = services.start_preview(study=chosen[0], by=request.user, now=timezone.now())
    except DomainError as error:
        modeladmin.message_user(request, str(error), messages.ERROR)
        return None
    return to_session(chosen[0].slug, started.token)


@admin.action(description=gettext_lazy("Export the data"))
def export(modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Study]) -> None:
    """Ask for an export of each study whose data the user may read, and say where it will be."""
    for study in queryset:
        if not access.may(request.user, study, access.Role.ANALYST):
            message = _("%(what)s: your role in this study does not allow this.") % {"what": study}
            modeladmin.message_user(request, message, messages.ERROR)
            continue
        start_export(study=study, by=request.user, now=timezone.now())  # type: ignore[arg-type]
        text = _("The export of %(what)s is being written; it will be on its page of exports:") % {"what": study}
        page = reverse("studies:exports", args=[study.slug])
        link = format_html('{} <a href="{}">{}</a>', text, page, _("Exports"))
        modeladmin.message_user(request, link, messages.SUCCESS)


@admin.action(description=gettext_lazy("Delete recruiters' ids"), permissions=["identify"])
def delete_external_ids(
    modeladmin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Study]
) -> HttpResponse | None:
    """Delete what recruiters call the people of the chosen studies; for owners who may see it."""
    warning = _(
        "The recruiters' ids of everybody in these studies are deleted for good; everything else stays. Nobody can be "
        "matched with a submission any more, and who took part can take part again if the study is opened again. "
        "Exports with ids that were made before are not changed: delete those files, too."
    )
    question = confirm(modeladmin, request, queryset, action="delete_external_ids", warning=warning)
    if question is None:
        act, owner = _call(recruitment.delete_external_ids), access.Role.OWNER
        do_each(modeladmin, request, queryset, act=act, study_of=lambda study: study, needs=owner)
    return question


STUDY_ACTIONS = (
    _action(
        "publish",
        gettext_lazy("Publish"),
        gettext_lazy("The definition is frozen, and people can take part."),
        services.publish_study,
    ),
    _action("pause", gettext_lazy("Pause"), gettext_lazy("Nobody new is let in until you resume."), services.pause),
    _action("resume", gettext_lazy("Open again"), gettext_lazy("People are let in again."), services.resume),
    _action("close", gettext_lazy("Close"), gettext_lazy("Nobody new is let in any more, for good."), services.close),
    _action("clone", gettext_lazy("Clone"), gettext_lazy("A draft with the same definition is made of each."), _clone),
    preview,
    export,
    delete_external_ids,
)
