from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.tables import Table, TableSpec, read_table, write_table
from studies.data.folder import all_tables
from studies.models import Study
from tests.studies.data.rich import rich_study

Rows = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def rich(db: None) -> Study:
    """A study in which everything has happened."""
    return rich_study()


@pytest.fixture
def exported(tmp_path: Path) -> Rows:
    """What is read back of one table of a study."""

    def rows(study: Study, name: str, *, include_personal: bool = False) -> list[dict[str, Any]]:
        table: Table = next(table for table in all_tables() if table.name == name)
        written = write_table(table, table.rows(study), tmp_path / "tables", include_personal=include_personal)
        return [row.values for row in read_table(written.path, written.path.name, TableSpec.of_table(table))]

    return rows
