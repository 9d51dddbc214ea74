"""The contexts of raters' pages: the same names that participants' pages have, so that templates serve both."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from annotation.models import Campaign
from annotation.rating.showing import Screen
from core.http import render_page
from studies.session.pages import page_context, study_context

IS_A_PAGE = "X-Polyphony-Page"
"""Says to the script that an answer with status 409 is a page of ours, to be shown like any other."""
NOT_A_STEP = "rating"
"""What stands where a session's pages have the nonce of their step."""


def campaign_context(campaign: Campaign | None) -> dict[str, Any]:
    """What every page says of the campaign; nothing if there is none to speak of."""
    if campaign is None:
        return study_context({"slug": "", "title": "Polyphony", "language": "en"})
    names = ("slug", "title", "contact", "language")
    return study_context({name: getattr(campaign, name) for name in names})


def page_of(campaign: Campaign | None, kind: str, title: str, **more: Any) -> dict[str, Any]:
    """The context of a rater's page."""
    return {"study": campaign_context(campaign), "page": page_context(kind, title, nonce=NOT_A_STEP), **more}


def screen_context(campaign: Campaign, screen: Screen, *, form_action: str, notice: str = "") -> dict[str, Any]:
    """The context of a screen on a rater's own pages."""
    page = page_context(
        screen.kind,
        screen.title,
        nonce=NOT_A_STEP,
        progress=screen.progress,
        errors=[{"field": name, "message": message} for name, message in screen.errors.items()],
        notice=screen.notice or notice,
    )
    addresses = {"answers_url": reverse("judging:answers", args=[campaign.slug]), "work_url": work_url(campaign)}
    if screen.assignment is not None and screen.kind != "feedback":
        of_item = [campaign.slug, screen.assignment.public_id]
        page["draft_url"] = reverse("judging:draft", args=of_item)
        addresses["seen_url"] = reverse("judging:seen", args=of_item)
    return {
        "study": campaign_context(campaign),
        "page": page,
        "form_action": form_action,
        **addresses,
        **screen.context,
    }


def render_screen(
    request: HttpRequest, campaign: Campaign, screen: Screen, *, form_action: str, notice: str = "", **more: Any
) -> HttpResponse:
    """A screen as a rater's own page."""
    context = {**screen_context(campaign, screen, form_action=form_action, notice=notice), **more}
    response = render_page(request, screen.template, context, partial="main", status=screen.status)
    if screen.status == HTTPStatus.CONFLICT:
        response.headers[IS_A_PAGE] = "yes"
    return response


def work_url(campaign: Campaign) -> str:
    """Where the rater goes on."""
    return reverse("judging:item", args=[campaign.slug])
