"""What an input table must look like, and its rows as they come out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from core.errors import InputProblem
from core.tables.columns import Kind, Table


@dataclass(frozen=True)
class InputColumn:
    """A column of an input table.

    `optional`: the file may lack the column, whose values are then missing. `nullable`: a cell may be empty. `blank`:
    a text may consist of nothing visible, such as the quoted empty cell. Lengths count characters (code points after
    NFC), `minimum` and `maximum` bound numbers.
    """

    name: str
    kind: Kind | str = Kind.TEXT
    optional: bool = False
    nullable: bool = False
    blank: bool = False
    values: Collection[Any] | None = None
    minimum: float | None = None
    maximum: float | None = None
    minimum_length: int | None = None
    maximum_length: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))


@dataclass(frozen=True)
class TableSpec:
    """The columns of an input table; `unique` lists the sets of columns whose values, taken together, differ by row.

    `ignore_others` lets the file have further columns, which are not read; otherwise they are problems.
    """

    columns: tuple[InputColumn, ...]
    unique: tuple[tuple[str, ...], ...] = ()
    ignore_others: bool = False

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [column.name for column in self.columns]

    @classmethod
    def of_table(cls, table: Table, *, unique: tuple[tuple[str, ...], ...] = ()) -> TableSpec:
        """Return the specification that takes in what was exported of `table`; personal columns may be absent."""
        columns = (
            InputColumn(
                column.name,
                column.kind,
                optional=column.personal,
                nullable=column.nullable,
                blank=True,
                values=None if column.values is None else tuple(column.values),
            )
            for column in table.columns
        )
        return cls(tuple(columns), unique=unique)


@dataclass(frozen=True, slots=True)
class Row:
    """A typed row: its values by column name, where it stands, and where its cells do."""

    file: str
    line: int
    values: dict[str, Any]
    positions: dict[str, int]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def problem(self, name: str, message: str, remedy: str = "") -> InputProblem:
        """Return a problem of the cell under `name`, found by whoever uses the row."""
        return InputProblem(self.file, self.line, self.positions.get(name), message, remedy, name)


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row as read, before types: one value a column of the specification, `None` if missing."""

    line: int
    cells: list[Any]
