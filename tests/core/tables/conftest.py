"""A table with a column of each kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.tables import Column, Table

COLUMNS = (
    Column("code", "text", "Public code.", nullable=False),
    Column("text", "text", "What the person wrote."),
    Column("importance", "integer", "Importance, from 1 to 5."),
    Column("share", "number", "Share.", unit="of 1"),
    Column("is_seed", "boolean", "Whether the team wrote it."),
    Column("cast_at", "datetime", "When."),
    Column("public_id", "uuid", "Name outside."),
    Column("settings", "json", "Settings."),
)


def no_rows() -> Iterator[tuple[object, ...]]:
    """Yield nothing."""
    return iter(())


@pytest.fixture(scope="session")
def everything() -> Table:
    return Table("everything", "A column of each kind.", COLUMNS, no_rows)


@pytest.fixture(scope="session")
def people() -> Table:
    columns = (
        Column("code", "text", "Public code.", nullable=False),
        Column("prolific_id", "text", "Who it is.", personal=True),
        Column("stance", "text", "Stance | view.", values={"liberal": "Liberal", "neutral": "Neither\nnor"}),
        Column("seconds", "number", "Time taken.", unit="s"),
    )
    return Table("people", "Who took part.", columns, no_rows, personal_permission="studies.export_identities")
