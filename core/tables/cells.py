"""A cell of a file on its way in: made a typed value, or refused with a reason and a remedy. Nothing is guessed."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import uuid
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid, shown
from core.tables.columns import Kind
from core.tables.plain import LARGEST, check_texts
from core.text import check_imported

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}(?:\.0+)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_WORDS = {"true": True, "false": False, "1": True, "0": False}
_NO_VALUE = frozenset({"na", "n/a", "nan", "null", "none", "-", "."})


class CellFault(Exception):
    """A cell of an input cannot be taken; says why, and what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


def reader_of(kind: Kind) -> Callable[[Any], Any]:
    """Return what makes a typed value of a cell that is not missing: a text (CSV) or a typed value (others).

    It raises `CellFault`. Whole numbers may be written ``4.0``, as programs do that keep them as floats; nothing else
    is guessed: no decimal comma, no thousands separator, no time without its zone.
    """
    return _READ[kind]


def _read_text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise CellFault(_("A text is expected, not %(value)s.") % {"value": shown(value)}, _("Put it in quotes."))
    try:
        return check_imported(value)
    except Invalid as error:
        raise CellFault(str(error), _("Remove the character.")) from error


def _read_integer(value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip(" ")):
        number = int(value.strip(" ").partition(".")[0])
    elif isinstance(value, int | float | Decimal) and not isinstance(value, bool) and _is_whole(value):
        number = int(value)
    else:
        raise CellFault(_("%(value)s is no whole number.") % {"value": shown(value)}, _number_remedy(value))
    if not -LARGEST - 1 <= number <= LARGEST:
        raise CellFault(_("%(value)s is too large a number.") % {"value": shown(value)})
    return number


def _is_whole(value: int | float | Decimal) -> bool:
    return isinstance(value, int) or (math.isfinite(value) and value == int(value))


def _read_number(value: Any) -> float:
    number = math.nan
    if isinstance(value, str):
        number = float(value) if _NUMBER.fullmatch(value.strip(" ")) else math.nan
    elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = _as_float(value)
    if not math.isfinite(number):
        raise CellFault(_("%(value)s is no number.") % {"value": shown(value)}, _number_remedy(value))
    return number


def _as_float(value: int | float | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _number_remedy(value: Any) -> str:
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        return _("Write decimals with a point, such as 1.5, and thousands without a separator.")
    if isinstance(value, str) and value.strip().casefold() in _NO_VALUE:
        return _("Leave the cell empty if there is no value.")
    return _("Write digits only, with a decimal point if need be.")


def _read_boolean(value: Any) -> bool:
    found = _WORDS.get(value.strip(" ").lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise CellFault(_("%(value)s is neither true nor false.") % {"value": shown(value)}, _("Write true or false."))
    return found


def _read_datetime(value: Any) -> dt.datetime:
    time = value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
    if isinstance(time, str):
        try:
            time = dt.datetime.fromisoformat(time.strip(" "))
        except ValueError as error:
            raise CellFault(_("%(value)s is no time in ISO 8601.") % {"value": shown(value)}, _time_remedy()) from error
    if not isinstance(time, dt.datetime):
        raise CellFault(_("%(value)s is no time.") % {"value": shown(value)}, _time_remedy())
    if time.tzinfo is None:
        raise CellFault(_("The time %(value)s has no zone.") % {"value": shown(value)}, _time_remedy())
    return _in_utc(time, value)


def _time_remedy() -> str:
    return _("Write it as 2024-05-01T14:30:00+00:00 or 2024-05-01T14:30:00Z.")


def _in_utc(time: dt.datetime, value: Any) -> dt.datetime:
    try:
        return time.astimezone(dt.UTC)
    except OverflowError as error:
        raise CellFault(_("The time %(value)s is out of range.") % {"value": shown(value)}) from error


def _read_uuid(value: Any) -> uuid.UUID:
    if isinstance(value, uuid.UUID):
        return value
    if isinstance(value, str) and _UUID.fullmatch(value.strip(" ")):
        return uuid.UUID(value.strip(" "))
    remedy = _("Write it as 123e4567-e89b-12d3-a456-426614174000.")
    raise CellFault(_("%(value)s is no UUID.") % {"value": shown(value)}, remedy)


def _read_json(value: Any) -> Any:
    return json_value(value) if isinstance(value, str) else value


_READ: dict[Kind, Callable[[Any], Any]] = {
    Kind.TEXT: _read_text,
    Kind.INTEGER: _read_integer,
    Kind.NUMBER: _read_number,
    Kind.BOOLEAN: _read_boolean,
    Kind.DATETIME: _read_datetime,
    Kind.UUID: _read_uuid,
    Kind.JSON: _read_json,
}


def json_value(text: str) -> Any:
    """Return the value of the JSON `text`; raise `CellFault` also for what Python alone would take.

    Refused are NaN and infinities, keys that stand twice, half surrogate pairs, NUL, and nesting that no stack bears.
    """
    try:
        value = _JSON.decode(check_imported(text))
        if "\\u" in text:
            check_texts(value)
    except json.JSONDecodeError as error:
        message = _("This is not valid JSON: %(reason)s at character %(n)d.") % {
            "reason": error.msg,
            "n": error.pos + 1,
        }
        raise CellFault(message) from error
    except (ValueError, RecursionError, Invalid) as error:
        raise CellFault(_("This is not valid JSON: %(reason)s.") % {"reason": str(error).rstrip(".")}) from error
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _value in pairs)
        twice = next(name for name, n in counts.items() if n > 1)
        raise ValueError(_("the key %(key)s stands twice") % {"key": shown(twice)})
    return found


def _no_constant(name: str) -> None:
    raise ValueError(_("%(name)s is no number of JSON") % {"name": name})


_JSON = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)
