"""How raters come in: a list of campaigns for who has an account, an invitation, and the personal link back."""

from __future__ import annotations

import re
import secrets
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.errors import InvitationClosed
from annotation.models import Invitation, Rater
from annotation.rating.access import rater_here
from annotation.rating.pages import page_of, work_url
from annotation.rating.tokens import set_cookie
from annotation.services.arrivals import start
from annotation.services.raters import invitation_by_token, rater_by_token
from core.access import public
from core.errors import NotThere
from core.http import render_page
from studies.recruitment.views import see_other

START_KEY = re.compile(r"[0-9a-f]{32}", re.ASCII)


@require_GET
@login_required
def campaigns(request: HttpRequest) -> HttpResponse:
    """The campaigns in which the account judges."""
    mine = (
        Rater.objects.filter(account_id=request.user.pk, removed_at=None)
        .select_related("campaign")
        .order_by("-joined_at")
    )
    rows = [{"title": rater.campaign.title, "url": work_url(rater.campaign)} for rater in mine]
    context = page_of(None, "campaigns", _("What you judge"), rows=rows)
    return render_page(request, "annotation/rating/campaigns.html", context, partial="main")


@require_http_methods(["GET", "POST"])
@public("whoever has the link of an invitation may come in by it; opening it changes nothing")
def invitation(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Say what the invitation is for; the button makes whoever presses it a rater, once a browser."""
    found = _invitation(slug, token)
    known = rater_here(request, slug)
    if found is None or (known is None and not found.is_open(timezone.now())):
        return _closed(request)
    with translation.override(found.campaign.language):
        if request.method == "POST":
            return _start(request, found, known, token)
        return _landing(request, found, known)


def _start(request: HttpRequest, found: Invitation, known: Rater | None, token: str) -> HttpResponse:
    response = see_other(work_url(found.campaign))
    if known is not None:
        return response
    key = request.POST.get("start", "")
    try:
        rater, own_token = start(
            token=token,
            start_key=key if START_KEY.fullmatch(key) else secrets.token_hex(16),
            now=timezone.now(),
            account=request.user if request.user.is_authenticated else None,
        )
    except InvitationClosed:
        return _closed(request)
    if not rater.is_active:
        return _closed(request)
    set_cookie(response, slug=found.campaign.slug, token=own_token)
    return response


def _landing(request: HttpRequest, found: Invitation, known: Rater | None) -> HttpResponse:
    context = page_of(
        found.campaign,
        "invitation",
        found.campaign.title,
        invitation=_terms(found),
        start_key=secrets.token_hex(16),
        is_known=known is not None,
        work_url=work_url(found.campaign),
        account=request.user.get_username() if request.user.is_authenticated else "",
        form_action=request.path,
    )
    return render_page(request, "annotation/rating/invitation.html", context, partial="main")


def _terms(found: Invitation) -> dict[str, Any]:
    """What the invitation offers."""
    return {"pay": found.pay_amount, "currency": found.pay_currency, "per": found.get_pay_per_display()}


def _invitation(slug: str, token: str) -> Invitation | None:
    try:
        found = invitation_by_token(token)
    except NotThere:
        return None
    return found if found.campaign.slug == slug else None


def _closed(request: HttpRequest) -> HttpResponse:
    """One answer for links that are wrong, expired, used up or revoked: it tells nobody which."""
    context = page_of(None, "closed", _("This invitation cannot be used"))
    return render_page(request, "annotation/rating/closed.html", context, partial="main", status=404)


@require_http_methods(["GET", "POST"])
@public("the token in the link is the key")
def back(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Let a rater without an account go on in another browser; opening the link changes nothing."""
    try:
        rater = rater_by_token(token)
    except NotThere:
        rater = None
    if rater is None or rater.campaign.slug != slug or not rater.is_active:
        return _closed(request)
    with translation.override(rater.campaign.language):
        if request.method == "POST":
            response = see_other(work_url(rater.campaign))
            set_cookie(response, slug=slug, token=token)
            return response
        context = page_of(rater.campaign, "back", _("Welcome back"), form_action=request.path)
        return render_page(request, "annotation/rating/back.html", context, partial="main")
