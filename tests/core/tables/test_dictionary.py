"""The data dictionary and the manifest say what is there, and what is not."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from core.errors import BadInput
from core.tables import (
    Table,
    TableSpec,
    check_manifest,
    data_dictionary,
    dictionary_markdown,
    manifest,
    read_table,
    write_manifest,
    write_table,
)

NOW = dt.datetime(2024, 5, 1, 14, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))


def test_the_dictionary_is_a_table_like_any_other(people: Table, everything: Table, tmp_path: Path) -> None:
    dictionary = data_dictionary([people, everything])

    written = write_table(dictionary, dictionary.rows(), tmp_path)
    rows = read_table(written.path, written.path.name, TableSpec.of_table(dictionary, unique=(("table", "column"),)))

    assert len(rows) == len(people.columns) + len(everything.columns)
    stance = next(row.values for row in rows if row["column"] == "stance")
    assert stance == {
        "table": "people",
        "column": "stance",
        "position": 3,
        "kind": "text",
        "description": "Stance | view.",
        "unit": None,
        "values": {"liberal": "Liberal", "neutral": "Neither\nnor"},
        "may_be_missing": True,
        "personal": False,
        "written": True,
    }


@pytest.mark.parametrize("include_personal", [True, False])
def test_the_dictionary_says_which_personal_columns_are_there(people: Table, include_personal: bool) -> None:
    dictionary = data_dictionary([people], include_personal=include_personal)

    written = {row[1]: (row[8], row[9]) for row in dictionary.rows()}

    assert written == {
        "code": (False, True),
        "prolific_id": (True, include_personal),
        "stance": (False, True),
        "seconds": (False, True),
    }
    text = dictionary_markdown([people], include_personal=include_personal)
    assert ("Personal data, not in this export." in text) is not include_personal


def test_the_dictionary_reads_well_and_no_text_breaks_its_tables(people: Table) -> None:
    lines = dictionary_markdown([people]).splitlines()

    assert "## people" in lines
    assert "| stance | text | yes | Stance \\| view. Values: `liberal` Liberal; `neutral` Neither nor. |" in lines
    assert "| seconds | number | yes | Time taken. Unit: s. |" in lines


def test_the_dictionary_describes_itself(tmp_path: Path) -> None:
    inner = data_dictionary([])
    outer = data_dictionary([inner])

    assert write_table(outer, outer.rows(), tmp_path).n_rows == len(inner.columns)


def test_the_manifest_lists_files_rows_hashes_and_what_was_left_out(people: Table, tmp_path: Path) -> None:
    written = write_table(people, [("p1", "SECRET", "liberal", 1.5)], tmp_path)

    content = manifest([written], now=NOW, about={"study": "public-life"})

    assert content == {
        "format": "polyphony-export",
        "format_version": 1,
        "created_at": "2024-05-01T12:30:00.000000+00:00",
        "about": {"study": "public-life"},
        "includes_personal_data": False,
        "tables": [
            {
                "name": "people",
                "description": "Who took part.",
                "file": "people.csv",
                "format": "csv",
                "spreadsheet_safe": False,
                "rows": 1,
                "bytes": written.n_bytes,
                "sha256": written.sha256,
                "columns": ["code", "stance", "seconds"],
                "columns_left_out": ["prolific_id"],
            }
        ],
    }
    write_manifest(tmp_path, content)
    assert check_manifest(tmp_path) == content


def test_the_manifest_says_if_personal_data_are_there(people: Table, everything: Table, tmp_path: Path) -> None:
    harmless = write_table(everything, [], tmp_path, include_personal=True)
    personal = write_table(people, [], tmp_path, include_personal=True)

    assert not manifest([harmless], now=NOW, about={})["includes_personal_data"]
    assert manifest([harmless, personal], now=NOW, about={})["includes_personal_data"]


def test_changed_and_missing_files_are_found(people: Table, everything: Table, tmp_path: Path) -> None:
    files = [write_table(people, [], tmp_path), write_table(everything, [], tmp_path)]
    write_manifest(tmp_path, manifest(files, now=NOW, about={}))
    files[0].path.write_text("code\nchanged\n")
    files[1].path.unlink()

    with pytest.raises(BadInput) as caught:
        check_manifest(tmp_path)

    assert [problem.file for problem in caught.value.problems] == ["people.csv", "everything.csv"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "not the manifest"),
        (json.dumps({"format": "polyphony-export", "format_version": 2}), "reads version 1"),
        (json.dumps({"format": "polyphony-export", "format_version": 1}), "must list its tables"),
        (json.dumps({"format": "polyphony-export", "format_version": 1, "tables": [{"name": 1}]}), "must list"),
    ],
)
def test_what_is_no_manifest_of_ours_is_bad_input(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(content)

    with pytest.raises(BadInput, match=words):
        check_manifest(tmp_path)


def test_a_folder_without_manifest_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        check_manifest(tmp_path)
