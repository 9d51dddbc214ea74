"""Votes of a file: recognised by its columns, read by the reader of its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext as _

from clustering.files.bundles import NamedTable, tables_at
from clustering.files.filevotes import FileVotes
from clustering.files.longvotes import is_long_table, read_long_tables
from clustering.files.polisvotes import is_event_log, is_wide_table, read_event_log, read_wide_table
from core.errors import BadInput, bad_file

__all__ = ["FileVotes", "read_votes"]

Reader = Callable[[NamedTable, list[NamedTable]], list[FileVotes]]
# In the order in which they are looked for: an event log knows more than the table made of it.
KINDS: tuple[tuple[Callable[[NamedTable], bool], Reader], ...] = (
    (is_event_log, read_event_log),
    (is_long_table, read_long_tables),
    (is_wide_table, read_wide_table),
)


def read_votes(path: Path) -> list[FileVotes]:
    """The votes at `path`, one a question, in order of question.

    `path` is a Pol.is export (``votes.csv`` or ``participants-votes.csv``, or a folder or zip archive with them and
    ``comments.csv``) or a long table of votes (``participant``, ``statement``, ``vote`` or ``value``, perhaps
    ``question``), alone or in a folder or archive with its table of statements, as `export_study` writes them.

    Raises
    ------
    BadInput
        With every problem by file, line and column; or if nothing in it is a table of votes.
    """
    tables = tables_at(path)
    for is_kind, read in KINDS:
        found = [table for table in tables if is_kind(table)]
        if len(found) > 1:
            message = _("There are two tables of votes: %(one)s and %(other)s.")
            names = {"one": found[0].name, "other": found[1].name}
            raise bad_file(path.name, message % names, _("Name the one that is meant."))
        if found:
            return read(found[0], [table for table in tables if table is not found[0]])
    raise _unknown(path, tables)


def _unknown(path: Path, tables: list[NamedTable]) -> BadInput:
    remedy = _(
        "Needed is a Pol.is export (timestamp, comment-id, voter-id, vote; or participant, group-id, a column for each "
        "comment) or a long table of votes (participant, statement, vote and perhaps question)."
    )
    if len(tables) == 1:
        message = _("The columns do not tell what this file holds: %(names)s.")
        names = ", ".join(tables[0].columns)[:300] or _("none")
        return bad_file(tables[0].name, message % {"names": names}, remedy, line=1)
    message = _("None of its tables holds votes: %(names)s.")
    return bad_file(path.name, message % {"names": ", ".join(table.name for table in tables)[:300]}, remedy)
