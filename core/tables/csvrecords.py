"""CSV by RFC 4180, strictly, with what Python's own reader does not tell: where a record begins, and quotes.

An empty cell is `None` and a quoted empty one ``""``. Line breaks inside quotes are kept as they are. A stray or
unclosed quotation mark is an error with its place rather than a silently swallowed half of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from core.errors import BadInput, bad_file

MAXIMUM_RECORD = 8_000_000
"""Characters of one record; a longer one is a quotation mark that was never closed."""

Cells = list[str | None]
NO_CELLS: Cells = [None]
"""What a blank line gives."""

_END = r"(?=,|\r?\n?\Z)"
_CELL = re.compile(rf'"([^"]*(?:""[^"]*)*)"{_END}|([^",\r\n]*){_END}')
_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')


def records(lines: Iterator[str], name: str) -> Iterator[tuple[int, Cells]]:
    """Yield the records of `lines` (with their ends), each with the physical line on which it begins."""
    number = 0
    for line in lines:
        number += 1
        if '"' not in line:
            yield number, _unquoted(line, number, name)
            continue
        first = number
        parts = [line]
        n_quotes, n_characters = line.count('"'), len(line)
        while n_quotes % 2:
            following = next(lines, None)
            if following is None or n_characters > MAXIMUM_RECORD:
                break
            number += 1
            parts.append(following)
            n_quotes += following.count('"')
            n_characters += len(following)
        yield first, _quoted("".join(parts), first, name)


def _unquoted(line: str, number: int, name: str) -> Cells:
    cells = line.removesuffix("\n").removesuffix("\r").split(",")
    if "\r" in line and any("\r" in cell for cell in cells):
        column = next(i for i, cell in enumerate(cells, start=1) if "\r" in cell)
        raise bad_file(
            name,
            _("There is a carriage return (CR) outside quotation marks."),
            _("Save the file with line ends LF or CRLF, and put texts with line breaks in quotation marks."),
            line=number,
            column=column,
        )
    return [cell or None for cell in cells]


def _quoted(record: str, first: int, name: str) -> Cells:
    cells: Cells = []
    position = 0
    while True:
        match = _CELL.match(record, position)
        if match is None:
            raise _fault(record, position, first, len(cells) + 1, name)
        quoted, plain = match.groups()
        cells.append(plain or None if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if record[position : position + 1] != ",":
            return cells
        position += 1


def _fault(record: str, position: int, first: int, column: int, name: str) -> BadInput:
    """Say what is wrong with the cell that begins at `position`."""
    remedy = _("Write a quotation mark inside a cell twice, and put the whole cell in quotation marks.")
    closed = _QUOTED.match(record, position)
    if record[position] != '"':
        message = _("There is a quotation mark or line break inside a cell that does not begin with one.")
    elif closed is None:
        message = _("The quotation mark at the start of this cell is never closed.")
    else:
        message = _("There is text between a closing quotation mark and the next comma.")
        position = closed.end()
    return bad_file(name, message, remedy, line=first + record.count("\n", 0, position), column=column)
