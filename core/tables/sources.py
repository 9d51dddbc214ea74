"""The three formats as rows of raw cells in the order of the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import InputProblem, Problems, bad_file, nearest, shown
from core.tables.cells import CellFault, json_value
from core.tables.csvrecords import NO_CELLS, records
from core.tables.spec import RawRow, TableSpec
from core.text import spreadsheet_raw
from core.textfiles import text_lines

ROWS_AT_ONCE = 10_000
"""Rows of Parquet that are held in memory."""


class Source:
    """The base: a file, its name, the specification, and where the columns stand in the file."""

    def __init__(self, file: IO[bytes], name: str, spec: TableSpec, problems: Problems) -> None:
        self.file = file
        self.name = name
        self.spec = spec
        self.problems = problems
        self.positions: dict[str, int] = {}

    def complain(self, line: int | None, column: int | None, message: str, remedy: str = "", *, name: str = "") -> None:
        """Add a problem."""
        self.problems.add(InputProblem(self.name, line, column, message, remedy, name))

    def take_header(self, names: list[str | None]) -> None:
        """Find the columns; complain of those that are unknown, missing, unnamed or twice, and stop if any are."""
        known, seen = set(self.spec.names), set[str]()
        before = len(self.problems)
        for position, name in enumerate(names, start=1):
            if name is not None and name in seen:
                self.complain(1, position, _("This column is there twice."), _("Keep one of the two."), name=name)
            elif name in known:
                self.positions[str(name)] = position
            elif not self.spec.ignore_others:
                self._complain_unknown(position, name)
            seen.add(name or "")
        for column in self.spec.columns:
            if column.name not in names and not column.optional:
                message = _("The column %(name)s is missing.") % {"name": shown(column.name)}
                there = _("The file has: %(names)s.") % {"names": _listed(names)}
                self.complain(1, None, message, there, name=column.name)
        if len(self.problems) > before:
            raise StopReading

    def _complain_unknown(self, position: int, name: str | None) -> None:
        if name is None:
            remedy = _("Name the column, or remove it (a data frame is written without its index by index=False).")
            self.complain(1, position, _("This column has no name."), remedy)
            return
        separator = next((mark for mark in (";", "\t") if mark in name and len(name.split(mark)) > 1), None)
        if separator is not None:
            what = _("semicolons") if separator == ";" else _("tabs")
            message = _("The columns are separated by %(what)s, not by commas.") % {"what": what}
            remedy = _("Save the file as CSV with commas, and decimals with a point.")
            self.complain(1, position, message, remedy)
            return
        self.complain(1, position, _("Unknown column."), self._nearest(name), name=name)

    def _nearest(self, name: str) -> str:
        """The remedy for an unknown column or key, while there is room for one more problem."""
        return "" if self.problems.is_full else nearest(name, self.spec.names)

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows."""
        raise NotImplementedError(f"{type(self).__name__} must define rows()")


class StopReading(Exception):
    """What was complained of makes reading on pointless."""


class CsvSource(Source):
    """Rows of CSV; the cells are texts."""

    json_is_text = True

    def __init__(self, *arguments: Any, spreadsheet_safe: bool = False) -> None:
        super().__init__(*arguments)
        self.spreadsheet_safe = spreadsheet_safe

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows with the physical line on which each begins."""
        found = records(text_lines(self.file, self.name), self.name)
        header = next(found, (1, NO_CELLS))[1]
        if header == NO_CELLS:
            remedy = _("The first line must name the columns: %(names)s.") % {"names": ", ".join(self.spec.names)}
            raise bad_file(self.name, _("The file has no header."), remedy, line=1)
        self.take_header(self._raw(header))
        width = len(header)
        picks = [self.positions.get(name) for name in self.spec.names]
        for line, record in found:
            cells = self._raw(record)
            if len(cells) == width:
                yield RawRow(line, [None if at is None else cells[at - 1] for at in picks])
            elif cells != NO_CELLS:
                self._complain_ragged(line, len(cells), width)

    def _raw(self, cells: list[str | None]) -> list[str | None]:
        if not self.spreadsheet_safe:
            return cells
        return [None if cell is None else spreadsheet_raw(cell) for cell in cells]

    def _complain_ragged(self, line: int, n: int, width: int) -> None:
        message = ngettext(
            "This row has %(n)d cell, the header has %(width)d.",
            "This row has %(n)d cells, the header has %(width)d.",
            n,
        )
        remedy = _("Put cells that contain commas or line breaks in quotation marks.")
        self.complain(line, min(n, width) + 1, message % {"n": n, "width": width}, remedy)


class JsonLinesSource(Source):
    """Rows of JSON Lines; the cells are typed, and named instead of placed."""

    json_is_text = False

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows with their lines; blank lines are passed over."""
        seen = set(self.spec.names)
        for line, text in enumerate(text_lines(self.file, self.name), start=1):
            if not text.strip(" \t\r\n"):
                continue
            try:
                value = json_value(text.rstrip("\r\n"))
            except CellFault as fault:
                self.complain(line, None, fault.message, _("Each line must be one complete JSON object."))
                continue
            if not isinstance(value, dict):
                self.complain(
                    line, None, _("This line is no JSON object."), _("Each line must be one complete JSON object.")
                )
                continue
            if not value.keys() <= seen:
                self._complain_of_new(value.keys() - seen, line)
                seen |= value.keys()
            yield RawRow(line, [value.get(name) for name in self.spec.names])

    def _complain_of_new(self, names: set[str], line: int) -> None:
        if not self.spec.ignore_others:
            for name in sorted(names):
                self.complain(line, None, _("Unknown key."), self._nearest(name), name=name)


class ParquetSource(Source):
    """Rows of Parquet; the cells are typed, the line is the number of the row."""

    json_is_text = True

    def rows(self) -> Iterator[RawRow]:
        """Yield the rows, some thousands at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(self.file)
            self.take_header(list(file.schema_arrow.names))
            there = [name for name in self.spec.names if name in self.positions]
            line = 0
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=there):
                columns = {name: batch.column(name).to_pylist() for name in there}
                for i in range(batch.num_rows):
                    line += 1
                    yield RawRow(line, [columns[name][i] if name in columns else None for name in self.spec.names])
        except (pa.ArrowException, OSError, ValueError) as error:
            message = _("The file is not valid Parquet: %(reason)s") % {"reason": shown(error, 200)}
            raise bad_file(self.name, message, _("Write it anew, or use CSV.")) from error


def _listed(names: list[str | None]) -> str:
    return ", ".join("?" if name is None else name for name in names)[:300]
