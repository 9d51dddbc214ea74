"""What staff pages need and participants' pages must not carry: session, login, messages, language.

A participant has a token and no account. Leaving these four out of the walk keeps their pages free
of the staff cookies and saves each of their requests the work.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

Answer: TypeAlias = HttpResponseBase | Awaitable[HttpResponseBase]

#: Paths served without session and login. The health check answers even if sessions cannot be read.
LIGHT_PATHS = ("/s/", "/healthz")


def is_light(request: HttpRequest) -> bool:
    """Return whether the request is for a page that knows no account."""
    return request.path_info.startswith(LIGHT_PATHS)


class StaffSessionMiddleware(SessionMiddleware):
    """Sessions, but not on participants' pages."""

    def __call__(self, request: HttpRequest) -> Answer:
        """Skip the session where nobody can be logged in."""
        return self.get_response(request) if is_light(request) else super().__call__(request)


class StaffAuthenticationMiddleware(AuthenticationMiddleware):
    """Logins, but not on participants' pages."""

    def __call__(self, request: HttpRequest) -> Answer:
        """Skip the login where nobody can be logged in."""
        return self.get_response(request) if is_light(request) else super().__call__(request)


class StaffMessageMiddleware(MessageMiddleware):
    """Messages, but not on participants' pages."""

    def __call__(self, request: HttpRequest) -> Answer:
        """Skip the messages, which live in the session."""
        return self.get_response(request) if is_light(request) else super().__call__(request)


class StaffLocaleMiddleware(LocaleMiddleware):
    """The browser's language for staff; a study's language for its participants."""

    def __call__(self, request: HttpRequest) -> Answer:
        """Leave participants' pages in the default language, which their views replace."""
        if not is_light(request):
            return super().__call__(request)
        # A thread keeps the language of its last request until somebody changes it.
        translation.deactivate()
        return self.get_response(request)
