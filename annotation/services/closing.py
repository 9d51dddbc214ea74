"""The end of judging: lock, unblind, adjudicate. Each act once, by a named person, on record."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import hashing
from annotation.answers import Given, check
from annotation.models import Adjudication, Campaign, Dimension, Item, Judgement, Lock, Packet, Unblinding
from annotation.selectors.completeness import completeness, judgements_sha256
from annotation.selectors.packets import hidden_hashes
from annotation.services.common import lock_campaign, lock_packet, record
from core.errors import Conflict, Invalid
from core.text import is_blank, normalise_typed


@transaction.atomic
def lock(*, campaign: Campaign, by: Any, now: datetime, override_reason: str = "") -> Lock:
    """End the judging of the campaign's packet. From here on no answer is given or changed.

    Raises
    ------
    Conflict
        If there is no frozen packet, it is locked already, or it is incomplete and no reason is given.
    """
    lock_campaign(campaign)
    packet = _current(campaign)
    lock_packet(packet)  # waits for the answers that are just being stored
    if Lock.objects.filter(packet=packet).exists():
        raise Conflict(_("The packet is locked already."), code="locked")
    counts = completeness(packet)
    reason = override_reason.strip()
    if not counts.is_complete and not reason:
        raise Conflict(str(counts), code="incomplete")
    row = Lock.objects.create(
        packet=packet,
        is_complete=counts.is_complete,
        override_reason="" if counts.is_complete else reason,
        counts=counts.to_dict(),
        judgements_sha256=judgements_sha256(packet),
        locked_at=now,
        locked_by=_account(by),
        locked_by_name=_name(by),
    )
    record(
        campaign, "locked", by=by, now=now, packet=packet.number, complete=row.is_complete, reason=row.override_reason
    )
    return row


@transaction.atomic
def unblind(*, campaign: Campaign, by: Any, now: datetime) -> Unblinding:
    """Release the hidden fields of the locked packet: once, for good, by the named person `by`.

    Raises
    ------
    Invalid
        If nobody is named.
    Conflict
        If the packet is not locked, or unblinded already.
    """
    if _account(by) is None:
        raise Invalid(_("Unblinding is an act of a named person."), code="nobody_named")
    lock_campaign(campaign)
    packet = _current(campaign)
    locked = Lock.objects.select_for_update(no_key=True).filter(packet=packet).first()
    if locked is None:
        raise Conflict(_("Lock the packet first: nobody may answer after the hidden fields are known."))
    if Unblinding.objects.filter(lock=locked).exists():
        raise Conflict(_("The packet is unblinded already."), code="unblinded")
    row = Unblinding.objects.create(
        lock=locked,
        mapping_sha256=hashing.joint_sha256(hidden_hashes(packet)),
        unblinded_at=now,
        unblinded_by=by,
        unblinded_by_name=_name(by),
    )
    record(
        campaign,
        "unblinded",
        by=by,
        now=now,
        packet=packet.number,
        mapping_sha256=row.mapping_sha256,
        is_as_sealed=row.mapping_sha256 == packet.mapping_sha256,
    )
    return row


@transaction.atomic
def adjudicate(*, item: Item, dimension: Dimension, given: Given, reason: str, by: Any, now: datetime) -> Adjudication:
    """Decide on a label after the lock; the raters' own stay. Deciding again supersedes the earlier decision.

    Raises
    ------
    Invalid
        If nobody is named, there is no reason, or the label is none of the dimension.
    Conflict
        If the packet is not locked.
    """
    if _account(by) is None:
        raise Invalid(_("Adjudication is an act of a named person."), code="nobody_named")
    text = normalise_typed(reason)
    if is_blank(text):
        raise Invalid(fields={"reason": [_("Say why, in a sentence.")]})
    if dimension.kind_id != item.kind_id:
        raise Invalid(_("This is not asked about the item."), code="wrong_dimension")
    locked = Lock.objects.select_for_update(no_key=True).filter(packet=item.packet_id).first()
    if locked is None:
        raise Conflict(_("Lock the packet first: raters must not be judged while they judge."), code="not_locked")
    # Not swapped: whoever adjudicates sees the texts in their stored order.
    answer = check([_alone(dimension)], {dimension.code: given}, swapped=False, by_model=False)[0]
    if answer.missing not in (None, Judgement.Missing.CANNOT_JUDGE):
        raise Invalid(_("Choose a label."), code="no_label")
    Adjudication.objects.current().filter(item=item, dimension=dimension).update(superseded_at=now)
    row = Adjudication.objects.create(
        lock=locked,
        item=item,
        dimension=dimension,
        label=answer.label,
        labels=answer.labels,
        cannot_judge=answer.missing is not None,
        reason=text,
        was_blind=not Unblinding.objects.filter(lock=locked).exists(),
        author=by,
        author_name=_name(by),
        decided_at=now,
    )
    record(locked.packet.campaign, "adjudicated", by=by, now=now, item=item.key, dimension=dimension.code)
    return row


def _alone(dimension: Dimension) -> Dimension:
    """The dimension as if it depended on no other: whoever adjudicates answers one question."""
    alone = Dimension.objects.prefetch_related("labels").get(pk=dimension.pk)
    alone.depends_on_id = None
    return alone


def _current(campaign: Campaign) -> Packet:
    packet = campaign.current_packet
    if packet is None:
        raise Conflict(_("The campaign has no frozen packet."), code="not_frozen")
    packet.campaign = campaign
    return packet


def _account(by: Any) -> Any:
    return by if by is not None and getattr(by, "is_authenticated", False) else None


def _name(by: Any) -> str:
    account = _account(by)
    return "command line" if account is None else str(account.get_username())
