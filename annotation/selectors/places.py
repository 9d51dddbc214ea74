"""Which free place a rater is offered: order, balance of sides, sequences, blind repetitions."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet

from annotation.models import Assignment, Item, Packet, Place, Rater
from annotation.selectors.packets import strata_with_sides
from annotation.sides import is_balanced, judge_sides
from core.randomness import ALPHABET, drawn_order, generator_for

Status = Assignment.Status
Purpose = Assignment.Purpose

WINDOW = 5000
"""How many free places are looked at, beginning at a key drawn for the rater."""
APART = 10
"""A blind repetition comes at least so many items after the original, if there are others to come between."""


class Free(NamedTuple):
    """A free place as it is read."""

    place_id: int
    key: str
    number: int
    swapped: bool | None
    kind: str
    stratum: str
    sequence: str
    segment: int | None
    repeats: int | None

    @property
    def group(self) -> str:
        """What the balance is kept within."""
        return f"{self.kind}/{self.stratum}"


_COLUMNS = (
    "pk",
    "item__key",
    "number",
    "swapped",
    "item__kind__code",
    "item__hidden__stratum",
    "item__sequence",
    "item__place",
    "item__hidden__repeats",
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that is free for a rater; `rest` are the places of the later segments of its sequence."""

    place_id: int
    key: str
    number: int
    swapped: bool | None
    stratum: str
    is_flexible: bool
    is_recent: bool = False
    sequence: str = ""
    rest: tuple[int, ...] = ()


@dataclass(slots=True)
class Balance:
    """How many more items of each stratum a rater saw swapped than not."""

    is_kept: bool
    differences: Counter[str] = field(default_factory=Counter)

    def side_for(self, candidate: Candidate) -> bool | None:
        """The side to show: the place's own, or the other one if only that is in balance and the place may turn."""
        side = candidate.swapped
        if side is None or self.allows(candidate, swapped=side) or not candidate.is_flexible:
            return side
        return not side

    def allows(self, candidate: Candidate, *, swapped: bool) -> bool:
        """Whether the side leaves the rater's difference in the stratum at most 1."""
        return not self.is_kept or is_balanced(self.differences[candidate.stratum], swapped=swapped)

    def is_kept_by(self, candidate: Candidate) -> bool:
        """Whether the place can be given in balance."""
        side = self.side_for(candidate)
        return side is None or self.allows(candidate, swapped=side)


def balance_of(rater: Rater, packet: Packet) -> Balance:
    """The balance of what the rater holds and has done."""
    rows = Assignment.objects.filter(
        rater=rater,
        item__packet=packet,
        purpose=Purpose.WORK,
        status__in=[Status.OPEN, Status.DONE],
        swapped__isnull=False,
    )
    balance = Balance(packet.is_counterbalanced)
    for code, stratum, swapped in rows.values_list("item__kind__code", "item__hidden__stratum", "swapped"):
        balance.differences[f"{code}/{stratum}"] += 1 if swapped else -1
    return balance


def candidates(rater: Rater, packet: Packet, balance: Balance, now: datetime) -> list[Candidate]:
    """The free places for the rater, best first: in balance, of the rater's column, in the order drawn for the rater.

    With more raters than places, items that only one side is left of come first, so that few remain for those who need
    the other. What is out of balance even so comes last: it is turned if its pair is then still shown both ways, and
    else given as it is, because an item without its raters would be worse. `docs/annotation.md` says how rarely.
    """
    rows = _window(rater, packet, now)
    found = _as_bundles(rows, packet, _recent(rater))
    urgent = _one_sided(rows) if _is_crowded(packet) else set()

    def rank(candidate: Candidate) -> tuple[bool, bool, bool, bool, bytes]:
        drawn = candidate.sequence or candidate.key
        order = hashlib.sha256(f"{packet.seed}\x1f{rater.code}\x1f{drawn}".encode()).digest()
        return (
            not balance.is_kept_by(candidate),
            candidate.is_recent,
            candidate.place_id not in urgent,
            candidate.number != rater.column,
            order,
        )

    ranked = sorted(found, key=rank)
    if ranked and not balance.is_kept_by(ranked[0]):
        ranked = sorted(_turnable(ranked, packet), key=rank)
    return _one_an_item(ranked)


def _is_crowded(packet: Packet) -> bool:
    """Whether more people work than an item has places."""
    people = Rater.objects.people().filter(campaign=packet.campaign_id, removed_at=None)
    return people.exclude(came_by=Rater.CameBy.FILE).count() > packet.raters_per_item


def _one_sided(rows: Sequence[Free]) -> set[int]:
    """The places of items that have one side left, where that is the side with more such places in the stratum."""
    sides: dict[str, set[bool | None]] = defaultdict(set)
    for row in rows:
        sides[row.key].add(row.swapped)
    left = [row for row in rows if row.swapped is not None and len(sides[row.key]) == 1]
    surplus: Counter[str] = Counter()
    for row in left:
        surplus[row.group] += 1 if row.swapped else -1
    return {row.place_id for row in left if surplus[row.group] == 0 or (surplus[row.group] > 0) == row.swapped}


def _turnable(found: Sequence[Candidate], packet: Packet) -> list[Candidate]:
    """The candidates, those marked flexible whose pair is shown both ways also after their place is turned."""
    shown: Counter[tuple[str, bool]] = Counter()
    keys = [candidate.key for candidate in found]
    for key, swapped in Place.objects.filter(item__key__in=keys).values_list("item__key", "swapped"):
        shown[key, bool(swapped)] += 1
    odd = packet.raters_per_item % 2 == 1
    return [
        replace(candidate, is_flexible=True)
        if candidate.swapped is not None and (odd or shown[candidate.key, candidate.swapped] > 1)
        else candidate
        for candidate in found
    ]


def _recent(rater: Rater) -> set[int]:
    """The items that the rater was given last."""
    last = Assignment.objects.filter(rater=rater, purpose=Purpose.WORK, rank__isnull=False).order_by("-rank")
    return set(last.values_list("item_id", flat=True)[:APART])


def _one_an_item(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The best place of each item first, its others behind: if one is just being taken, another may do."""
    seen: set[str] = set()
    first: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in ranked:
        (others if candidate.key in seen else first).append(candidate)
        seen.add(candidate.key)
    return first + others


def _free(rater: Rater, packet: Packet, now: datetime) -> QuerySet[Place]:
    """The places of the packet that nobody holds, of items that the rater may be given."""
    mine = Assignment.objects.filter(rater=rater, purpose=Purpose.WORK, item__packet=packet)
    # Who lost an item may take it up again; who judged, skipped or holds it may not.
    settled = mine.exclude(status__in=[Status.EXPIRED, Status.RETURNED]).values("item_id")
    done = mine.filter(status=Status.DONE).values("item_id")
    free = Q(holder=None) | Q(holder__status=Status.OPEN, holder__lease_until__lt=now)
    places = Place.objects.filter(free, item__packet=packet)
    if rater.enrolment_id is not None:  # nobody judges what they wrote themselves
        places = places.exclude(item__texts__origin__enrolment=rater.enrolment_id)
    return (
        places.exclude(item_id__in=settled)
        # A blind repetition is for those who judged the original.
        .filter(Q(item__hidden__repeats=None) | Q(item__hidden__repeats__in=done))
    )


def _window(rater: Rater, packet: Packet, now: datetime) -> list[Free]:
    free = _free(rater, packet, now).order_by("item__key", "number")
    start = _start_key(packet, rater)
    rows = list(free.filter(item__key__gte=start).values_list(*_COLUMNS)[:WINDOW])
    if len(rows) < WINDOW:
        rows += free.filter(item__key__lt=start).values_list(*_COLUMNS)[: WINDOW - len(rows)]
    return [Free(*row) for row in rows]


def _start_key(packet: Packet, rater: Rater) -> str:
    """A key drawn for the rater, so that many raters do not begin at the same items."""
    generator = generator_for(packet.seed, rater.code, "first key")
    return "".join(generator.choice(ALPHABET) for _ in range(4))


def _as_bundles(rows: Sequence[Free], packet: Packet, recent: set[int]) -> list[Candidate]:
    """Single places as they are, and each sequence as its first free segment in a column with the later ones."""
    n = packet.raters_per_item
    bundles: dict[tuple[str, int], list[Free]] = defaultdict(list)
    found: list[Candidate] = []
    for row in rows:
        if row.sequence:
            bundles[row.sequence, row.number].append(row)
            continue
        flexible = n % 2 == 1 and row.number == n
        found.append(
            Candidate(
                row.place_id,
                row.key,
                row.number,
                row.swapped,
                row.group,
                is_flexible=flexible,
                is_recent=row.repeats in recent,
            )
        )
    for (sequence, number), segments in bundles.items():
        first, *rest = sorted(segments, key=lambda row: row.segment or 0)
        found.append(
            Candidate(
                first.place_id,
                first.key,
                number,
                first.swapped,
                first.group,
                is_flexible=False,
                sequence=sequence,
                rest=tuple(row.place_id for row in rest),
            )
        )
    return found


def held_by_others(rater: Rater, packet: Packet) -> bool:
    """Whether an item that the rater has not judged is held by somebody who may yet lose it."""
    mine = Assignment.objects.filter(rater=rater, purpose=Purpose.WORK, item__packet=packet).values("item_id")
    held = Place.objects.filter(item__packet=packet, holder__status=Status.OPEN).exclude(holder__rater=rater)
    return held.exclude(item_id__in=mine).exists()


def plan_for_model(rater: Rater, packet: Packet) -> Iterator[tuple[int, str, bool | None]]:
    """Every item to be judged for a model in an order drawn for it: item, purpose and side."""
    models = list(Rater.objects.models().filter(campaign=rater.campaign_id).order_by("pk").values_list("pk", flat=True))
    sides = judge_sides(strata_with_sides(packet), seed=packet.seed, number=models.index(rater.pk))
    rows = list(Item.objects.work().filter(packet=packet).order_by("key").values_list("pk", "key", "sequence", "place"))
    groups: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for pk, key, sequence, place in rows:
        groups[sequence or key].append((place or 0, pk, key))
    order = drawn_order(sorted(groups), seed=packet.seed, code=rater.code, purpose="order of items")
    judge = getattr(rater, "judge", None)
    both = judge is not None and judge.asks_both_ways
    again: list[tuple[int, str, bool | None]] = []
    for name in order:
        for _place, pk, key in sorted(groups[name]):
            side = sides.get(key) if packet.is_counterbalanced else (False if key in sides else None)
            yield pk, str(Purpose.WORK), side
            if both and side is not None:
                again.append((pk, str(Purpose.SWAP), not side))
    yield from again
