"""The names of a file's columns, to recognise what it holds before it is read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from django.utils.translation import gettext as _

from core.errors import bad_file, shown
from core.tables.cells import CellFault, json_value
from core.tables.csvrecords import records
from core.tables.read import MAXIMUM_BYTES, format_of
from core.tables.write import Format
from core.text import spreadsheet_raw
from core.textfiles import opened, text_lines

LINES_LOOKED_AT = 100
"""How many lines of JSON Lines are looked at for keys, since a missing value may be left out of a line."""


def column_names(
    source: str | Path | bytes, name: str, *, format: Format | str | None = None, spreadsheet_safe: bool = False
) -> list[str]:
    """Return the names of the columns in their order; raise `BadInput` if the file cannot be read so far.

    JSON Lines have the keys of their first lines; lines that are no objects are left to whoever reads the whole file.
    """
    form = format_of(name, format)
    with opened(source, name, maximum_bytes=MAXIMUM_BYTES) as file:
        if form is Format.PARQUET:
            return _of_parquet(file, name)
        lines = text_lines(file, name)
        if form is Format.JSONL:
            return _of_json_lines(lines)
        first = next(records(lines, name), (1, []))[1]
        return [spreadsheet_raw(cell) if spreadsheet_safe else cell for cell in first if cell is not None]


def _of_json_lines(lines: Iterator[str]) -> list[str]:
    found: dict[str, None] = {}
    for line in islice(lines, LINES_LOOKED_AT):
        try:
            value = json_value(line) if line.strip() else None
        except CellFault:
            continue
        if isinstance(value, dict):
            found |= dict.fromkeys(value)
    return list(found)


def _of_parquet(file: IO[bytes], name: str) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.ParquetFile(file).schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError) as error:
        message = _("The file is not valid Parquet: %(reason)s") % {"reason": shown(error, 200)}
        raise bad_file(name, message, _("Write it anew, or use CSV.")) from error
