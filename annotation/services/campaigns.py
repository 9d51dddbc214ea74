"""The life of a campaign and its team."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.definition import Definition
from annotation.definition.writing import write
from annotation.errors import SlugTaken
from annotation.models import Campaign, CampaignMember, Packet
from annotation.services.common import lock_campaign, record, refuse_if_frozen
from core.canonical import content_sha256
from core.errors import Conflict, Invalid

Role = CampaignMember.Role


def create_campaign(*, slug: str, title: str, kind: str, by: Any, now: datetime, **columns: Any) -> Campaign:
    """Create a campaign with an empty draft packet; `by` becomes its owner (nobody does if a command creates it)."""
    campaign = Campaign(slug=slug, title=title, kind=kind, created_at=now, created_by=by, **columns)
    if Campaign.objects.filter(slug=slug).exists():
        raise SlugTaken(slug)
    try:
        campaign.full_clean()
    except ValidationError as error:
        raise Invalid(fields=error.message_dict) from error
    try:
        with transaction.atomic():
            campaign.save()
            furnish(campaign=campaign, by=by, now=now)
            record(campaign, "created", by=by, now=now)
    except IntegrityError as error:  # somebody took the slug in between: all else has been checked
        raise SlugTaken(slug) from error
    return campaign


def furnish(*, campaign: Campaign, by: Any, now: datetime) -> None:
    """Give a new campaign its owner and the draft of its first packet, if it has none."""
    if by is not None:
        CampaignMember.objects.update_or_create(campaign=campaign, user=by, defaults={"role": Role.OWNER})
    if not campaign.packets.exists():
        Packet.objects.create(campaign=campaign, number=1, created_at=now)


@transaction.atomic
def apply_definition(*, definition: Definition, by: Any, now: datetime) -> tuple[Campaign, bool]:
    """Create the campaign that `definition` defines, or make its draft packet say it; return it and whether it is new.

    Without a draft, because the packet is frozen, it is refused: `packets.amend` opens the next draft.
    """
    data = definition.data
    campaign = Campaign.objects.filter(slug=definition.slug).first()
    is_new = campaign is None
    if campaign is None:
        campaign = create_campaign(slug=definition.slug, title=data["title"], kind=data["kind"], by=by, now=now)
    lock_campaign(campaign)
    packet = campaign.packets.order_by("-number")[0]
    refuse_if_frozen(packet)
    packet.campaign = campaign
    write(packet, data, now)
    record(campaign, "loaded", by=by, now=now, sha256=content_sha256(dict(data)), packet=packet.number)
    return campaign, is_new


@transaction.atomic
def pause(*, campaign: Campaign, by: Any, now: datetime) -> None:
    """Let nobody judge for the time being."""
    lock_campaign(campaign)
    if campaign.paused_at is not None:
        raise Conflict(_("The campaign is paused already."), code="wrong_status")
    _set_paused(campaign, now)
    record(campaign, "paused", by=by, now=now)


@transaction.atomic
def resume(*, campaign: Campaign, by: Any, now: datetime) -> None:
    """Let raters go on."""
    lock_campaign(campaign)
    if campaign.paused_at is None:
        raise Conflict(_("The campaign is not paused."), code="wrong_status")
    _set_paused(campaign, None)
    record(campaign, "resumed", by=by, now=now)


def _set_paused(campaign: Campaign, at: datetime | None) -> None:
    campaign.paused_at = at
    campaign.save(update_fields=["paused_at"])


@transaction.atomic
def add_member(*, campaign: Campaign, user: Any, role: str, by: Any, now: datetime) -> CampaignMember:
    """Give `user` the role in the team, instead of the one they may have."""
    lock_campaign(campaign)
    roles = _roles(campaign)
    _refuse_without_owner(roles, roles | {user.pk: role})
    member, _made = CampaignMember.objects.update_or_create(campaign=campaign, user=user, defaults={"role": role})
    record(campaign, "member_added", by=by, now=now, user=user.pk, role=str(role))
    return member


@transaction.atomic
def remove_member(*, campaign: Campaign, user: Any, by: Any, now: datetime) -> None:
    """Take the role of `user` away; the last owner stays."""
    lock_campaign(campaign)
    roles = _roles(campaign)
    _refuse_without_owner(roles, {pk: role for pk, role in roles.items() if pk != user.pk})
    CampaignMember.objects.filter(campaign=campaign, user=user).delete()
    record(campaign, "member_removed", by=by, now=now, user=user.pk)


def _roles(campaign: Campaign) -> dict[int, str]:
    return dict(CampaignMember.objects.filter(campaign=campaign).values_list("user_id", "role"))


def _refuse_without_owner(before: dict[int, str], after: dict[int, str]) -> None:
    if Role.OWNER in before.values() and Role.OWNER not in after.values():
        raise Conflict(_("A campaign keeps at least one owner: make somebody else owner first."), code="last_owner")
