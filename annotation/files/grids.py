"""A file as a header and rows of texts, whatever its format."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

from django.utils.translation import gettext as _

from core.errors import InputProblem, Problems, bad_file
from core.tables.cells import CellFault, json_value
from core.tables.csvrecords import NO_CELLS, records
from core.tables.read import format_of
from core.tables.sources import ROWS_AT_ONCE
from core.tables.write import Format
from core.textfiles import opened, text_lines

Cells = list[str | None]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts.

    Attributes
    ----------
    name : of the file, for messages
    header : names of the columns; an unnamed one is ""
    rows : each with the line on which it begins
    """

    name: str
    header: list[str]
    rows: Iterator[tuple[int, Cells]]


@contextmanager
def grid(source: str | Path | bytes, name: str, problems: Problems) -> Iterator[Grid]:
    """Open a CSV, JSON Lines or Parquet file as a grid. Rows of another length than the header are problems."""
    form = format_of(name, None)
    with opened(source, name) as file:
        if form is Format.CSV:
            yield _of_csv(file, name, problems)
        elif form is Format.JSONL:
            yield _of_json_lines(file, name, problems)
        else:
            yield _of_parquet(file, name)


def _checked(header: list[str | None], name: str) -> list[str]:
    """The names of the columns; that none stands twice is needed to know what is meant."""
    names = [text or "" for text in header]
    for place, text in enumerate(names, start=1):
        if text and text in names[: place - 1]:
            message = _("The column %(name)s is there twice.") % {"name": text}
            raise bad_file(name, message, _("Give each column a name of its own."), line=1, column=place)
        for mark, what in ((";", _("semicolons")), ("\t", _("tabs"))):
            if len(names) == 1 and mark in text:
                message = _("The columns are separated by %(what)s, not by commas.") % {"what": what}
                raise bad_file(name, message, _("Save the file as CSV with commas."), line=1, column=1)
    return names


def _of_csv(file: IO[bytes], name: str, problems: Problems) -> Grid:
    found = records(text_lines(file, name), name)
    header = next(found, (1, NO_CELLS))[1]
    if header == NO_CELLS:
        raise bad_file(name, _("The file has no header."), _("The first line must name the columns."), line=1)
    names = _checked(header, name)

    def rows() -> Iterator[tuple[int, Cells]]:
        for line, cells in found:
            if len(cells) == len(names):
                yield line, cells
            elif cells != NO_CELLS:
                message = _("This row has %(n)d cells, the header has %(width)d.") % {
                    "n": len(cells),
                    "width": len(names),
                }
                remedy = _("Put cells that contain commas or line breaks in quotation marks.")
                problems.add(InputProblem(name, line, min(len(cells), len(names)) + 1, message, remedy))

    return Grid(name, names, rows())


def _of_json_lines(file: IO[bytes], name: str, problems: Problems) -> Grid:
    objects = _objects(file, name, problems)
    first = next(objects, None)
    if first is None:
        problems.raise_if_any()
        raise bad_file(name, _("The file has no rows."), _("Each line must be one complete JSON object."), line=1)
    names = list(first[1])

    def rows() -> Iterator[tuple[int, Cells]]:
        for line, value in chain([first], objects):
            for key in value:
                if key not in first[1]:
                    message = _("This key is not in the first line.")
                    remedy = _("Give every line the same keys, with null where there is no value.")
                    problems.add(InputProblem(name, line, None, message, remedy, key))
            yield line, [as_text(value.get(key)) for key in names]

    return Grid(name, names, rows())


def _objects(file: IO[bytes], name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    remedy = _("Each line must be one complete JSON object.")
    for line, text in enumerate(text_lines(file, name), start=1):
        if not text.strip(" \t\r\n"):
            continue
        try:
            value = json_value(text.rstrip("\r\n"))
        except CellFault as fault:
            problems.add(InputProblem(name, line, None, fault.message, remedy))
            continue
        if isinstance(value, dict):
            yield line, value
        else:
            problems.add(InputProblem(name, line, None, _("This line is no JSON object."), remedy))


def _of_parquet(file: IO[bytes], name: str) -> Grid:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
    except (pa.ArrowException, OSError, ValueError) as error:
        message = _("The file is not valid Parquet: %(reason)s") % {"reason": str(error)[:200]}
        raise bad_file(name, message, _("Write it anew, or use CSV.")) from error
    names = _checked(list(table.schema_arrow.names), name)

    def rows() -> Iterator[tuple[int, Cells]]:
        line = 0
        for batch in table.iter_batches(batch_size=ROWS_AT_ONCE):
            columns = [column.to_pylist() for column in batch.columns]
            for cells in zip(*columns, strict=True):
                line += 1
                yield line, [as_text(value) for value in cells]

    return Grid(name, names, rows())


def as_text(value: Any) -> str | None:
    """A typed value as a text file would have it; None for none, which in a column of floats is ``nan``."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)
