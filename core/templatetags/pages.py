"""Filters that pages need; nothing here reads the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import template

register = template.Library()


@register.filter
def for_field(errors: Iterable[Mapping[str, str]] | None, field: str) -> str:
    """The message of the first error that belongs to a field, or nothing."""
    return next((error["message"] for error in errors or () if error["field"] == field), "")


@register.filter
def by_column(cells: Sequence[Any], columns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The cells of a row, each with the column it stands in."""
    return zip(cells, columns, strict=True)
