"""Reading tables of people: every problem found in one pass, each with its line, its column and a remedy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import BadInput, Problems, bad_file, nearest, shown
from core.tables.cells import CellFault, reader_of
from core.tables.columns import Kind
from core.tables.sources import CsvSource, JsonLinesSource, ParquetSource, StopReading
from core.tables.spec import InputColumn, RawRow, Row, TableSpec
from core.tables.write import Format
from core.text import count_characters, is_blank
from core.textfiles import opened

MAXIMUM_BYTES = 1_000_000_000

_FORMATS = {".csv": Format.CSV, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".parquet": Format.PARQUET}
AnySource = CsvSource | JsonLinesSource | ParquetSource


def read_table(
    source: str | Path | bytes,
    name: str,
    spec: TableSpec,
    *,
    format: Format | str | None = None,
    spreadsheet_safe: bool = False,
    maximum_bytes: int = MAXIMUM_BYTES,
) -> list[Row]:
    """Return the typed rows of a CSV, JSON Lines or Parquet file; raise `BadInput` with everything wrong in it.

    `source` is a path or the content, `name` the file's name in messages, whose end tells the format unless `format`
    does. Types and the difference of missing and empty text are those that :mod:`core.tables.write` writes, so that
    what was exported reads back the same; `spreadsheet_safe` undoes that form's apostrophes.
    """
    rows = stream_table(
        source, name, spec, format=format, spreadsheet_safe=spreadsheet_safe, maximum_bytes=maximum_bytes
    )
    return list(rows)


def stream_table(
    source: str | Path | bytes,
    name: str,
    spec: TableSpec,
    *,
    format: Format | str | None = None,
    spreadsheet_safe: bool = False,
    maximum_bytes: int = MAXIMUM_BYTES,
    problems: Problems | None = None,
) -> Iterator[Row]:
    """Yield the rows of :func:`read_table` one at a time, for files larger than memory.

    Rows with a problem are left out, and `BadInput` comes after the last row: nothing may be kept before the
    iterator has ended, so write inside a transaction. With `problems` given, problems are added there instead and
    nothing is raised, so that a caller can add its own (an unknown reference) and raise them all together.
    """
    collected = Problems() if problems is None else problems
    try:
        make = _source_of(format_of(name, format), spreadsheet_safe=spreadsheet_safe)
        with opened(source, name, maximum_bytes=maximum_bytes) as file:
            yield from _typed(make(file, name, spec, collected), spec, collected)
    except BadInput as error:
        collected.take(error)
    except StopReading:
        pass  # what stopped the reading is in `collected`
    if problems is None:
        collected.raise_if_any()


def format_of(name: str, format: Format | str | None) -> Format:
    """Return the format that is given, or else told by the end of `name`."""
    if format is not None:
        return Format(format)
    suffix = PurePath(name).suffix.lower()
    if suffix not in _FORMATS:
        message = _("The format is not known by the end of the name, %(suffix)s.") % {"suffix": shown(suffix)}
        raise bad_file(name, message, _("Use a file that ends in .csv, .jsonl or .parquet."))
    return _FORMATS[suffix]


def _source_of(form: Format, *, spreadsheet_safe: bool) -> Callable[..., AnySource]:
    if form is Format.CSV:
        return functools.partial(CsvSource, spreadsheet_safe=spreadsheet_safe)
    return JsonLinesSource if form is Format.JSONL else ParquetSource


def _typed(source: AnySource, spec: TableSpec, problems: Problems) -> Iterator[Row]:
    keys = _Keys(spec)
    parsers: list[tuple[str, Callable[[Any], Any]]] | None = None
    for raw in source.rows():
        parsers = parsers or [(column.name, _parser(column, source)) for column in spec.columns]
        row = _typed_row(source, raw, parsers)
        if row is not None and keys.are_new(row, problems):
            yield row


def _typed_row(source: AnySource, raw: RawRow, parsers: list[tuple[str, Callable[[Any], Any]]]) -> Row | None:
    """Return the row with typed values, or `None` and its problems."""
    values: dict[str, Any] = {}
    faults: list[tuple[str, CellFault]] = []
    for (name, parse), cell in zip(parsers, raw.cells, strict=True):
        try:
            values[name] = parse(cell)
        except CellFault as fault:
            faults.append((name, fault))
    if not faults:
        return Row(source.name, raw.line, values, source.positions)
    if all(cell is None for cell in raw.cells):
        source.complain(raw.line, None, _("This row is empty."), _("Delete it."))
        return None
    for name, found in faults:
        source.complain(raw.line, source.positions.get(name), found.message, found.remedy, name=name)
    return None


def _parser(column: InputColumn, source: AnySource) -> Callable[[Any], Any]:
    """Return what makes the value of a cell of `column`, raising `CellFault`; the header must be known by then."""
    kind = Kind(column.kind)
    is_typed = kind is Kind.JSON and not source.json_is_text
    read = reader_of(kind)
    may_be_missing = column.nullable or (column.optional and column.name not in source.positions)

    def parse(cell: Any) -> Any:
        if cell is None:
            if may_be_missing:
                return None
            raise CellFault(_("This cell is empty."), _("Fill it in."))
        value = cell if is_typed else read(cell)
        if isinstance(value, str):
            _check_text(value, column)
        elif isinstance(value, int | float):
            _check_bounds(value, column)
        if column.values is not None and value not in column.values:
            remedy = nearest(str(value), column.values)
            raise CellFault(_("%(value)s is not possible here.") % {"value": shown(value)}, remedy)
        return value

    return parse


def _check_text(text: str, column: InputColumn) -> None:
    if not column.blank and is_blank(text):
        raise CellFault(_("This text is empty."), _("Fill it in."))
    if column.minimum_length is None and column.maximum_length is None:
        return
    n = count_characters(text)
    count = ngettext("This text has %(n)d character.", "This text has %(n)d characters.", n) % {"n": n}
    if column.minimum_length is not None and n < column.minimum_length:
        raise CellFault(count, _("At least %(limit)d are needed.") % {"limit": column.minimum_length})
    if column.maximum_length is not None and n > column.maximum_length:
        raise CellFault(count, _("At most %(limit)d are possible.") % {"limit": column.maximum_length})


def _check_bounds(number: float, column: InputColumn) -> None:
    if column.minimum is not None and number < column.minimum:
        raise CellFault(_("%(n)s is below %(limit)s.") % {"n": number, "limit": column.minimum})
    if column.maximum is not None and number > column.maximum:
        raise CellFault(_("%(n)s is above %(limit)s.") % {"n": number, "limit": column.maximum})


class _Keys:
    """Remembers the values that must differ, with the line on which each came first."""

    def __init__(self, spec: TableSpec) -> None:
        self.seen: dict[tuple[str, ...], dict[tuple[Any, ...], int]] = {names: {} for names in spec.unique}

    def are_new(self, row: Row, problems: Problems) -> bool:
        """Tell whether the row repeats no key; keys with a missing part are not compared."""
        before = len(problems)
        for names, seen in self.seen.items():
            key = tuple(row[name] for name in names)
            if None in key:
                continue
            first = seen.setdefault(key, row.line)
            if first != row.line:
                message = _("%(value)s is there a second time; the first is on line %(line)d.")
                message %= {"value": ", ".join(map(shown, key)), "line": first}
                problems.add(row.problem(names[-1], message, _("Keep one of the two, or give each its own.")))
        return len(problems) == before
