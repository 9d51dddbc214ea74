"""How far a packet is, for those who watch: by rater, by item, by stratum. No label of anybody is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Length

from annotation.models import Assignment, Item, Judgement, Packet, Rater
from annotation.selectors.times import seconds_at_items

Status = Assignment.Status
Purpose = Assignment.Purpose

SOON = timedelta(minutes=10)
"""Leases that end within this are about to expire."""
CHARACTERS_PER_SECOND = 70.0
"""An item with more characters for each second spent on it was answered too fast: thrice what people read."""
LEAST_TIMED = 5
"""So many items must be timed before anybody is called too fast."""
FAST_SHARE = 0.5
"""Who answered at least this share of their items too fast is marked."""
LEAST_CONSTANT = 10
"""So many answers on a dimension, all the same, are called constant."""


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater's progress; `n_fast` of `n_timed` items were too fast, `constant` names dimensions with one answer."""

    rater: Rater
    n_done: int
    n_open: int
    n_skipped: int
    n_extra: int
    last_at: datetime | None
    n_timed: int
    n_fast: int
    median_s: float | None
    constant: tuple[str, ...]

    @property
    def is_fast(self) -> bool:
        """Whether the rater is too fast by the declared cut-offs."""
        return self.n_timed >= LEAST_TIMED and self.n_fast >= FAST_SHARE * self.n_timed


@dataclass(frozen=True, slots=True)
class StratumLine:
    """Places of people in one stratum."""

    name: str
    n_items: int
    n_places: int
    n_done: int


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that is held, and until when."""

    rater: str
    item: str
    until: datetime
    is_over: bool


def rater_lines(packet: Packet, *, with_answers: bool) -> list[RaterLine]:
    """Every rater of the campaign, in the order of codes.

    `with_answers`: also look for constant answers, which whoever judges must not learn of others.
    """
    work = Q(assignments__item__packet=packet, assignments__purpose=Purpose.WORK)
    raters = Rater.objects.filter(campaign=packet.campaign_id).annotate(
        n_done=Count("assignments", filter=work & Q(assignments__status=Status.DONE, assignments__is_extra=False)),
        n_open=Count("assignments", filter=work & Q(assignments__status=Status.OPEN)),
        n_skipped=Count("assignments", filter=work & Q(assignments__status=Status.SKIPPED)),
        n_extra=Count("assignments", filter=work & Q(assignments__is_extra=True)),
    )
    times = _times(packet)
    constant = _constant(packet) if with_answers else {}
    last = dict(
        Assignment.objects.counted()
        .filter(item__packet=packet)
        .order_by("rater", "done_at")
        .values_list("rater_id", "done_at")
    )
    return [_line(rater, times.get(rater.pk, []), last.get(rater.pk), constant) for rater in raters.order_by("code")]


def _line(
    rater: Rater,
    times: Sequence[tuple[float, int]],
    last_at: datetime | None,
    constant: Mapping[int, Sequence[str]],
) -> RaterLine:
    seconds = sorted(spent for spent, _characters in times)
    middle = len(seconds) // 2
    median = None
    if seconds:
        median = seconds[middle] if len(seconds) % 2 else (seconds[middle - 1] + seconds[middle]) / 2
    counts = {name: int(getattr(rater, name)) for name in ("n_done", "n_open", "n_skipped", "n_extra")}
    return RaterLine(
        rater,
        last_at=last_at,
        n_timed=len(times),
        n_fast=sum(spent * CHARACTERS_PER_SECOND < characters for spent, characters in times),
        median_s=median,
        constant=tuple(constant.get(rater.pk, ())),
        **counts,
    )


def _times(packet: Packet) -> dict[int, list[tuple[float, int]]]:
    """For each person the seconds spent on each item they judged, and its characters."""
    lengths = dict(
        Item.objects.filter(packet=packet).order_by().annotate(n=Sum(Length("texts__text"))).values_list("pk", "n")
    )
    found: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for rater_id, item_id, seconds in seconds_at_items(packet):
        found[rater_id].append((seconds, lengths.get(item_id) or 0))
    return found


def _constant(packet: Packet) -> dict[int, list[str]]:
    """The names of the dimensions on which a rater gave one answer every time."""
    rows = (
        Judgement.objects.counted()
        .filter(assignment__item__packet=packet, missing=None)
        .order_by("assignment__rater", "dimension__kind__position", "dimension__position")
        .values_list("assignment__rater_id", "dimension__name")
        .annotate(n=Count("pk"), n_labels=Count("label", distinct=True), n_sets=Count("labels", distinct=True))
        .filter(n__gte=LEAST_CONSTANT, n_labels__lte=1, n_sets__lte=1)
    )
    found: dict[int, list[str]] = defaultdict(list)
    for rater_id, name, *_counts in rows:
        found[rater_id].append(name)
    return found


def item_lines(packet: Packet) -> QuerySet[Item]:
    """The items to be judged, the least judged first, with `n_places`, `n_done`, `n_held` of people and `n_models`."""
    of_model = Q(assignments__rater__kind=Rater.Kind.MODEL, assignments__purpose=Purpose.WORK)
    return (
        packet.items.work()
        .select_related("kind")
        .annotate(
            n_places=Count("places", distinct=True),
            n_done=Count("places", filter=Q(places__holder__status=Status.DONE), distinct=True),
            n_held=Count("places", filter=Q(places__holder__status=Status.OPEN), distinct=True),
            n_models=Count("assignments", filter=of_model & Q(assignments__status=Status.DONE), distinct=True),
        )
        .order_by("n_done", "key")
    )


def stratum_lines(packet: Packet) -> list[StratumLine]:
    """Progress by stratum: for those alone who may see hidden fields."""
    rows = (
        packet.items.work()
        .order_by("hidden__stratum")
        .values_list("hidden__stratum")
        .annotate(
            n_items=Count("pk", distinct=True),
            n_places=Count("places", distinct=True),
            n_done=Count("places", filter=Q(places__holder__status=Status.DONE), distinct=True),
        )
    )
    return [StratumLine(name or "", n_items, n_places, n_done) for name, n_items, n_places, n_done in rows]


def leases(packet: Packet, *, now: datetime) -> list[Lease]:
    """What people hold and will lose soon, or have lost unless they come back, the earliest first."""
    rows = Assignment.objects.filter(
        item__packet=packet, purpose=Purpose.WORK, status=Status.OPEN, lease_until__lt=now + SOON
    ).order_by("lease_until", "pk")
    columns = ("rater__code", "item__key", "lease_until")
    return [Lease(rater, item, until, until < now) for rater, item, until in rows.values_list(*columns)[:100]]
