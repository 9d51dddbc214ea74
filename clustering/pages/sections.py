"""Sections of statistics: a title, what it means, and tables of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from clustering.pages.numbers import number, table
from clustering.showing.tables import MISSING
from clustering.words import in_words

Part = Mapping[str, Any]
Section = dict[str, Any]


def section(
    anchor: str, title: str, means: str, tables: Iterable[dict[str, Any]], undefined: str | None = None
) -> Section:
    """A section with the reason why it has not all that it could have."""
    return {
        "anchor": anchor,
        "title": title,
        "means": means,
        "tables": list(tables),
        "undefined": in_words(undefined),
    }


def captioned(caption: str, columns: list[str], rows: list[list[Any]], notes: Iterable[str] = ()) -> dict[str, Any]:
    """A table with its caption, and below it why some of its numbers are undefined."""
    return {"caption": caption, "table": table(columns, rows), "notes": list(notes)}


def reasons(parts: Iterable[Part], names: Mapping[str, str]) -> list[str]:
    """Why numbers of these parts are undefined, each reason once with the sources that it is about."""
    found: dict[str, list[str]] = {}
    for part in parts:
        name = names.get(part.get("source", ""), "")
        for reason in _undefined_in(part):
            about = found.setdefault(reason, [])
            if name and name not in about:
                about.append(name)
    return [
        _("%(sources)s: undefined, because %(reason)s") % {"sources": ", ".join(about), "reason": reason}
        if about
        else _("Undefined, because %(reason)s") % {"reason": reason}
        for reason, about in found.items()
    ]


def _undefined_in(part: Part) -> Iterator[str]:
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from _undefined_in(value)
        elif key.endswith("undefined") and value:
            yield in_words(value)


def variant_in_words(part: Part) -> str:
    """Whether groups count alike or by size."""
    return _("weighted by size") if part["variant"] == "weighted" else _("unweighted")


def spread(low: float | None, high: float | None, digits: int = 3) -> str:
    """An interval, or a dash."""
    if low is None or high is None:
        return MISSING
    return _("%(low)s to %(high)s") % {"low": number(low, digits), "high": number(high, digits)}


def p_in_words(value: float | None) -> str:
    """A p value, or a dash."""
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else number(value)
