"""Writing declared tables as CSV, JSON Lines or Parquet, a row at a time.

CSV
    RFC 4180 with LF between records, UTF-8 without byte order mark, text exactly as stored, line breaks and all.
    A missing value is an empty cell; an empty text is a quoted one, ``""``. Times are ISO 8601 in UTC with
    microseconds and offset, booleans ``true`` and ``false``, numbers the shortest decimal that reads back the same,
    JSON its canonical text. `spreadsheet_safe` puts an apostrophe before text and headers that a spreadsheet would
    run as a formula, and a byte order mark at the start, so that Excel shows the letters right; read it back with
    ``read_table(..., spreadsheet_safe=True)``. Even so a spreadsheet that opens a CSV file directly may turn a code
    such as ``219E01BE`` into a number: import it there as text.
JSON Lines
    One object a line, every column present, a missing value ``null``. `spreadsheet_safe` does not touch it.
Parquet
    Typed columns (times in UTC to the microsecond, UUID and JSON as text), descriptions in the fields' metadata.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Protocol

from core.tables.columns import Column, Kind, Table
from core.tables.plain import Plain, TableError, checker, csv_cell
from core.text import spreadsheet_safe as safe
from core.textfiles import BOM

ROWS_IN_A_GROUP = 50_000
"""Rows of Parquet that are held in memory before they are written."""

# Line ends of Unicode that JSON allows inside a string, but at which careless readers cut the line.
_ESCAPED_IN_JSON = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"})


class Format(StrEnum):
    """How a table is written; the value is the end of the file's name."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


@dataclass(frozen=True)
class Written:
    """A file of a table as it was written."""

    table: Table
    path: Path
    format: Format
    n_rows: int
    n_bytes: int
    sha256: str
    include_personal: bool
    spreadsheet_safe: bool


class Sink(Protocol):
    """Takes the rows of one file."""

    def write(self, row: list[Plain]) -> None:
        """Write one row of checked values."""

    def close(self) -> None:
        """Write whatever is still held."""


def write_table(
    table: Table,
    rows: Iterable[tuple[Any, ...]],
    folder: Path | str,
    format: Format | str = Format.CSV,
    *,
    include_personal: bool = False,
    spreadsheet_safe: bool = False,
) -> Written:
    """Write `rows` (whole, in the order of the table's columns) to ``folder/<table>.<format>``.

    Streams: memory does not grow with the rows. The file appears under its name only when it is complete. A row that
    does not keep what its columns declare raises `TableError`: a declaration that is wrong must not go unnoticed.
    """
    form = Format(format)
    columns = table.visible(include_personal=include_personal)
    if not columns:
        raise ValueError(f"table {table.name} has only personal columns; nothing of it is left to write")
    safe_form = spreadsheet_safe and form is Format.CSV
    path = Path(folder) / f"{table.name}.{form}"
    with _completed(path) as file:
        sink = _sink(form, file, columns, safe_form)
        n_rows = _write_rows(table, rows, sink, include_personal=include_personal)
        sink.close()
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Written(table, path, form, n_rows, path.stat().st_size, sha256, include_personal, safe_form)


@contextmanager
def _completed(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the name `path` when it is complete, and vanishes if it never is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _write_rows(table: Table, rows: Iterable[tuple[Any, ...]], sink: Sink, *, include_personal: bool) -> int:
    kept = [(i, checker(column)) for i, column in enumerate(table.columns) if include_personal or not column.personal]
    width = len(table.columns)
    number = 0
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise TableError(f"table {table.name}, row {number}: {len(row)} values for {width} columns")
        try:
            sink.write([check(row[i]) for i, check in kept])
        except TableError as error:
            raise TableError(f"table {table.name}, row {number}: {error}") from error
    return number


def _sink(form: Format, file: IO[bytes], columns: list[Column], spreadsheet_safe: bool) -> Sink:
    if form is Format.CSV:
        return CsvSink(file, columns, spreadsheet_safe=spreadsheet_safe)
    return JsonLinesSink(file, columns) if form is Format.JSONL else ParquetSink(file, columns)


class CsvSink:
    """Writes CSV."""

    def __init__(self, file: IO[bytes], columns: list[Column], *, spreadsheet_safe: bool) -> None:
        self.file = file
        self.texts = [spreadsheet_safe and column.kind is Kind.TEXT for column in columns]
        file.write(BOM if spreadsheet_safe else b"")
        self._line([column.name for column in columns])

    def write(self, row: list[Plain]) -> None:
        """Write one row of checked values."""
        self._line(
            [
                safe(value) if text and isinstance(value, str) else value
                for value, text in zip(row, self.texts, strict=True)
            ]
        )

    def _line(self, cells: list[Any]) -> None:
        self.file.write((",".join(map(csv_cell, cells)) + "\n").encode("utf-8"))

    def close(self) -> None:
        """Nothing is held."""


class JsonLinesSink:
    """Writes JSON Lines."""

    def __init__(self, file: IO[bytes], columns: list[Column]) -> None:
        self.file = file
        self.columns = [(f"{_encoded(column.name)}:", column.kind is Kind.JSON) for column in columns]

    def write(self, row: list[Plain]) -> None:
        """Write one row of checked values."""
        cells = zip(self.columns, row, strict=True)
        line = ",".join([key + _json_cell(value, is_json=is_json) for (key, is_json), value in cells])
        self.file.write(f"{{{line}}}\n".translate(_ESCAPED_IN_JSON).encode("utf-8"))

    def close(self) -> None:
        """Nothing is held."""


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _json_cell(value: Plain, *, is_json: bool) -> str:
    if isinstance(value, str):
        return value if is_json else _encoded(value)
    return _encoded(value.isoformat(timespec="microseconds") if isinstance(value, dt.datetime) else value)


class ParquetSink:
    """Writes Parquet in groups of rows."""

    def __init__(self, file: IO[bytes], columns: list[Column]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        types = {
            Kind.INTEGER: pa.int64(),
            Kind.NUMBER: pa.float64(),
            Kind.BOOLEAN: pa.bool_(),
            Kind.DATETIME: pa.timestamp("us", tz="UTC"),
        }
        self.schema = pa.schema(
            [
                pa.field(
                    column.name,
                    types.get(Kind(column.kind), pa.string()),
                    nullable=column.nullable,
                    metadata={"description": str(column.description)},
                )
                for column in columns
            ]
        )
        self.writer = pq.ParquetWriter(file, self.schema, compression="zstd")
        self.rows: list[list[Plain]] = []

    def write(self, row: list[Plain]) -> None:
        """Hold one row of checked values, and write a group when there are enough."""
        self.rows.append(row)
        if len(self.rows) >= ROWS_IN_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        arrays = [pa.array([row[i] for row in self.rows], type=field.type) for i, field in enumerate(self.schema)]
        self.writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))
        self.rows = []

    def close(self) -> None:
        """Write the last group and the file's end."""
        if self.rows:
            self._flush()
        self.writer.close()
