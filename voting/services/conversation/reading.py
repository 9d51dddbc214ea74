"""The two files of a Pol.is export, read and checked by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.utils.translation import gettext as _

from core.errors import Problems, bad_file
from core.tables import InputColumn, Row, TableSpec, stream_table
from voting.services.longform.timelines import Entry, timeline

MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138
LATEST = 100 * MILLISECONDS_FROM  # as milliseconds the year 2286
Source = Path | bytes

COMMENTS = TableSpec(
    columns=(
        InputColumn("timestamp", "integer", minimum=0, maximum=LATEST),
        InputColumn("comment-id", "text", maximum_length=40),
        InputColumn("author-id", "text", nullable=True, optional=True, maximum_length=40),
        InputColumn("moderated", "integer", values=(-1, 0, 1)),
        InputColumn("is-meta", "boolean", nullable=True, optional=True),
        InputColumn("is-seed", "boolean", nullable=True, optional=True),
        InputColumn("comment-body", "text"),
    ),
    unique=(("comment-id",),),
    ignore_others=True,
)
VOTES = TableSpec(
    columns=(
        InputColumn("timestamp", "integer", minimum=0, maximum=LATEST),
        InputColumn("comment-id", "text"),
        InputColumn("voter-id", "text", maximum_length=40),
        InputColumn("vote", "integer", values=(-1, 0, 1)),
    ),
    ignore_others=True,
)

VoteKey = tuple[str, str]
"""Voter and comment."""


@dataclass(slots=True)
class Conversation:
    """Comments by id, changes of mind by voter and comment, and when each person first and last did something."""

    comments: dict[str, Row]
    votes: dict[VoteKey, list[Entry]] = field(default_factory=dict)
    people: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)
    n_rows: int = 0
    n_repeated: int = 0

    def note(self, person: str, at: datetime) -> None:
        """Widen the time of `person` by `at`."""
        first, last = self.people.get(person, (at, at))
        self.people[person] = (min(first, at), max(last, at))


def read(statements: Source, votes: Source, statements_name: str, votes_name: str) -> Conversation:
    """Read both files.

    Raises
    ------
    BadInput
        With every problem of both.
    """
    problems = Problems()
    rows = stream_table(statements, statements_name, COMMENTS, problems=problems)
    found = Conversation({row["comment-id"]: row for row in rows})
    logged = _logged(found, votes, votes_name, statements_name, problems)
    problems.raise_if_any()
    if not found.comments:
        raise bad_file(statements_name, _("The table has no rows."), _("Take the whole export."))
    for key, entries in logged.items():
        found.votes[key], n_repeated = timeline(entries, column="timestamp")
        found.n_repeated += n_repeated
    for comment in found.comments.values():
        if (author := comment["author-id"]) is not None and author not in found.people:
            found.note(author, moment(comment["timestamp"]))
    return found


def _logged(
    found: Conversation, votes: Source, votes_name: str, statements_name: str, problems: Problems
) -> dict[VoteKey, list[Entry]]:
    """The log by voter and comment. It is not in order of time; within the same moment the order of rows decides."""
    # A comment that is wrong is left out above, and one problem is enough for it.
    are_whole = not problems
    logged: dict[VoteKey, list[Entry]] = {}
    for row in stream_table(votes, votes_name, VOTES, problems=problems):
        found.n_rows += 1
        if row["comment-id"] not in found.comments:
            if not are_whole:
                continue
            message = _("There is no such comment in %(file)s.") % {"file": statements_name}
            problems.add(row.problem("comment-id", message, _("Take both files from the same export.")))
            continue
        at = moment(row["timestamp"])
        found.note(row["voter-id"], at)
        logged.setdefault((row["voter-id"], row["comment-id"]), []).append(Entry(at, row["vote"], None, row))
    return logged


def moment(timestamp: int) -> datetime:
    """The time of a Pol.is timestamp, which one of its two exports writes in seconds, the other in milliseconds."""
    return datetime.fromtimestamp(timestamp / 1000 if timestamp >= MILLISECONDS_FROM else timestamp, tz=UTC)
