"""Who may see a rater's page: the rater, known by their account or by the cookie of this browser; nobody else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

from annotation.models import Rater
from annotation.rating.pages import page_of
from annotation.rating.tokens import token_in
from core.canonical import text_sha256
from core.http import render_page

View = Callable[..., HttpResponse]


def rater_here(request: HttpRequest, slug: str) -> Rater | None:
    """The rater of the campaign `slug` who is before this browser: by their account, else by the cookie.

    None for everybody else: strangers, raters of other campaigns, and those who were removed.
    """
    active = (
        Rater.objects.people()
        .filter(campaign__slug=slug, removed_at=None)
        .exclude(came_by__in=[Rater.CameBy.FILE, Rater.CameBy.ENROLMENT])
        .select_related("campaign__current_packet")
    )
    if request.user.is_authenticated and request.user.is_active:
        found = active.filter(account=request.user).first()
        if found is not None:
            return found
    token = token_in(request)
    return active.filter(token_sha256=text_sha256(token)).first() if token else None


def rater_required(view: View) -> View:
    """Hand the view the rater instead of the slug, and speak the campaign's language; 404 for everybody else.

    No address of these pages takes a parameter: whoever tries to sort or filter by one, whatever it is called and
    whatever its value, gets the same refusal.
    """

    @wraps(view)
    def for_rater(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        if request.GET:
            raise BadRequest("These pages take no parameters.")
        rater = rater_here(request, slug)
        if rater is None:
            return stranger(request)
        with translation.override(rater.campaign.language):
            return view(request, rater, **kwargs)

    for_rater.access = "rater: the account or the cookie of the campaign's pages"  # type: ignore[attr-defined]
    return for_rater


def stranger(request: HttpRequest) -> HttpResponse:
    """Say that nobody is known here, alike for every campaign, there or not."""
    context = page_of(None, "stranger", _("We do not know you here"), next=request.path)
    return render_page(request, "annotation/rating/stranger.html", context, partial="main", status=404)
