"""The data dictionary: what every column of every exported table means, made of the same declarations as the files."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from core.tables.columns import Column, Table

KINDS = {
    "text": gettext_noop("text, exactly as stored"),
    "integer": gettext_noop("a whole number of at most 64 bits"),
    "number": gettext_noop("a number; undefined values are missing, with their reason in another column"),
    "boolean": gettext_noop("true or false"),
    "datetime": gettext_noop("a time in UTC, ISO 8601 with microseconds and offset"),
    "uuid": gettext_noop("a random identifier of 36 characters"),
    "json": gettext_noop("JSON, as text in CSV and Parquet"),
}


def data_dictionary(tables: Sequence[Table], *, include_personal: bool = False) -> Table:
    """Return the dictionary of `tables` as a table, to be written like any other: ``write_table(d, d.rows(), …)``.

    Personal columns are listed always; whether they were written (`include_personal`) is said for each.
    """
    rows = functools.partial(_rows, tables, include_personal=include_personal)
    return Table("data_dictionary", gettext_lazy("What every column of every table means."), _COLUMNS, rows)


_COLUMNS = (
    Column("table", "text", gettext_lazy("Name of the table."), nullable=False),
    Column("column", "text", gettext_lazy("Name of the column."), nullable=False),
    Column("position", "integer", gettext_lazy("Place of the column in its declaration, from 1."), nullable=False),
    Column("kind", "text", gettext_lazy("What its cells hold."), values=KINDS, nullable=False),
    Column("description", "text", gettext_lazy("What it means."), nullable=False),
    Column("unit", "text", gettext_lazy("Unit of its numbers.")),
    Column("values", "json", gettext_lazy("The only values that occur, each with its meaning.")),
    Column("may_be_missing", "boolean", gettext_lazy("Whether a cell may be missing."), nullable=False),
    Column("personal", "boolean", gettext_lazy("Whether it is personal data."), nullable=False),
    Column("written", "boolean", gettext_lazy("Whether it is in this export."), nullable=False),
)


def _rows(tables: Iterable[Table], *, include_personal: bool) -> Iterator[tuple[Any, ...]]:
    for table in tables:
        for position, column in enumerate(table.columns, start=1):
            yield (
                table.name,
                column.name,
                position,
                column.kind,
                str(column.description),
                column.unit,
                None if column.values is None else {str(value): str(text) for value, text in column.values.items()},
                column.nullable,
                column.personal,
                include_personal or not column.personal,
            )


def dictionary_markdown(tables: Sequence[Table], *, include_personal: bool = False) -> str:
    """Return the dictionary of `tables` for people, in Markdown."""
    lines = [f"# {_('Data dictionary')}", "", *_preamble()]
    for table in tables:
        lines += ["", f"## {table.name}", "", _inline(table.description), "", _head(), "|---|---|---|---|"]
        lines += [_line(column, include_personal=include_personal) for column in table.columns]
    return "\n".join(lines) + "\n"


def _preamble() -> list[str]:
    missing = _(
        "A missing value is an empty cell in CSV and null in JSON Lines and Parquet; an empty text is a quoted empty "
        "cell in CSV. Text is UTF-8 and exactly as stored, line breaks included."
    )
    kinds = [f"* `{kind}`: {_(text)}" for kind, text in KINDS.items()]
    return [missing, "", *kinds]


def _head() -> str:
    return f"| {_('column')} | {_('kind')} | {_('may be missing')} | {_('meaning')} |"


def _line(column: Column, *, include_personal: bool) -> str:
    parts = [_inline(column.description)]
    if column.unit:
        parts.append(_("Unit: %(unit)s.") % {"unit": _inline(column.unit)})
    if column.values:
        listed = "; ".join(f"`{_inline(value)}` {_inline(text)}" for value, text in column.values.items())
        parts.append(_("Values: %(values)s.") % {"values": listed})
    if column.personal:
        parts.append(_("Personal data.") if include_personal else _("Personal data, not in this export."))
    missing = _("yes") if column.nullable else _("no")
    return f"| {column.name} | {column.kind} | {missing} | {' '.join(parts)} |"


def _inline(text: object) -> str:
    """Return `text` as it may stand in a cell of a Markdown table."""
    return " ".join(str(text).replace("\\", "\\\\").replace("|", "\\|").split())
