"""Long tables of votes, one row a vote, alone or with a table of the statements."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import Any

from django.utils.translation import gettext as _

from clustering.files.bundles import NamedTable
from clustering.files.filevotes import FileVotes, Pair
from core.errors import Problems, bad_file
from core.tables import InputColumn, Kind, Row, TableSpec, stream_table
from voting.services.longform.references import Refused
from voting.services.longform.timelines import Entry, timeline

NEEDED = {"participant", "statement"}
VOTE_NAMES = ("vote", "value")
REJECTED = "rejected"
# Not let in yet: nobody is asked about it, and no analysis takes it in.
PENDING = "pending"


def is_long_table(table: NamedTable) -> bool:
    """Whether it has a row for each vote."""
    return set(table.columns) >= NEEDED and _vote_name(table) is not None


def read_long_tables(table: NamedTable, others: list[NamedTable]) -> list[FileVotes]:
    """Votes by question, with authors and texts if a table of statements is there.

    Of several votes of one person on one statement the last by `cast_at` counts; without times there may be only one.
    With `question_revision` each revision of a question is a question of its own, the newest under the plain code.
    """
    problems = Problems()
    logged, order = _logged(table, problems)
    statements = _statements(others, problems)
    people = _people(others, problems)
    current: dict[str, dict[Pair, int]] = {}
    first: dict[str, dict[str, tuple[Any, str]]] = {}
    changes: Counter[str] = Counter()
    for (question, person, statement), entries in logged.items():
        try:
            kept, _repeated = timeline(entries, column="cast_at")
        except Refused as refused:
            row: Row = refused.row or entries[-1].row
            problems.add(row.problem(refused.column, refused.message, refused.remedy))
            continue
        current.setdefault(question, {})[person, statement] = kept[-1].value
        changes[question] += len(kept) - 1
        began = first.setdefault(question, {})
        # People without times come in the order of the file.
        at = (1, order[question, person]) if kept[0].at is None else (0, kept[0].at)
        began[person] = min(began.get(person, (at, person)), (at, person))
    problems.raise_if_any()
    if not current:
        raise bad_file(table.name, _("The table has no rows."), _("Each row is a vote."))
    return [
        _of_question(
            table,
            question,
            votes,
            sorted(first[question], key=first[question].__getitem__),
            changes[question],
            statements.get(question, statements.get("", {})),
            people,
        )
        for question, votes in sorted(current.items())
    ]


def _of_question(
    table: NamedTable,
    question: str,
    votes: dict[Pair, int],
    order: list[str],
    n_changes: int,
    about: dict[str, Row],
    people: dict[str, tuple[str | None, str | None]],
) -> FileVotes:
    pending = {key for key, row in about.items() if row["status"] == PENDING}
    votes = {pair: value for pair, value in votes.items() if pair[1] not in pending}
    keys = dict.fromkeys([*(key for key in about if key not in pending), *(statement for _person, statement in votes)])
    return FileVotes(
        file=table.name,
        kind="long table",
        question=question,
        votes=votes,
        statements=list(keys),
        order=order,
        authors={key: row["author"] for key, row in about.items() if row["author"] is not None},
        texts={key: row["text"] for key, row in about.items() if row["text"] is not None},
        rejected=frozenset(key for key, row in about.items() if row["status"] == REJECTED),
        people=people,
        n_rows=len(votes) + n_changes,
        n_changes=n_changes,
    )


def _logged(
    table: NamedTable, problems: Problems
) -> tuple[dict[tuple[str, str, str], list[Entry]], dict[tuple[str, str], int]]:
    """Votes by question, participant and statement; and at which place each person came first in the file."""
    name = _vote_name(table) or VOTE_NAMES[0]
    spec = TableSpec(
        (
            InputColumn("participant"),
            InputColumn("statement"),
            InputColumn(name, Kind.INTEGER, values=(-1, 0, 1)),
            InputColumn("question", optional=True),
            InputColumn("question_revision", Kind.INTEGER, optional=True, minimum=1),
            InputColumn("cast_at", Kind.DATETIME, optional=True, nullable=True),
            InputColumn("superseded_at", Kind.DATETIME, optional=True, nullable=True),
        ),
        ignore_others=True,
    )
    logged: dict[tuple[str, str, str, int], list[Entry]] = {}
    newest: dict[str, int] = {}
    for row in stream_table(table.source, table.name, spec, problems=problems):
        question, revision = row["question"] or "", row["question_revision"] or 1
        newest[question] = max(newest.get(question, 1), revision)
        key = (question, row["participant"], row["statement"], revision)
        logged.setdefault(key, []).append(Entry(row["cast_at"], row[name], row["superseded_at"], row))
    named: dict[tuple[str, str, str], list[Entry]] = {}
    order: dict[tuple[str, str], int] = {}
    for (question, person, statement, revision), entries in logged.items():
        label = question if revision == newest[question] else f"{question} (revision {revision})"
        named[label, person, statement] = entries
        order.setdefault((label, person), len(order))
    return named, order


def _statements(others: list[NamedTable], problems: Problems) -> dict[str, dict[str, Row]]:
    """Rows about statements by question (empty if the table does not say) and code."""
    found: dict[str, dict[str, Row]] = {}
    tables = [table for table in others if {"statement", "text"} <= set(table.columns)]
    # An export has other tables with texts of statements (generated seeds), but one of this name.
    tables = [table for table in tables if PurePath(table.name).stem == "statements"] or tables
    if len(tables) > 1:
        message = _("There are two tables of statements: %(one)s and %(other)s.")
        raise bad_file(tables[1].name, message % {"one": tables[0].name, "other": tables[1].name}, _("Keep one."))
    for table in tables:
        spec = TableSpec(
            (
                InputColumn("statement"),
                InputColumn("text", nullable=True, blank=True),
                InputColumn("question", optional=True),
                InputColumn("question_revision", Kind.INTEGER, optional=True, minimum=1),
                InputColumn("author", optional=True, nullable=True),
                InputColumn("status", optional=True, nullable=True),
            ),
            ignore_others=True,
        )
        rows = read_rows(table, spec, problems)
        newest: dict[str, int] = {}
        for row in rows:
            question = row["question"] or ""
            newest[question] = max(newest.get(question, 1), row["question_revision"] or 1)
        for row in rows:
            question, revision = row["question"] or "", row["question_revision"] or 1
            label = question if revision == newest[question] else f"{question} (revision {revision})"
            about = found.setdefault(label, {})
            if row["statement"] in about:
                message = _("This statement is there twice.")
                problems.add(row.problem("statement", message, _("Keep one of the two.")))
            about[row["statement"]] = row
    return found


def _people(others: list[NamedTable], problems: Problems) -> dict[str, tuple[str | None, str | None]]:
    """Origin and status by participant, if a table of participants is there."""
    columns = [
        InputColumn("participant"),
        InputColumn("origin", optional=True, nullable=True),
        InputColumn("status", optional=True, nullable=True),
    ]
    spec = TableSpec(tuple(columns), unique=(("participant",),), ignore_others=True)
    tables = [
        table
        for table in others
        if "participant" in table.columns
        and "question" not in table.columns
        and {"origin", "status"} & {*table.columns}
    ]
    return {
        row["participant"]: (row["origin"], row["status"])
        for table in tables
        for row in read_rows(table, spec, problems)
    }


def read_rows(table: NamedTable, spec: TableSpec, problems: Problems) -> list[Row]:
    """The rows of a table that are right; the problems of the others are added."""
    return list(stream_table(table.source, table.name, spec, problems=problems))


def _vote_name(table: NamedTable) -> str | None:
    """The column with the vote."""
    return next((name for name in VOTE_NAMES if name in table.columns), None)
