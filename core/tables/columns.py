"""Declared tables: what a column means, whether it is personal, and where its rows come from.

One declaration serves the export, its data dictionary and manifest, and the import of what was exported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.errors import Message

_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


class Kind(StrEnum):
    """What a column holds; see `docs` of each format in :mod:`core.tables.write`."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATETIME = "datetime"
    UUID = "uuid"
    JSON = "json"


@dataclass(frozen=True)
class Column:
    """A column of an exported table.

    `values` closes the list of what may stand in it: a mapping of each value to its meaning. `unit` is for numbers
    (``s``, ``characters``). `nullable` says whether a cell may be missing. `personal` columns leave the platform
    only if asked for by someone who may.
    """

    name: str
    kind: Kind | str
    description: Message
    personal: bool = False
    unit: str | None = None
    values: Mapping[Any, Message] | None = None
    nullable: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a column is named by lower-case letters, digits and underscores, not {self.name!r}")


@dataclass(frozen=True)
class Table:
    """A table that can be exported: its columns, and `rows`, which yields one tuple a row in their order.

    `personal_permission` names the permission that its personal columns need; a table with such columns must name it.
    """

    name: str
    description: Message
    columns: tuple[Column, ...]
    rows: Callable[..., Iterable[tuple[Any, ...]]]
    personal_permission: str | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"a table is named by lower-case letters, digits and underscores, not {self.name!r}")
        if not names or len(set(names)) < len(names):
            raise ValueError(f"table {self.name} must have columns of different names")
        if self.has_personal_columns and not self.personal_permission:
            raise ValueError(f"table {self.name} has personal columns and must name the permission they need")

    @property
    def has_personal_columns(self) -> bool:
        """Whether some column is personal."""
        return any(column.personal for column in self.columns)

    def visible(self, *, include_personal: bool) -> list[Column]:
        """Return the columns that are written, with or without the personal ones."""
        return [column for column in self.columns if include_personal or not column.personal]
