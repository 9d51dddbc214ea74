"""Who judges: bringing raters in, their consent, taking them out. What they gave stays."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.errors import InvitationClosed
from annotation.models import Assignment, Campaign, Invitation, Judge, Place, Rater, RaterConsent
from annotation.services.common import lock_campaign, lock_rater, record
from core.canonical import text_sha256
from core.endpoints import check_model_parameters
from core.errors import Conflict, Invalid, NotThere
from core.randomness import new_code
from studies.models import Enrolment

CODE_LENGTH = 6
TOKEN_BYTES = 24
Kind = Rater.Kind
CameBy = Rater.CameBy


@transaction.atomic
def add_account(*, campaign: Campaign, account: Any, by: Any, now: datetime, **terms: Any) -> Rater:
    """Let the person with `account` judge; the same person again is the same rater. `terms`: recruitment and pay."""
    lock_campaign(campaign)
    found = Rater.objects.filter(campaign=campaign, account=account).first()
    if found is not None:
        return found
    rater = _add(campaign, Kind.PERSON, CameBy.ACCOUNT, now, account=account, **terms)
    record(campaign, "rater_added", by=by, now=now, rater=rater.code, came_by=rater.came_by)
    return rater


@transaction.atomic
def invite(
    *, campaign: Campaign, name: str, limit: int, expires_at: datetime, by: Any, now: datetime, **terms: Any
) -> tuple[Invitation, str]:
    """Make an invitation link; returns it and its token, which is not kept and cannot be shown again."""
    if expires_at <= now:
        raise Invalid(fields={"expires_at": [_("Choose a time in the future.")]})
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation(
        campaign=campaign,
        name=name,
        limit=limit,
        expires_at=expires_at,
        created_at=now,
        created_by=by,
        token_sha256=text_sha256(token),
        **terms,
    )
    _save_checked(invitation)
    record(campaign, "invited", by=by, now=now, invitation=str(invitation.public_id), limit=limit)
    return invitation, token


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: Any, now: datetime) -> None:
    """Let nobody else in by the link; who came by it stays."""
    invitation.refresh_from_db(from_queryset=Invitation.objects.select_for_update(no_key=True))
    if invitation.revoked_at is None:
        invitation.revoked_at = now
        invitation.save(update_fields=["revoked_at"])
        record(invitation.campaign, "invitation_revoked", by=by, now=now, invitation=str(invitation.public_id))


def invitation_by_token(token: str) -> Invitation:
    """The invitation of a link.

    Raises
    ------
    NotThere
        If there is none with this token.
    """
    invitation = Invitation.objects.select_related("campaign").filter(token_sha256=text_sha256(token)).first()
    if invitation is None:
        raise NotThere(_("There is no such invitation."))
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, now: datetime, account: Any = None) -> tuple[Rater, str]:
    """Make whoever has the link a rater; returns the rater and the token by which they come back.

    A person who is logged in and is a rater of the campaign already stays the one they are, and nothing is used up.
    """
    found = invitation_by_token(token)
    campaign = found.campaign
    lock_campaign(campaign)
    invitation = Invitation.objects.select_for_update(no_key=True).get(pk=found.pk)
    if account is not None:
        known = Rater.objects.filter(campaign=campaign, account=account).first()
        if known is not None:
            return known, new_token(rater=known)
    if not invitation.is_open(now):
        raise InvitationClosed
    Invitation.objects.filter(pk=invitation.pk).update(n_used=F("n_used") + 1)
    terms = {name: getattr(invitation, name) for name in ("recruitment", "pay_amount", "pay_currency", "pay_per")}
    rater = _add(campaign, Kind.PERSON, CameBy.INVITATION, now, invitation=invitation, account=account, **terms)
    record(campaign, "rater_joined", by=None, now=now, rater=rater.code, invitation=str(invitation.public_id))
    return rater, new_token(rater=rater)


def new_token(*, rater: Rater) -> str:
    """A fresh token by which the rater comes back; an earlier one no longer works. Only its hash is kept."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    rater.token_sha256 = text_sha256(token)
    rater.save(update_fields=["token_sha256"])
    return token


def rater_by_token(token: str) -> Rater:
    """The rater who has `token`.

    Raises
    ------
    NotThere
        If there is none.
    """
    rater = Rater.objects.select_related("campaign").filter(token_sha256=text_sha256(token)).first()
    if rater is None:
        raise NotThere(_("There is no such rater."))
    return rater


@transaction.atomic
def enrol(*, campaign: Campaign, enrolment: Enrolment, now: datetime, **terms: Any) -> Rater:
    """Let a participant of a study judge within their session; the same one again is the same rater."""
    lock_campaign(campaign)
    found = Rater.objects.filter(campaign=campaign, enrolment=enrolment).first()
    return found or _add(campaign, Kind.PERSON, CameBy.ENROLMENT, now, enrolment=enrolment, **terms)


@transaction.atomic
def add_judge(
    *,
    campaign: Campaign,
    endpoint: str,
    model: str,
    prompt: str,
    by: Any,
    now: datetime,
    parameters: Mapping[str, Any] | None = None,
    asks_both_ways: bool = False,
    attempts: int = 3,
    name: str = "",
) -> Rater:
    """Let a language model judge as a rater of its own."""
    check_model_parameters(dict(parameters or {}))
    lock_campaign(campaign)
    rater = _add(campaign, Kind.MODEL, CameBy.ENDPOINT, now, name=name or model)
    judge = Judge(
        rater=rater,
        endpoint=endpoint,
        model=model,
        parameters=dict(parameters or {}),
        prompt=prompt,
        prompt_sha256=text_sha256(prompt),
        asks_both_ways=asks_both_ways,
        attempts=attempts,
    )
    _save_checked(judge)
    record(campaign, "judge_added", by=by, now=now, rater=rater.code, endpoint=endpoint, model=model)
    return rater


@transaction.atomic
def add_from_file(*, campaign: Campaign, code: str, kind: str, now: datetime, name: str = "", **terms: Any) -> Rater:
    """A rater whose answers come from a file; the same code again is the same rater."""
    lock_campaign(campaign)
    found = Rater.objects.filter(campaign=campaign, code=code).first()
    if found is None:
        return _add(campaign, kind, CameBy.FILE, now, code=code, name=name, **terms)
    if found.came_by != CameBy.FILE or found.kind != kind:
        message = _("The code %(code)s belongs to another rater of this campaign.")
        raise Conflict(message % {"code": code}, code="rater_code_taken")
    return found


def _add(campaign: Campaign, kind: str, came_by: str, now: datetime, *, code: str = "", **columns: Any) -> Rater:
    """Write a rater. The campaign is locked, so that codes and columns are dealt out one after another."""
    taken = set(Rater.objects.filter(campaign=campaign).values_list("code", flat=True))
    while not code:
        drawn = f"R-{new_code(CODE_LENGTH)}"
        code = "" if drawn in taken else drawn
    rater = Rater(
        campaign=campaign,
        code=code,
        kind=kind,
        came_by=came_by,
        joined_at=now,
        column=_next_column(campaign) if kind == Kind.PERSON and came_by != CameBy.FILE else 1,
        **columns,
    )
    _save_checked(rater)
    return rater


def _next_column(campaign: Campaign) -> int:
    """The column of places with the fewest active raters, the first of equals."""
    packet = campaign.packets.order_by("-number").first()
    n = max(1, packet.raters_per_item) if packet is not None else 1
    active = Rater.objects.people().filter(campaign=campaign, removed_at=None).exclude(came_by=CameBy.FILE)
    columns = list(active.values_list("column", flat=True))
    return min(range(1, n + 1), key=lambda column: (columns.count(column), column))


def _save_checked(row: Rater | Invitation | Judge) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        raise Invalid(fields=error.message_dict) from error
    row.save()


@transaction.atomic
def decide_consent(*, rater: Rater, accepted: bool, now: datetime) -> RaterConsent:
    """Record what the rater decided on the consent text in force. A decision once made stays; repeating it is no error.

    Raises
    ------
    Conflict
        If there is no consent text, or the rater decided otherwise before.
    """
    lock_rater(rater)
    text = rater.campaign.consent_texts.order_by("-number").first()
    if text is None:
        raise Conflict(_("The campaign has no consent text yet."), code="no_consent_text")
    consent, _made = RaterConsent.objects.get_or_create(
        rater=rater,
        consent_text=text,
        defaults={"text_sha256": text.sha256, "accepted": accepted, "decided_at": now},
    )
    if consent.accepted != accepted:
        raise Conflict(_("You have decided on this text already."), code="decided")
    return consent


@transaction.atomic
def remove(*, rater: Rater, by: Any, now: datetime) -> None:
    """End the work of a rater. Their answers stay and are exported; items they have not finished go to others."""
    lock_rater(rater)
    unfinished = Assignment.objects.filter(rater=rater, status=Assignment.Status.OPEN)
    Place.objects.filter(holder__in=unfinished).update(holder=None)
    unfinished.update(status=Assignment.Status.RETURNED, lease_until=None)
    rater.removed_at = now
    rater.save(update_fields=["removed_at"])
    record(rater.campaign, "rater_removed", by=by, now=now, rater=rater.code)
