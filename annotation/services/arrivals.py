"""Coming in by an invitation link: pressing Start twice makes one rater, also without script."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from annotation.models import Rater
from annotation.services.common import lock_campaign
from annotation.services.raters import accept_invitation, invitation_by_token
from core.canonical import text_sha256

SALT = "polyphony.rater"


def token_for(start_key: str) -> str:
    """The token of the rater whose start page carried `start_key`: 256 bits that only this copy can derive."""
    digest = salted_hmac(SALT, start_key, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")


@transaction.atomic
def start(*, token: str, start_key: str, now: datetime, account: Any = None) -> tuple[Rater, str]:
    """Make whoever pressed Start on the page of an invitation a rater; returns the rater and the token of their cookie.

    The same `start_key` again, as by a double click, is the same rater.

    Raises
    ------
    NotThere, InvitationClosed
        If there is no such invitation, or nobody may come in by it any more.
    """
    invitation = invitation_by_token(token)
    lock_campaign(invitation.campaign)
    own = token_for(start_key)
    known = Rater.objects.filter(campaign=invitation.campaign_id, token_sha256=text_sha256(own)).first()
    if known is not None:
        return known, own
    rater, _fresh = accept_invitation(token=token, now=now, account=account)
    rater.token_sha256 = text_sha256(own)
    rater.save(update_fields=["token_sha256"])
    return rater, own
