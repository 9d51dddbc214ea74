"""The address of a staff login; participants' addresses are never looked at."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address a login came from, as the nearest proxy saw it if there is one."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    # The last entry is the one our own proxy added; those before it are the visitor's word.
    return str(forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", ""))
