"""A line for the next page, where a post is answered by a redirect: kept in a signed cookie for a minute."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from annotation.models import Rater

COOKIE = "polyphony_rater_notice"
SECONDS = 60


def kept_notice(request: HttpRequest) -> str:
    """The line that was kept; empty if there is none, or it is not ours."""
    try:
        return str(signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=SECONDS))
    except signing.BadSignature:
        return ""


def keep_notice(response: HttpResponse, request: HttpRequest, rater: Rater, notice: str) -> HttpResponse:
    """Keep a line for the next page; with an empty one, forget what was kept."""
    path = reverse("judging:work", args=[rater.campaign.slug])
    if notice:
        response.set_cookie(
            COOKIE,
            signing.dumps(notice, salt=COOKIE),
            max_age=SECONDS,
            path=path,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    elif COOKIE in request.COOKIES:
        response.delete_cookie(COOKIE, path=path, samesite="Lax")
    return response
