"""Who judges: accounts, invitation links, and the end of somebody's work."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Role, campaign_for
from annotation.models import Campaign, Invitation, Rater
from annotation.services import raters
from annotation.team.forms import InvitationForm, RaterForm
from annotation.team.pages import act, page
from core.errors import DomainError, Invalid


@require_safe
@never_cache
@login_required
def rater_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Raters and invitations, with the forms that add some."""
    return _page(request, campaign_for(request.user, slug, needs=Role.OWNER))


def _page(request: HttpRequest, campaign: Campaign, *, status: int = 200, **more: Any) -> HttpResponse:
    now = timezone.now()
    invitations = list(campaign.invitations.order_by("-id"))
    context = {
        "raters": campaign.raters.select_related("account", "invitation").order_by("code"),
        "invitations": [(each, each.is_open(now)) for each in invitations],
        "rater_form": RaterForm(),
        "invitation_form": InvitationForm(),
        "work_url": settings.PUBLIC_URL + reverse("judging:work", args=[campaign.slug]),
    }
    return page(request, campaign, "raters.html", context | more, status=status)


@require_POST
@login_required
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a person with an account judge."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = RaterForm(request.POST)
    if form.is_valid():
        try:
            raters.add_account(
                campaign=campaign,
                account=form.cleaned_data["account"],
                by=request.user,
                now=timezone.now(),
                **form.terms(),
            )
        except DomainError as error:
            _take_over(form, error)
    return _page(request, campaign, **({} if form.is_valid() else {"status": 422, "rater_form": form}))


@require_POST
@login_required
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make an invitation link and show it, this once."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, status=422, invitation_form=form)
    try:
        invitation, token = raters.invite(
            campaign=campaign,
            name=form.cleaned_data["name"],
            limit=form.cleaned_data["limit"],
            expires_at=form.expires_at(),
            by=request.user,
            now=timezone.now(),
            **form.terms(),
        )
    except DomainError as error:
        _take_over(form, error)
        return _page(request, campaign, status=422, invitation_form=form)
    link = settings.PUBLIC_URL + reverse("judging:invitation", args=[campaign.slug, token])
    return _page(request, campaign, invitation=invitation, link=link)


def _take_over(form: Any, error: DomainError) -> None:
    """Show what a service refuses at the fields that it names."""
    fields = error.fields if isinstance(error, Invalid) and error.fields else {"": [str(error.message)]}
    for name, messages in fields.items():
        for message in messages:
            form.add_error(name if name in form.fields else None, message)


@require_POST
@login_required
def revoke(request: HttpRequest, slug: str, invitation_id: UUID) -> HttpResponse:
    """Let nobody else in by the link."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    invitation = get_object_or_404(Invitation, campaign=campaign, public_id=invitation_id)
    done = _("Nobody else gets in by this link. Who came by it stays.")
    return act(request, campaign, raters.revoke_invitation, done, "audits:raters", invitation=invitation)


@require_POST
@login_required
def remove(request: HttpRequest, slug: str, rater_id: UUID) -> HttpResponse:
    """End the work of a rater; their answers stay."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    rater = get_object_or_404(Rater, campaign=campaign, public_id=rater_id)
    done = _("The work of %(code)s is ended. The answers stay.") % {"code": rater.code}
    return act(request, campaign, raters.remove, done, "audits:raters", rater=rater)
