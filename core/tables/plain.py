"""A value on its way into a file: checked against its column, and turned into what files hold."""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Callable
from typing import Any

from core.canonical import canonical_json
from core.errors import Invalid
from core.tables.columns import Column, Kind
from core.text import check_imported

Plain = str | int | float | bool | dt.datetime | None
"""A value as it goes into a file: UUID and JSON are text by then, times are in UTC."""

LARGEST = 2**63 - 1
_NEEDS_QUOTES = re.compile('[",\r\n]|^$|^[ \t]|[ \t]$|^\ufeff')


class TableError(TypeError):
    """A row does not keep what its table declares: a mistake in the program, not of a person."""


def checker(column: Column) -> Callable[[Any], Plain]:
    """Return what turns a value of `column` into what goes into a file; it raises `TableError` for any other value."""
    to_plain = _TO_PLAIN[Kind(column.kind)]
    values = column.values

    def check(value: Any) -> Plain:
        if value is None:
            if column.nullable:
                return None
            raise TableError(f"column {column.name} may not be missing")
        try:
            if values is not None and value not in values:
                raise ValueError("not among the values declared")
            return to_plain(value)
        except (TypeError, ValueError, Invalid) as error:
            raise TableError(f"column {column.name} ({column.kind}) cannot hold {value!r}: {error}") from error

    return check


def csv_cell(value: Plain) -> str:
    """Return `value` as a cell of CSV: missing is empty, an empty text is ``""``."""
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if _NEEDS_QUOTES.search(value) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat(timespec="microseconds") if isinstance(value, dt.datetime) else repr(value)


def _python(value: Any) -> Any:
    """Return the Python value of a numpy scalar, anything else as it is."""
    return value.item() if hasattr(value, "item") else value


def _plain_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return check_imported(str(value))


def _plain_integer(value: Any) -> int:
    number = _python(value)
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError("not a whole number")
    if not -LARGEST - 1 <= number <= LARGEST:
        raise ValueError("beyond 64 bits")
    return int(number)


def _plain_number(value: Any) -> float:
    number = _python(value)
    if not isinstance(number, int | float) or isinstance(number, bool):
        raise TypeError("not a number")
    if not math.isfinite(number):
        raise ValueError("undefined and infinite values are missing, with their reason in another column")
    return float(number)


def _plain_boolean(value: Any) -> bool:
    boolean = _python(value)
    if not isinstance(boolean, bool):
        raise TypeError("not true or false")
    return boolean


def _plain_datetime(value: Any) -> dt.datetime:
    if not isinstance(value, dt.datetime) or value.tzinfo is None:
        raise TypeError("not a time with its zone")
    return value.astimezone(dt.UTC)


def _plain_uuid(value: Any) -> str:
    if not isinstance(value, uuid.UUID):
        raise TypeError("not a UUID")
    return str(value)


def _plain_json(value: Any) -> str:
    text = check_imported(canonical_json(value))
    if "\\u0000" in text:
        check_texts(value)
    return text


def check_texts(value: Any) -> None:
    """Raise `Invalid` if a text in JSON data holds what JSON can escape, but no database keep: NUL, half surrogates."""
    if isinstance(value, str):
        check_imported(value)
    elif isinstance(value, dict):
        check_texts([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for each in value:
            check_texts(each)


_TO_PLAIN: dict[Kind, Callable[[Any], Plain]] = {
    Kind.TEXT: _plain_text,
    Kind.INTEGER: _plain_integer,
    Kind.NUMBER: _plain_number,
    Kind.BOOLEAN: _plain_boolean,
    Kind.DATETIME: _plain_datetime,
    Kind.UUID: _plain_uuid,
    Kind.JSON: _plain_json,
}
