"""The committed data dictionary is what the declarations say, and exports carry one of their own."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from studies.data.folder import all_tables

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "data-dictionary.md"


def printed(*options: str) -> str:
    out = StringIO()
    call_command("data_dictionary", *options, stdout=out)
    return out.getvalue()


def test_the_committed_dictionary_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == printed(), (
        "run: python manage.py data_dictionary > docs/data-dictionary.md"
    )


def test_the_command_prints_every_column_as_one_document() -> None:
    rows = json.loads(printed("--json"))["columns"]

    assert {(row["table"], row["column"]) for row in rows} == {
        (table.name, column.name) for table in all_tables() for column in table.columns
    }


@pytest.mark.parametrize("table", all_tables(), ids=lambda table: table.name)
def test_every_table_and_column_says_what_it_means(table: object) -> None:
    assert str(table.description).strip()  # type: ignore[attr-defined]
    for column in table.columns:  # type: ignore[attr-defined]
        assert str(column.description).strip().endswith((".", "…")), column.name
