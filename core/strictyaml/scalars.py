"""What an unquoted scalar looks like to YAML programs: text, or something they would turn into another type."""

from __future__ import annotations

import re
from enum import StrEnum

from django.utils.translation import gettext as _


class Look(StrEnum):
    """What a plain scalar is taken for. The last three depend on the program, so they are never accepted unquoted."""

    TEXT = "text"
    NULL = "null"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    LEGACY_BOOLEAN = "legacy boolean"
    LEGACY_NUMBER = "legacy number"
    DATE = "date"


# In order: the first that matches. YAML 1.2 (core schema) knows the first four; YAML 1.1, which most programs still
# read, takes `yes` for true, `010` for 8 and `12:30` for 750.
_LOOKS = [
    (Look.NULL, re.compile(r"~|null|Null|NULL|")),
    (Look.BOOLEAN, re.compile(r"true|True|TRUE|false|False|FALSE")),
    (Look.INTEGER, re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)),
    (Look.LEGACY_BOOLEAN, re.compile(r"y|yes|n|no|on|off", re.IGNORECASE)),
    (Look.DATE, re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?", re.ASCII)),
    (
        Look.LEGACY_NUMBER,
        re.compile(
            r"[-+]?(?:0[0-9_]+|0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"
            r"|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|0[0-9]+\.[0-9]*)",
            re.ASCII | re.IGNORECASE,
        ),
    ),
    (
        Look.NUMBER,
        re.compile(
            r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
            re.ASCII,
        ),
    ),
]


def look_of(plain: str) -> Look:
    """Tell what the unquoted scalar `plain` is taken for."""
    return next((look for look, pattern in _LOOKS if pattern.fullmatch(plain)), Look.TEXT)


def look_in_words(look: Look) -> str:
    """Name `look` for a person."""
    return {
        Look.TEXT: _("text"),
        Look.NULL: _("no value"),
        Look.BOOLEAN: _("true or false"),
        Look.INTEGER: _("a whole number"),
        Look.NUMBER: _("a number"),
        Look.LEGACY_BOOLEAN: _("true or false by many programs"),
        Look.LEGACY_NUMBER: _("another number by many programs"),
        Look.DATE: _("a date by many programs"),
    }[look]
