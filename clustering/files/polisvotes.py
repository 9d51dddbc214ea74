"""The tables of a Pol.is export: the log of votes, the comments, and the matrix of participants."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from clustering.files.bundles import NamedTable
from clustering.files.filevotes import FileVotes, Pair
from core.errors import bad_file
from core.tables import InputColumn, TableSpec, read_table, stream_table
from voting.services.conversation.reading import VOTES, moment, read
from voting.services.longform.timelines import Entry, timeline

LOG = {"comment-id", "voter-id", "vote"}
COMMENTS = {"comment-id", "comment-body"}
WIDE = {"participant", "n-votes"}
# Columns of the matrix that are no comment, in both exports of Pol.is.
ABOUT = ("participant", "xid", "group-id", "n-comments", "n-votes", "n-agree", "n-disagree")


def is_event_log(table: NamedTable) -> bool:
    """Whether it is a ``votes.csv``."""
    return set(table.columns) >= LOG


def is_wide_table(table: NamedTable) -> bool:
    """Whether it is a ``participants-votes.csv``."""
    return set(table.columns) >= WIDE


def read_event_log(table: NamedTable, others: list[NamedTable]) -> list[FileVotes]:
    """The log of votes with the comments and the published groups, as far as they are there."""
    comments = [other for other in others if set(other.columns) >= COMMENTS]
    if len(comments) > 1:
        message = _("There are two tables of comments: %(one)s and %(other)s.")
        names = {"one": comments[0].name, "other": comments[1].name}
        raise bad_file(table.name, message % names, _("Put one export into a folder of its own."))
    published = next((_matrix(other)[1] for other in others if is_wide_table(other)), {})
    if not comments:
        return [_without_comments(table, published)]
    conversation = read(comments[0].source, table.source, comments[0].name, table.name)
    # Seeds have no author, whoever entered them; what was rejected or is about the person is in no analysis.
    rows = conversation.comments
    return [
        FileVotes(
            file=table.name,
            kind="polis export",
            question="",
            votes={key: entries[-1].value for key, entries in conversation.votes.items()},
            statements=list(rows),
            order=_in_order({key: entries[0].at for key, entries in conversation.votes.items()}),
            authors={
                key: row["author-id"]
                for key, row in rows.items()
                if row["author-id"] is not None and not row["is-seed"]
            },
            texts={key: row["comment-body"] for key, row in rows.items()},
            rejected=frozenset(key for key, row in rows.items() if row["moderated"] == -1 or row["is-meta"]),
            published=published,
            n_rows=conversation.n_rows,
            n_changes=sum(len(entries) - 1 for entries in conversation.votes.values()),
        )
    ]


def _without_comments(table: NamedTable, published: dict[str, str]) -> FileVotes:
    logged: dict[Pair, list[Entry]] = {}
    n_rows = 0
    for row in stream_table(table.source, table.name, VOTES):
        n_rows += 1
        entry = Entry(moment(row["timestamp"]), row["vote"], None, row)
        logged.setdefault((row["voter-id"], row["comment-id"]), []).append(entry)
    _refuse_empty(table, n_rows)
    changes = {key: timeline(entries, column="timestamp")[0] for key, entries in logged.items()}
    return FileVotes(
        file=table.name,
        kind="polis export",
        question="",
        votes={key: entries[-1].value for key, entries in changes.items()},
        statements=list(dict.fromkeys(statement for _person, statement in changes)),
        order=_in_order({key: entries[0].at for key, entries in changes.items()}),
        published=published,
        n_rows=n_rows,
        n_changes=sum(len(entries) - 1 for entries in changes.values()),
    )


def read_wide_table(table: NamedTable, others: list[NamedTable]) -> list[FileVotes]:
    """The matrix of participants: latest votes and published groups; moderation and authors are not in it."""
    votes, published, order = _matrix(table)
    comments = next((other for other in others if set(other.columns) >= COMMENTS), None)
    if comments is not None:
        message = _("Beside %(file)s the votes themselves are missing, to which the comments belong.")
        remedy = _("Add votes.csv of the same export, or name this file alone.")
        raise bad_file(comments.name, message % {"file": table.name}, remedy)
    return [
        FileVotes(
            file=table.name,
            kind="polis matrix",
            question="",
            votes=votes,
            statements=[name for name in table.columns if name not in ABOUT],
            order=order,
            published=published,
            n_rows=len(votes),
        )
    ]


def _matrix(table: NamedTable) -> tuple[dict[Pair, int], dict[str, str], list[str]]:
    comments = [name for name in table.columns if name not in ABOUT]
    if not comments:
        message = _("There is no column for a comment.")
        raise bad_file(table.name, message, _("Each comment has a column with the votes on it."), line=1)
    spec = TableSpec(
        (
            InputColumn("participant", maximum_length=40),
            InputColumn("group-id", nullable=True, optional=True, maximum_length=40),
            *(InputColumn(name, "integer", nullable=True, values=(-1, 0, 1)) for name in comments),
        ),
        unique=(("participant",),),
        ignore_others=True,
    )
    rows = read_table(table.source, table.name, spec)
    _refuse_empty(table, len(rows))
    votes = {(row["participant"], name): value for row in rows for name in comments if (value := row[name]) is not None}
    published = {row["participant"]: row["group-id"] for row in rows if row["group-id"] is not None}
    return votes, published, [row["participant"] for row in rows]


def _in_order(first: dict[Pair, datetime | None]) -> list[str]:
    """Participants by their first vote, ties by key."""
    began: dict[str, Any] = {}
    for (person, _statement), at in first.items():
        known: Any = at
        began[person] = min(began.get(person, known), known)
    return sorted(began, key=lambda person: (began[person], person))


def _refuse_empty(table: NamedTable, n_rows: int) -> None:
    if not n_rows:
        raise bad_file(table.name, _("The table has no rows."), _("Take the whole export."))
