"""The kinds of table, each recognised by its columns. `docs/importing.md` lists them for people."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from django.utils.translation import gettext as _

from core.errors import BadInput, InputProblem
from core.tables import InputColumn, Kind, TableSpec
from studies.data.folder import all_tables
from studies.models import Enrolment
from voting.models import Statement

CODE_LENGTH = 64
FIELD_LENGTH = 16


class Content(StrEnum):
    """What a table holds, in the order in which tables are read: later ones refer to earlier ones."""

    PARTICIPANTS = "participants"
    STATEMENTS = "statements"
    RESPONSES = "responses"
    RATINGS = "ratings"
    VOTES = "votes"


def _text(name: str, *, maximum: int = CODE_LENGTH) -> InputColumn:
    return InputColumn(name, Kind.TEXT, maximum_length=maximum)


def _may_lack(name: str, kind: Kind = Kind.TEXT, **bounds: object) -> InputColumn:
    return InputColumn(name, kind, optional=True, nullable=True, **bounds)  # type: ignore[arg-type]


_PARTICIPANT = _text("participant")
_QUESTION = _text("question")
_REVISION = _may_lack("question_revision", Kind.INTEGER, minimum=1)
#: Previews count for nothing, so nobody imports them.
_ORIGINS = tuple(str(origin) for origin in Enrolment.Origin if origin != Enrolment.Origin.PREVIEW)

SPECS: dict[Content, TableSpec] = {
    Content.PARTICIPANTS: TableSpec(
        (
            _PARTICIPANT,
            _may_lack("origin", values=_ORIGINS),
            _may_lack("status", values=tuple(map(str, Enrolment.Status))),
            _may_lack("recruiter", maximum_length=FIELD_LENGTH),
            _may_lack("language", maximum_length=FIELD_LENGTH),
            _may_lack("started_at", Kind.DATETIME),
            _may_lack("consented_at", Kind.DATETIME),
            _may_lack("finished_at", Kind.DATETIME),
            _may_lack("last_seen_at", Kind.DATETIME),
        ),
        ignore_others=True,
    ),
    Content.STATEMENTS: TableSpec(
        (
            _QUESTION,
            _REVISION,
            _text("statement"),
            InputColumn("text", Kind.TEXT, blank=True),
            _may_lack("author", maximum_length=CODE_LENGTH),
            _may_lack("status", values=tuple(map(str, Statement.Status))),
            _may_lack("created_at", Kind.DATETIME),
            _may_lack("approved_at", Kind.DATETIME),
            _may_lack("removed_at", Kind.DATETIME),
        ),
        ignore_others=True,
    ),
    Content.RESPONSES: TableSpec(
        (
            _PARTICIPANT,
            _QUESTION,
            _REVISION,
            InputColumn("text", Kind.TEXT),
            _may_lack("stance", maximum_length=CODE_LENGTH),
            _may_lack("importance", Kind.INTEGER, minimum=1, maximum=5),
            _may_lack("written_at", Kind.DATETIME),
        ),
        ignore_others=True,
    ),
    Content.RATINGS: TableSpec(
        (
            _PARTICIPANT,
            _QUESTION,
            _REVISION,
            _text("source"),
            _may_lack("answer_revision", Kind.INTEGER, minimum=1),
            InputColumn("value", Kind.INTEGER, minimum=1, maximum=5),
            _may_lack("rank", Kind.INTEGER, minimum=1, maximum=32_000),
            _may_lack("rated_at", Kind.DATETIME),
            _may_lack("superseded_at", Kind.DATETIME),
        ),
        ignore_others=True,
    ),
    Content.VOTES: TableSpec(
        (
            _PARTICIPANT,
            _QUESTION,
            _REVISION,
            _text("statement"),
            InputColumn("value", Kind.INTEGER, values=(-1, 0, 1)),
            _may_lack("cast_at", Kind.DATETIME),
            _may_lack("superseded_at", Kind.DATETIME),
        ),
        ignore_others=True,
    ),
}

#: Statements may be named by `code`, as seeds are.
_OTHER_NAME = {"statement": "code"}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file holds, how it is read, and the columns that are not."""

    content: Content
    spec: TableSpec
    not_read: tuple[str, ...]


def recognise(names: Collection[str], file: str) -> Recognised:
    """Tell what a file with the columns `names` holds.

    Raises
    ------
    BadInput
        If it is none of the kinds; the message says what each needs.
    """
    exported = _other_exported_table(set(names))
    if exported is not None:
        message = _("This is the table %(name)s of an export, which is not imported.") % {"name": exported}
        raise BadInput([InputProblem(file, 1, None, message, _("Leave it out, or give the folder of the export."))])
    content = _content_of(set(names))
    if content is None:
        raise BadInput([_unknown(names, file)])
    spec = SPECS[content]
    if content is Content.STATEMENTS and "statement" not in names:
        columns = tuple(replace(column, name=_OTHER_NAME.get(column.name, column.name)) for column in spec.columns)
        spec = replace(spec, columns=columns)
    return Recognised(content, spec, tuple(name for name in names if name not in spec.names))


def _content_of(names: set[str]) -> Content | None:
    if {"participant", "question", "value"} <= names:
        if {"statement", "source"} <= names:
            return None
        return Content.VOTES if "statement" in names else Content.RATINGS if "source" in names else None
    if {"participant", "question", "text"} <= names:
        return Content.RESPONSES
    if {"question", "text"} <= names and names & {"statement", "code"}:
        return Content.STATEMENTS
    return Content.PARTICIPANTS if "participant" in names and "question" not in names else None


def _other_exported_table(names: set[str]) -> str | None:
    """The name of the exported table that has exactly these columns, if it is none of ours."""
    others = [table for table in all_tables() if table.name not in set(Content) and names]
    for table in others:
        for include_personal in (True, False):
            if names == {column.name for column in table.visible(include_personal=include_personal)}:
                return table.name
    return None


def required(content: Content) -> list[str]:
    """The columns that a file of this kind must have."""
    return [column.name for column in SPECS[content].columns if not column.optional]


def _unknown(names: Collection[str], file: str) -> InputProblem:
    listed = ", ".join(names)[:300] or _("none")
    message = _("The columns do not tell what this file holds: %(names)s.") % {"names": listed}
    if len(names) == 1 and any(mark in listed for mark in ";\t"):
        message = _("The columns are separated by semicolons or tabs, not by commas: %(names)s.") % {"names": listed}
    kinds = "; ".join(f"{content} ({', '.join(required(content))})" for content in Content)
    return InputProblem(file, 1, None, message, _("Needed are those of one of: %(kinds)s.") % {"kinds": kinds})
