"""What somebody said of one thing, one time after another: from rows, and beside what is stored.

Votes and ratings alike: each change of mind supersedes what was said before, and what repeats it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from voting.services.longform.references import Refused, stays

Said = tuple[datetime, int]
"""When, and what."""


@dataclass(slots=True)
class Entry:
    """One vote or rating of a timeline; without a time only if it is the only one. `row` is where it comes from."""

    at: datetime | None
    value: int
    end: datetime | None
    row: Any


@dataclass(frozen=True, slots=True)
class Merged:
    """What has to be written: the new entries in order, and when the stored current one is superseded, if it is."""

    new: Sequence[Entry]
    supersede_at: datetime | None = None


NOTHING_NEW = Merged(())


def timeline(entries: Iterable[Entry], *, column: str) -> tuple[list[Entry], int]:
    """Put the entries about one thing in order, and count those that only repeat the one before.

    Raises
    ------
    Refused
        If the times contradict each other; `column` is where the time stands.
    """
    ordered = list(entries)
    if len(ordered) > 1:
        if timeless := next((entry for entry in ordered if entry.at is None), None):
            message = _("There are several about the same, and this one has no time.")
            raise Refused(column, message, _("Give each its time."), row=timeless.row)
        ordered.sort(key=_order)
    kept: list[Entry] = []
    for entry in ordered:
        if kept and kept[-1].value == entry.value:
            kept[-1].end = entry.end
        else:
            kept.append(entry)
    _close(kept)
    return kept, len(ordered) - len(kept)


def _order(entry: Entry) -> tuple[Any, ...]:
    # Of two at the same time, the one that was superseded came first.
    return (entry.at, entry.end is None, entry.end or entry.at)


def _close(kept: Sequence[Entry]) -> None:
    """Let each entry end where the next begins, unless its row says when."""
    for entry, following in pairwise(kept):
        entry.end = entry.end or following.at
        if entry.end is not None and entry.at is not None and entry.end < entry.at:
            message = _("It would be superseded before it was given.")
            raise Refused("superseded_at", message, _("Exchange the times."), row=entry.row)
    if kept and kept[-1].end is not None:
        message = _("It is superseded, but what took its place is missing.")
        raise Refused("superseded_at", message, _("Leave the cell of the last one empty."), row=kept[-1].row)


def merged(kept: Sequence[Entry], stored: Sequence[Said], *, column: str) -> Merged:
    """What `kept` adds to what is stored, in order: nothing if it is the same or its beginning.

    `column` is where the time stands.

    Raises
    ------
    Refused
        If the two contradict each other.
    """
    if not stored:
        return Merged(kept)
    if kept[0].at is None:
        _refuse_if_other(kept[0], *stored[-1], column)
        return NOTHING_NEW
    for entry, said in zip(kept, stored, strict=False):
        _refuse_if_other(entry, *said, column)
    new = kept[len(stored) :]
    return Merged(new, new[0].at) if new else NOTHING_NEW


def _refuse_if_other(entry: Entry, at: datetime, value: int, column: str) -> None:
    remedy = stays()
    if entry.value != value:
        message = _("The study has the value %(value)d here already.") % {"value": value}
        raise Refused("value", message, remedy, row=entry.row)
    if entry.at is not None and entry.at != at:
        message = _("The study has this with the time %(time)s.") % {"time": at.isoformat()}
        raise Refused(column, message, remedy, row=entry.row)
