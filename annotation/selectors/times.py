"""How long people spent on items, from what the server saw: shown, left, looked at again, submitted."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import datetime

from annotation.models import Assignment, ItemEvent, Packet, Rater

IDLE_CUT_S = 300.0
"""Of a longer silence between two events no more than this counts."""
Kind = ItemEvent.Kind
CHUNK = 5_000


def seconds_between(events: Sequence[tuple[str, datetime]]) -> float | None:
    """The seconds from the first showing to the first submission after it, without the time the page was left.

    None if the item was never seen shown and submitted. What follows the submission, a look back or a correction, is
    not part of it.
    """
    spent, seen = 0.0, False
    for (kind, at), (following, until) in itertools.pairwise(events):
        seen = seen or kind == Kind.SHOWN
        if seen and kind != Kind.HIDDEN:
            spent += min((until - at).total_seconds(), IDLE_CUT_S)
        if seen and following == Kind.SUBMITTED:
            return spent
    return None


def seconds_at_items(packet: Packet) -> Iterator[tuple[int, int, float]]:
    """Rater, item and seconds of every item that a person judged and the server timed."""
    rows = ItemEvent.objects.filter(
        assignment__item__packet=packet,
        assignment__rater__kind=Rater.Kind.PERSON,
        assignment__purpose=Assignment.Purpose.WORK,
        assignment__status=Assignment.Status.DONE,
    ).order_by("assignment_id", "at", "pk")
    columns = ("assignment_id", "assignment__rater_id", "assignment__item_id", "kind", "at")
    of: tuple[int, int, int] | None = None
    events: list[tuple[str, datetime]] = []
    for assignment_id, rater_id, item_id, kind, at in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        if of is not None and of[0] != assignment_id:
            yield from _timed(of, events)
            events = []
        of = (assignment_id, rater_id, item_id)
        events.append((kind, at))
    if of is not None:
        yield from _timed(of, events)


def _timed(of: tuple[int, int, int], events: Sequence[tuple[str, datetime]]) -> Iterator[tuple[int, int, float]]:
    seconds = seconds_between(events)
    if seconds is not None:
        yield of[1], of[2], seconds
