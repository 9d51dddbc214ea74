"""What staff pages need and participants' pages must not carry: session, login, messages, language.

A participant has a token and no account. Leaving these four out of the walk keeps their pages free
of the staff cookies and saves each of their requests the work.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

Answer: TypeAlias = HttpResponseBase | Awaitable[HttpResponseBase]

#: Paths served without session and login. The health check answers even if sessions cannot be read.
LIGHT_PATHS = ("/s/", "/healthz")


def is_light(request: HttpRequest) -> bool:
    """Return whether the request is for a page that knows no account."""
    return request.path_info.startswith(LIGHT_PATHS)


def _texts_of(request: HttpRequest) -> Iterator[str]:
    """Path, and names and values of the query."""
    yield request.path_info
    for name, values in request.GET.lists():
        yield from (name, *map(str, values))


class RefuseNulMiddleware:
    """Refuse an address that holds NUL, which no column holds and PostgreSQL answers with an error.

    Forms refuse it field by field; what stands in a path or a query goes straight into filters. Participants' pages
    look at their own parameters: a recruiter's broken link is explained there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Answer:
        """Pass on what could be asked of a database."""
        if not is_light(request) and any("\0" in text for text in _texts_of(request)):
            raise BadRequest("The address contains a NUL character.")
        return self.get_response(request)


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
