"""The hidden fields of an item as they are sealed."""

from __future__ import annotations

from typing import Any

from annotation import hashing
from annotation.models import HiddenFields

COLUMNS = ("external_id", "stratum", "reference", "pair", "source", "model", "is_covered", "distance")


def fields_of(row: HiddenFields, gold: dict[str, list[str]], repeats: str | None) -> dict[str, Any]:
    """All that is hidden of an item: columns, further fields, right answers, and the key of what it repeats."""
    return {name: getattr(row, name) for name in COLUMNS} | {
        "values": row.values,
        "gold": {code: sorted(labels) for code, labels in gold.items()},
        "repeats": repeats,
    }


def gold_of(row: HiddenFields) -> dict[str, list[str]]:
    """The right answers of an item by dimension."""
    found: dict[str, list[str]] = {}
    for gold in row.item.gold.all():
        found.setdefault(gold.dimension.code, []).append(gold.label.code)
    return found


def hash_of(row: HiddenFields) -> str:
    """The hash of the hidden fields as the rows are now."""
    repeats = None if row.repeats is None else row.repeats.key
    return hashing.hidden_sha256(salt=row.salt, key=row.item.key, fields=fields_of(row, gold_of(row), repeats))
