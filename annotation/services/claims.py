"""Giving items to people: each item to exactly as many different raters as its packet says.

An item has places, one for each rater it needs. A rater gets a free place by locking its row; others pass over what is
locked. A place whose holder let the lease run out is free again. Every claim runs under the rater's lock, so that two
tabs of one person get the same item.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from annotation.errors import ConsentMissing
from annotation.models import Assignment, ItemEvent, Packet, Place, Rater
from annotation.selectors.places import Balance, Candidate, balance_of, candidates, held_by_others, plan_for_model
from annotation.selectors.raters import needs_consent
from annotation.services import qualifying
from annotation.services.common import hold_open, lock_rater, place_of
from core.errors import Conflict, Invalid
from core.text import normalise_typed

Status = Assignment.Status
Purpose = Assignment.Purpose
EventKind = ItemEvent.Kind


class Ended(StrEnum):
    """Why there is no item for a rater at the moment. Only `WAIT` may change by itself."""

    FINISHED = "finished"
    ENOUGH = "enough"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Next:
    """The item a rater works on now, or why there is none."""

    assignment: Assignment | None
    ended: Ended | None = None


@transaction.atomic
def next_assignment(*, rater: Rater, packet: Packet, now: datetime) -> Next:
    """What the rater judges now: an open item of theirs, else training, qualification, or a place claimed for them.

    Asking again gives the same item until it is judged, skipped or lost; no second one is held meanwhile.

    Raises
    ------
    ConsentMissing, NotQualified, RaterRemoved
        If the rater may not judge (yet, or any more).
    NotOpen, PacketLocked
        If nobody may judge the packet now.
    """
    lock_rater(rater)
    hold_open(packet)
    if needs_consent(rater):
        raise ConsentMissing
    before_work = qualifying.next_for(rater, packet, now)
    if before_work is not None:
        return Next(before_work)
    current = _open_work(rater, packet)
    if current is not None:
        _renew(current, packet, now)
        return Next(current)
    return _claim(rater, packet, now)


def _open_work(rater: Rater, packet: Packet) -> Assignment | None:
    """The rater's open item that was not postponed; segments come in their order."""
    mine = Assignment.objects.filter(rater=rater, item__packet=packet, purpose=Purpose.WORK, status=Status.OPEN)
    return mine.filter(postponed_at=None).select_related("item").order_by("rank").first()


def _renew(assignment: Assignment, packet: Packet, now: datetime) -> None:
    """Keep the item for the rater from now on; its place is still theirs, else it would not be open."""
    until = now + timedelta(minutes=packet.lease_minutes)
    Assignment.objects.filter(rater_id=assignment.rater_id, status=Status.OPEN, purpose=Purpose.WORK).update(
        lease_until=until
    )
    assignment.lease_until = until


def _claim(rater: Rater, packet: Packet, now: datetime) -> Next:
    if _has_enough(rater, packet):
        return _postponed(rater, packet, now) or Next(None, Ended.ENOUGH)
    balance = balance_of(rater, packet)
    offered = candidates(rater, packet, balance, now)
    for candidate in offered:
        taken = _take(candidate, rater, packet, balance, now)
        if taken is not None:
            return Next(taken)
    postponed = _postponed(rater, packet, now)
    if postponed is not None:
        return postponed
    waits = bool(offered) or held_by_others(rater, packet)
    return Next(None, Ended.WAIT if waits else Ended.FINISHED)


def _has_enough(rater: Rater, packet: Packet) -> bool:
    if packet.items_per_rater is None:
        return False
    n = Assignment.objects.filter(
        rater=rater, item__packet=packet, purpose=Purpose.WORK, status__in=[Status.OPEN, Status.DONE], is_extra=False
    ).count()
    return n >= packet.items_per_rater


def _postponed(rater: Rater, packet: Packet, now: datetime) -> Next | None:
    """The item that was skipped longest ago, now that nothing else is left."""
    mine = Assignment.objects.filter(rater=rater, item__packet=packet, purpose=Purpose.WORK, status=Status.OPEN)
    first = mine.exclude(postponed_at=None).select_related("item").order_by("postponed_at", "rank").first()
    if first is None:
        return None
    _renew(first, packet, now)
    return Next(first)


def _take(candidate: Candidate, rater: Rater, packet: Packet, balance: Balance, now: datetime) -> Assignment | None:
    """Take the place, and with a segment the rest of its sequence; None if somebody else was quicker."""
    place = _lock_if_free(candidate.place_id, now)
    if place is None:
        return None
    swapped = balance.side_for(candidate)
    if place.swapped != swapped:
        place.swapped = swapped
    first = _assign(place, rater, packet, swapped, now)
    for other in candidate.rest:
        follower = _lock_if_free(other, now)
        if follower is not None:
            _assign(follower, rater, packet, follower.swapped, now)
    return first


def _lock_if_free(place_id: int, now: datetime) -> Place | None:
    """The place, locked and free of its former holder; None if it is held, or somebody is just taking it."""
    place = Place.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=place_id).order_by("pk").first()
    if place is None:
        return None
    if place.holder_id is None:
        return place
    # Read after the place was locked: whoever submits takes the same lock first.
    holder = Assignment.objects.filter(pk=place.holder_id, status=Status.OPEN, lease_until__lt=now)
    if not holder.update(status=Status.EXPIRED, lease_until=None):
        return None
    place.holder = None
    return place


def _assign(place: Place, rater: Rater, packet: Packet, swapped: bool | None, now: datetime) -> Assignment:
    """Give the place to the rater: a new assignment, or the one they lost, with the side it was shown with."""
    until = now + timedelta(minutes=packet.lease_minutes)
    assignment, made = Assignment.objects.select_related("item").get_or_create(
        item_id=place.item_id,
        rater=rater,
        purpose=Purpose.WORK,
        round=1,
        defaults={"swapped": swapped, "rank": next_rank(rater), "claimed_at": now, "lease_until": until},
    )
    if not made:
        assignment.status, assignment.lease_until, assignment.postponed_at = Status.OPEN, until, None
        assignment.save(update_fields=["status", "lease_until", "postponed_at"])
        place.swapped = assignment.swapped  # the page shows what it showed before
    place.holder = assignment
    place.save(update_fields=["holder", "swapped"])
    return assignment


def next_rank(rater: Rater) -> int:
    """The next place in the rater's order. The rater is locked."""
    last = Assignment.objects.filter(rater=rater).aggregate(last=Max("rank"))["last"]
    return (last or 0) + 1


@transaction.atomic
def skip(*, assignment: Assignment, now: datetime, reason: str = "") -> None:
    """Skip an item by the packet's policy: it comes again at the end, or goes to somebody else.

    Raises
    ------
    Conflict
        If items cannot be skipped, or this one is finished.
    """
    rater = assignment.rater
    lock_rater(rater)
    packet = assignment.item.packet
    hold_open(packet)
    place = place_of(assignment)
    assignment.refresh_from_db(fields=["status", "purpose"])
    if packet.skip_policy == Packet.SkipPolicy.NEVER or assignment.purpose != Purpose.WORK:
        raise Conflict(_("This item cannot be skipped."), code="no_skipping")
    if assignment.status != Status.OPEN:
        raise Conflict(_("This item is finished; there is nothing to skip."), code="wrong_status")
    assignment.skip_reason = normalise_typed(reason)
    if len(assignment.skip_reason) > 300:
        raise Invalid(fields={"reason": [_("Say it in at most 300 characters.")]})
    if packet.skip_policy == Packet.SkipPolicy.LATER:
        assignment.postponed_at = now
    else:
        assignment.status, assignment.lease_until = Status.SKIPPED, None
        if place is not None:
            place.holder = None
            place.save(update_fields=["holder"])
    assignment.save(update_fields=["status", "lease_until", "postponed_at", "skip_reason"])
    ItemEvent.objects.create(assignment=assignment, kind=EventKind.SKIPPED, at=now)


@transaction.atomic
def note_event(*, assignment: Assignment, kind: str, now: datetime) -> None:
    """Note what the server saw of the rater at the item: the page was shown, left, or looked at again."""
    ItemEvent.objects.create(assignment=assignment, kind=EventKind(kind), at=now)


@transaction.atomic
def release_expired(*, packet: Packet, now: datetime) -> int:
    """Free every place whose holder's lease has run out; returns how many. Claims do the same for what they need."""
    late = Place.objects.select_for_update(skip_locked=True, no_key=True, of=("self",)).filter(
        Q(holder__status=Status.OPEN) & Q(holder__lease_until__lt=now), item__packet=packet
    )
    n = 0
    for place_id in list(late.values_list("pk", flat=True)):
        place = _lock_if_free(place_id, now)
        if place is not None:
            place.save(update_fields=["holder"])
            n += 1
    return n


@transaction.atomic
def assign_everything(*, rater: Rater, packet: Packet, now: datetime) -> int:
    """Give a model every item to be judged, in an order drawn for it, with sides in balance; returns how many are new.

    With `asks_both_ways` each item with two sides comes a second time the other way round (purpose `swap`).
    """
    lock_rater(rater)
    hold_open(packet)
    known = set(Assignment.objects.filter(rater=rater, item__packet=packet).values_list("item_id", "purpose"))
    rank = next_rank(rater)
    rows: list[Assignment] = []
    for item_id, purpose, swapped in plan_for_model(rater, packet):
        if (item_id, purpose) not in known:
            rows.append(
                Assignment(item_id=item_id, rater=rater, purpose=purpose, swapped=swapped, rank=rank, claimed_at=now)
            )
            rank += 1
    Assignment.objects.bulk_create(rows, batch_size=2000)
    return len(rows)
