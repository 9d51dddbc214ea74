"""What OvertonScores are computed from without a study: ratings with groups, or a table of coverages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from clustering.files.bundles import NamedTable, tables_at
from clustering.stats.panel import CoverageRow
from core.errors import BadInput, Problems, bad_file
from core.tables import InputColumn, Kind, Row, TableSpec, stream_table

# Columns go by several names, one of which a file has.
QUESTION = ("question", "qid")
SOURCE = ("source", "model")
RATING = ("rating", "value")
N_GROUPS = ("n_groups", "n_clusters")
N_PEOPLE = ("n_people", "n_participants", "n_participants_inferred")
WEIGHTED = ("coverage_weighted", "coverage_w")
LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """Ratings of one question and who is in which group.

    Attributes
    ----------
    question : its code
    domain : set of questions it belongs to; empty if the file does not say
    ratings : (participant, source, rating)
    sources : all that occur on the question
    members : participant to number of the group, 0 being the largest
    groups : names of the groups by number
    """

    question: str
    domain: str
    ratings: list[tuple[str, str, float]]
    sources: list[str]
    members: dict[str, int]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """A file of ratings with groups, in order of question."""

    file: str
    questions: list[RatedQuestion]


@dataclass(frozen=True, slots=True)
class CoverageFile:
    """A file of coverages per question and source."""

    file: str
    rows: list[CoverageRow]


def read_scores(path: Path) -> RatingsFile | CoverageFile:
    """Ratings with groups, or coverages, recognised by the columns.

    Ratings have a row for each participant, question and source: ``participant``, ``question`` (or ``qid``),
    ``source`` (or ``model``), ``rating`` (or ``value``, 1 to 5) and ``group``, perhaps ``domain``; a row without a
    rating only says in which group somebody is. Coverages have ``question``, ``source``, ``coverage``, ``n_groups``
    (or ``n_clusters``) and perhaps ``coverage_weighted`` (``coverage_w``), ``n_people`` (``n_participants``,
    ``n_participants_inferred``) and ``domain``. No-break spaces in names count as spaces.

    Raises
    ------
    BadInput
        With every problem by file, line and column.
    """
    tables = tables_at(path)
    if len(tables) > 1:
        message = _("There are several tables: %(names)s.")
        names = ", ".join(table.name for table in tables)[:300]
        raise bad_file(path.name, message % {"names": names}, _("Name the one that is meant."))
    table = tables[0]
    if "coverage" in table.columns:
        return CoverageFile(table.name, _coverages(table))
    if {"participant", "group"} <= set(table.columns):
        return RatingsFile(table.name, _ratings(table))
    raise _unknown(table)


def clean(name: str) -> str:
    """A name with every kind of space as one plain space: printed tables have no-break ones."""
    return " ".join(name.split())


def _coverages(table: NamedTable) -> list[CoverageRow]:
    question, source, n_groups = (_named(table, names) for names in (QUESTION, SOURCE, N_GROUPS))
    weighted, n_people = (_named(table, names, needed=False) for names in (WEIGHTED, N_PEOPLE))
    share: dict[str, Any] = {"kind": Kind.NUMBER, "minimum": 0, "maximum": 1}
    columns = [
        InputColumn(question),
        InputColumn(source),
        InputColumn("coverage", **share),
        InputColumn(n_groups, Kind.INTEGER, minimum=1),
        *([InputColumn(weighted, nullable=True, **share)] if weighted else []),
        *([InputColumn(n_people, Kind.INTEGER, minimum=1, nullable=True)] if n_people else []),
        InputColumn("domain", optional=True, nullable=True),
    ]
    problems = Problems()
    found: list[CoverageRow] = []
    seen: dict[tuple[str, str], int] = {}
    spec = TableSpec(tuple(columns), ignore_others=True)
    for row in stream_table(table.source, table.name, spec, problems=problems):
        key = (clean(row[question]), clean(row[source]))
        if key in seen:
            message = _("This question and model are there a second time; the first is on line %(line)d.")
            problems.add(row.problem(source, message % {"line": seen[key]}, _("Keep one of the two.")))
            continue
        seen[key] = row.line
        people = row[n_people] if n_people else None
        if people is not None and people < row[n_groups]:
            message = _("There are fewer people than groups.")
            problems.add(row.problem(n_people, message, _("Each group has a member at least.")))
            continue
        found.append(
            CoverageRow(
                question=key[0],
                source=key[1],
                coverage=row["coverage"],
                n_groups=row[n_groups],
                coverage_weighted=row[weighted] if weighted else None,
                n_people=people,
                domain=clean(row["domain"] or ""),
            )
        )
    problems.raise_if_any()
    if not found:
        raise bad_file(table.name, _("The table has no rows."), _("Each row is a question and a model."))
    return found


def _ratings(table: NamedTable) -> list[RatedQuestion]:
    question, source, rating = (_named(table, names) for names in (QUESTION, SOURCE, RATING))
    spec = TableSpec(
        (
            InputColumn("participant"),
            InputColumn(question),
            InputColumn(source),
            InputColumn(rating, Kind.NUMBER, nullable=True, minimum=LOWEST, maximum=HIGHEST),
            InputColumn("group", nullable=True),
            InputColumn("domain", optional=True, nullable=True),
        ),
        ignore_others=True,
    )
    problems = Problems()
    rows: dict[str, dict[tuple[str, str], Row]] = {}
    for row in stream_table(table.source, table.name, spec, problems=problems):
        of_question = rows.setdefault(clean(row[question]), {})
        key = (row["participant"], clean(row[source]))
        if key in of_question:
            message = _("This participant rated this answer before, on line %(line)d.")
            problems.add(row.problem(source, message % {"line": of_question[key].line}, _("Keep one of the two.")))
            continue
        of_question[key] = row
    found = [_rated(code, rows[code], rating, problems) for code in sorted(rows)]
    problems.raise_if_any()
    if not found:
        raise bad_file(table.name, _("The table has no rows."), _("Each row is a rating."))
    return found


def _rated(code: str, rows: dict[tuple[str, str], Row], rating: str, problems: Problems) -> RatedQuestion:
    group_of: dict[str, str | None] = {}
    domain: str | None = None
    for (person, _source), row in rows.items():
        group = None if row["group"] is None else clean(row["group"])
        if group_of.setdefault(person, group) != group:
            message = _("This participant is in another group of the question on an earlier row.")
            problems.add(row.problem("group", message, _("On one question everybody is in one group, or in none.")))
        mine = clean(row["domain"] or "")
        if domain is None:
            domain = mine
        elif domain != mine:
            message = _("The question is of another domain on an earlier row.")
            problems.add(row.problem("domain", message, _("A question belongs to one domain.")))
    sizes = Counter(group for group in group_of.values() if group is not None)
    # The largest first, equal ones by name: as groups of a run are numbered.
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    number = {name: index for index, name in enumerate(names)}
    return RatedQuestion(
        question=code,
        domain=domain or "",
        ratings=sorted(
            (person, source, row[rating]) for (person, source), row in rows.items() if row[rating] is not None
        ),
        sources=sorted({source for _person, source in rows}),
        members={person: number[group] for person, group in group_of.items() if group is not None},
        groups=tuple(names),
    )


def _named(table: NamedTable, names: tuple[str, ...], *, needed: bool = True) -> str:
    """The one of several names that the table's column has; empty if there is none and none is needed."""
    there = [name for name in names if name in table.columns]
    if len(there) > 1:
        message = _("The columns %(names)s mean the same.") % {"names": ", ".join(there)}
        raise bad_file(table.name, message, _("Keep one of them."), line=1)
    if not there and needed:
        message = _("There is no column %(names)s.") % {"names": _(" or ").join(names)}
        remedy = _("The file has: %(names)s.") % {"names": ", ".join(table.columns)[:300]}
        raise bad_file(table.name, message, remedy, line=1)
    return there[0] if there else ""


def _unknown(table: NamedTable) -> BadInput:
    names = ", ".join(table.columns)[:300] or _("none")
    message = _("The columns do not tell what this file holds: %(names)s.") % {"names": names}
    remedy = _(
        "Needed are ratings with groups (participant, question, source, rating, group) or coverages "
        "(question, source, coverage, n_groups and perhaps coverage_weighted, n_people)."
    )
    return bad_file(table.name, message, remedy, line=1)
