"""Texts of statements in a specification, which is stored without any so that erasing a text erases it everywhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

Row = dict[str, Any]


def with_texts(spec: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """The specification with each statement's number and text for its code; an erased one keeps its code."""

    def named(row: Row) -> Row:
        if "line" not in row or row.get("statement") not in texts:
            return row
        number = row["place"] if "place" in row else row["number"]
        return {**row, "line": f"{number}. {' '.join(texts[row['statement']].split())}"}

    return mapped_rows(spec, lambda rows: [named(row) for row in rows])


def without_groups(spec: Mapping[str, Any], letters: Collection[str]) -> dict[str, Any]:
    """The specification without the rows of these groups."""
    return mapped_rows(spec, lambda rows: [row for row in rows if not _is_of(row, letters)])


def table_without_groups(table: Mapping[str, Any], letters: Collection[str]) -> dict[str, Any]:
    """The numbers without the rows of these groups."""
    keys = table["columns"]
    rows = [row for row in table["rows"] if not _is_of(dict(zip(keys, row, strict=True)), letters)]
    return {**table, "rows": rows}


def _is_of(row: Mapping[str, Any], letters: Collection[str]) -> bool:
    return row.get("group") in letters or row.get("other") in letters


def mapped_rows(spec: Mapping[str, Any], change: Callable[[list[Row]], list[Row]]) -> dict[str, Any]:
    """A copy of the specification with `change` made to every list of rows in it."""
    return {key: _mapped(key, value, change) for key, value in spec.items()}


def _mapped(key: str, value: Any, change: Callable[[list[Row]], list[Row]]) -> Any:
    if key == "datasets":  # rows that several layers share
        return {name: change(rows) for name, rows in value.items()}
    if key == "data" and isinstance(value, dict) and "values" in value:
        return {**value, "values": change(value["values"])}
    if isinstance(value, dict):
        return mapped_rows(value, change)
    if isinstance(value, list):
        return [mapped_rows(item, change) if isinstance(item, dict) else item for item in value]
    return value
