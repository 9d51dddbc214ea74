"""The campaigns of whoever is logged in, and one of them: where it stands and what is set up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import access
from annotation.access import Role, campaign_for
from annotation.definition import Definition, dump, load_bytes
from annotation.errors import SlugTaken
from annotation.kinds import definition_of
from annotation.models import Campaign, CampaignMember
from annotation.selectors import teams
from annotation.services import campaigns
from annotation.services.checks import problems_of
from annotation.team.forms import DefinitionForm, MemberForm, NewForm, ReasonForm
from annotation.team.pages import act, page
from core import strictyaml
from core.errors import DomainError, NotAllowed, NotThere
from core.http import problem_table
from studies.access import may_create, readable_studies


@require_safe
@never_cache
@login_required
def campaign_list(request: HttpRequest) -> HttpResponse:
    """The campaigns in whose team the account is."""
    return _list(request)


def _list(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "campaigns": teams.campaign_list(request.user),
        "may_create": may_create(request.user),
        "form": NewForm(request.user, initial={"kind": Campaign.Kind.PAIRWISE}),
        "definition_form": DefinitionForm(),
    }
    return render(request, "annotation/team/list.html", context | more, status=status)


@require_POST
@login_required
def create(request: HttpRequest) -> HttpResponse:
    """Make a campaign of a shipped kind."""
    form = NewForm(request.user, request.POST)
    if not form.is_valid():
        return _list(request, status=422, form=form)
    values = form.cleaned_data
    shipped = definition_of(values["kind"])
    study = values["study"].slug if values["study"] else None
    data = {**shipped.data, "slug": values["slug"], "title": values["title"], "study": study}
    try:
        if Campaign.objects.filter(slug=values["slug"]).exists():
            raise SlugTaken(values["slug"])
        campaign = _apply(request.user, replace(shipped, data=data))
    except DomainError as error:
        form.add_error("slug", str(error))
        return _list(request, status=422, form=form)
    messages.success(request, _("The audit is a draft. Look through its definition, then add items."))
    return redirect("audits:campaign", campaign.slug)


@require_POST
@login_required
def load(request: HttpRequest) -> HttpResponse:
    """Create a campaign from a definition file, or make the draft of one's own say it."""
    form = DefinitionForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, status=422, definition_form=form)
    file = form.cleaned_data["file"]
    try:
        campaign = _apply(request.user, load_bytes(file.read(), file.name))
    except DomainError as error:
        return _list(request, status=422, definition_form=form, error=error, table=problem_table(error))
    messages.success(request, _("The draft says what the file says."))
    return redirect("audits:campaign", campaign.slug)


def _apply(user: Any, definition: Definition) -> Campaign:
    """Apply a definition in the name of `user`, who may touch neither campaigns nor studies of others."""
    known = Campaign.objects.filter(slug=definition.slug).first()
    if known is None and not may_create(user):
        raise NotAllowed(_("Your account may not create audits."))
    if known is not None and not access.may(user, known, Role.OWNER):
        raise SlugTaken(definition.slug)
    study = definition.data["study"]
    if study is not None and not readable_studies(user).filter(slug=study).exists():
        raise NotThere(_("There is no study “%(slug)s”.") % {"slug": study})
    return campaigns.apply_definition(definition=definition, by=user, now=timezone.now())[0]


@require_safe
@never_cache
@login_required
def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """One campaign: what comes next, its definition, its packets, its team."""
    return campaign_page(request, campaign_for(request.user, slug))


def campaign_page(request: HttpRequest, campaign: Campaign, *, status: int = 200, **more: Any) -> HttpResponse:
    """The page, with a form that was not right if there is one."""
    standing = teams.standing_of(campaign)
    shown = standing.draft or standing.packet
    assert shown is not None, "a campaign has a packet"
    context = {
        "standing": standing,
        "shown": shown,
        "definition": dump(shown),
        "kinds": shown.kinds.select_related("rubric").prefetch_related("dimensions__labels"),
        "n_items": shown.items.count(),
        "problems": problems_of(standing.draft) if standing.draft else [],
        "packets": campaign.packets.order_by("-number"),
        "members": campaign.members.select_related("user").order_by("role", "user__username"),
        "member_form": MemberForm(),
        "amend_form": ReasonForm(),
        "definition_form": DefinitionForm(),
        "sees_report": access.may(request.user, campaign, Role.ANALYST),
    }
    return page(request, campaign, "campaign.html", context | more, status=status)


@require_safe
@never_cache
@login_required
def definition(request: HttpRequest, slug: str) -> HttpResponse:
    """The definition of the draft, or else of the packet, as a file that loads as the same."""
    campaign = campaign_for(request.user, slug)
    packet = campaign.packets.order_by("-number")[0]
    packet.campaign = campaign
    response = HttpResponse(strictyaml.dump(dump(packet)), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign.slug}.yaml"'
    return response


@require_POST
@login_required
def pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Let nobody judge for the time being."""
    found = campaign_for(request.user, slug, needs=Role.OWNER)
    return act(request, found, campaigns.pause, _("The audit is paused."), "audits:campaign", campaign=found)


@require_POST
@login_required
def resume(request: HttpRequest, slug: str) -> HttpResponse:
    """Let raters go on."""
    found = campaign_for(request.user, slug, needs=Role.OWNER)
    return act(request, found, campaigns.resume, _("Raters can go on."), "audits:campaign", campaign=found)


@require_POST
@login_required
def add_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Give somebody a role in the team."""
    found = campaign_for(request.user, slug, needs=Role.OWNER)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return campaign_page(request, found, status=422, member_form=form)
    values = form.cleaned_data
    return act(
        request,
        found,
        campaigns.add_member,
        _("The team has changed."),
        "audits:campaign",
        campaign=found,
        user=values["account"],
        role=values["role"],
    )


@require_POST
@login_required
def remove_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Take somebody's role away."""
    found = campaign_for(request.user, slug, needs=Role.OWNER)
    name = request.POST.get("username", "")
    member = CampaignMember.objects.filter(campaign=found, user__username=name).select_related("user").first()
    if member is None:
        messages.error(request, _("There is nobody of this name in the team."))
        return redirect("audits:campaign", slug)
    done = _("The team has changed.")
    return act(request, found, campaigns.remove_member, done, "audits:campaign", campaign=found, user=member.user)
