"""Filters that the participant's pages need; nothing here reads the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django import template

register = template.Library()


@register.filter
def for_field(errors: Iterable[Mapping[str, str]] | None, field: str) -> str:
    """The message of the first error that belongs to a field, or nothing."""
    return next((error["message"] for error in errors or () if error["field"] == field), "")
