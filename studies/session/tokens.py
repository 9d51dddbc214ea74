"""What opens a session: the cookie's token, the personal link, and the pass of a simulated participant.

A session's token is an HMAC of the enrolment's random id under the secret key; the row holds its SHA-256 only. Nobody
can guess it, and whoever comes back by the personal link or from the recruiter gets the token that the other browser
has: a fresh random one would end the session in the tab that was there before, and a double click on Start would leave
the browser with whichever of two answers came last.
"""

from __future__ import annotations

import base64
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from core.canonical import text_sha256
from core.errors import NotAllowed
from studies.models import Enrolment

COOKIE = "polyphony"
SESSION_SALT = "polyphony.session"
RESUME_SALT = "polyphony.resume"
SIMULATED_SALT = "polyphony.simulated"
KEPT = timedelta(days=60)
"""How long after the start a browser and a personal link can show a session, its end and its code included."""
SIMULATED_FOR = timedelta(days=1)


class BadLink(NotAllowed):
    """A personal link that is not ours, or too old."""

    default_message = _("This personal link does not work. It may be incomplete, or too old.")
    default_code = "bad_link"


def token_of(public_id: uuid.UUID) -> str:
    """The token that opens the session of the enrolment with this id: 256 bits, safe in cookies."""
    digest = salted_hmac(SESSION_SALT, str(public_id), algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")


def session_key(request: HttpRequest) -> str:
    """What the request's cookie is stored as; empty without a cookie."""
    token = request.COOKIES.get(COOKIE, "")
    return text_sha256(token) if token and token.isascii() else ""


def set_session_cookie(response: HttpResponse, *, slug: str, token: str) -> None:
    """Let this browser carry on with a session. The cookie is sent to this study's pages alone."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=KEPT,
        path=f"/s/{slug}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def resume_token(enrolment: Enrolment) -> str:
    """The signed part of the personal link of `enrolment`; the same at each call."""
    until = int((enrolment.started_at + KEPT).timestamp())
    return signing.Signer(salt=RESUME_SALT).sign_object([enrolment.public_id.hex, until])


def read_resume_token(token: str, *, now: datetime) -> uuid.UUID:
    """The id of the enrolment that a personal link opens.

    Raises
    ------
    BadLink
        If it was not signed here, or its time is over.
    """
    try:
        public_id, until = signing.Signer(salt=RESUME_SALT).unsign_object(token)
    except signing.BadSignature as error:
        raise BadLink from error
    if now.timestamp() >= until:
        raise BadLink
    return uuid.UUID(hex=public_id)


def simulated_pass(slug: str) -> str:
    """What a simulated participant sends as `simulated` when it starts, so that it is marked as such."""
    return signing.dumps(slug, salt=SIMULATED_SALT)


def is_simulated(value: str, *, slug: str) -> bool:
    """Whether `value` is a pass for the study `slug` and not older than a day.

    Raises
    ------
    BadLink
        If it is neither empty nor such a pass: a program must not be taken for a person.
    """
    if not value:
        return False
    try:
        if signing.loads(value, salt=SIMULATED_SALT, max_age=SIMULATED_FOR) == slug:
            return True
    except signing.BadSignature as error:
        raise BadLink(code="bad_pass") from error
    raise BadLink(code="bad_pass")
