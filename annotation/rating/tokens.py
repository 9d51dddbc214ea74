"""What opens a rater's pages without an account: a cookie, sent to the pages of one campaign alone."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE = "polyphony_rater"
KEPT = timedelta(days=180)
"""How long a browser stays known; judging often goes on for months."""


def token_in(request: HttpRequest) -> str:
    """The token of the request's cookie; empty without one."""
    token = request.COOKIES.get(COOKIE, "")
    return token if token.isascii() else ""


def set_cookie(response: HttpResponse, *, slug: str, token: str) -> None:
    """Let this browser go on as the rater who has `token`."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=KEPT,
        path=reverse("judging:work", args=[slug]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
