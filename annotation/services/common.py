"""What the services of audits share: locks in one order, the record of acts.

Locks are taken in the order campaign, packet, rater, place, assignment. A rater's act holds the packet only against a
lock or a freeze (`hold_open`), so that raters do not wait for each other.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from annotation.errors import NotOpen, PacketFrozen, PacketLocked, RaterRemoved
from annotation.models import Assignment, Campaign, Lock, Packet, Place, Rater
from core import audit


def lock_campaign(campaign: Campaign) -> None:
    """Lock the campaign's row and take over its present state; the first lock of every act of the team."""
    campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))


def lock_packet(packet: Packet) -> None:
    """Lock the packet's row against everybody, raters included, and take over its present state."""
    packet.refresh_from_db(from_queryset=Packet.objects.select_for_update())


def hold_open(packet: Packet) -> None:
    """Keep the packet from being locked until the transaction ends; refuse if nobody may judge it now.

    Several raters hold it at once. SQLite knows one writer at a time and needs no lock.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM annotation_packet WHERE id = %s FOR SHARE", [packet.pk])
    refuse_if_locked(packet)
    campaign = Campaign.objects.only("current_packet_id", "paused_at").get(pk=packet.campaign_id)
    if not packet.is_frozen:
        raise NotOpen(_("The packet is not frozen yet, so there is nothing to judge."))
    if campaign.current_packet_id != packet.pk:
        raise NotOpen(_("This packet was amended: another one has taken its place."))
    if campaign.paused_at is not None:
        raise NotOpen(_("The campaign is paused at the moment. Please come back later."), code="paused")


def refuse_if_locked(packet: Packet) -> None:
    """Refuse answers to a locked packet."""
    if Lock.objects.filter(packet=packet).exists():
        raise PacketLocked


def lock_rater(rater: Rater) -> None:
    """Lock the rater's row; refuse one who was removed."""
    rater.refresh_from_db(from_queryset=Rater.objects.select_for_update(no_key=True))
    if not rater.is_active:
        raise RaterRemoved


def place_of(assignment: Assignment) -> Place | None:
    """The place that the assignment holds, locked, so that nobody takes it until the transaction ends.

    Ordered by the primary key: the usual order would join items and packets, and lock their rows, too.
    """
    return Place.objects.select_for_update(no_key=True).filter(holder=assignment).order_by("pk").first()


def refuse_if_frozen(packet: Packet) -> None:
    """Refuse to edit a frozen packet, and say why."""
    if packet.is_frozen:
        raise PacketFrozen


def record(campaign: Campaign, event: str, *, by: Any, now: datetime, **detail: Any) -> None:
    """Write an audit event about the campaign."""
    study_id = campaign.study.public_id if campaign.study is not None else ""
    audit.record(
        f"audit.{event}",
        subject_kind="campaign",
        subject_id=campaign.public_id,
        study_id=study_id,
        by=by,
        now=now,
        **detail,
    )
