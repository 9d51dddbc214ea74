"""Files of tables: personal columns stay, formulas are disarmed, wrong declarations are found."""

from __future__ import annotations

import datetime as dt
import hashlib
import tracemalloc
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from core.tables import Column, Format, Table, TableError, TableSpec, read_table, write_table


def one(kind: str, **options: Any) -> Table:
    return Table("one", "One column.", (Column("cell", kind, "A cell.", **options),), lambda: iter(()))


def test_what_was_written_is_described(people: Table, tmp_path: Path) -> None:
    written = write_table(people, [("p1", "SECRET", "liberal", 1.5)], tmp_path / "new folder")

    content = written.path.read_bytes()
    assert written.path == tmp_path / "new folder" / "people.csv"
    assert (written.n_rows, written.n_bytes) == (1, len(content))
    assert written.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("form", list(Format))
def test_personal_columns_leave_only_if_asked_for(people: Table, tmp_path: Path, form: Format) -> None:
    rows = [("p1", "SECRET", "liberal", 1.5)]
    spec = TableSpec.of_table(people)

    without = write_table(people, rows, tmp_path / "a", form)
    complete = write_table(people, rows, tmp_path / "b", form, include_personal=True)

    assert b"SECRET" not in without.path.read_bytes()
    assert b"prolific_id" not in without.path.read_bytes()
    assert read_table(without.path, without.path.name, spec)[0].values["prolific_id"] is None
    assert read_table(complete.path, complete.path.name, spec)[0].values["prolific_id"] == "SECRET"


def test_a_table_of_personal_columns_alone_is_not_written_without_them(tmp_path: Path) -> None:
    columns = (Column("email", "text", "Address.", personal=True),)
    table = Table("contacts", "Contacts.", columns, lambda: iter(()), personal_permission="x.y")

    with pytest.raises(ValueError, match="only personal columns"):
        write_table(table, [], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_spreadsheet_form_disarms_text_and_opens_in_excel_but_leaves_numbers(tmp_path: Path) -> None:
    columns = (Column("text", "text", "Text."), Column("n", "integer", "Number."), Column("x", "number", "Number."))
    table = Table("t", "T.", columns, lambda: iter(()))
    rows = [("=cmd()", -5, -0.5), ("-5", -1, None), ("'=1", 0, 1e-7), ("@x", None, None), ("a=b", None, None)]

    content = write_table(table, rows, tmp_path, spreadsheet_safe=True).path.read_bytes()

    assert content.startswith(b"\xef\xbb\xbf")
    assert content.decode("utf-8-sig").splitlines() == [
        "text,n,x", "'=cmd(),-5,-0.5", "-5,-1,", "''=1,0,1e-07", "'@x,,", "a=b,,",
    ]  # fmt: skip


def test_json_lines_and_parquet_are_exact_even_in_the_spreadsheet_form(tmp_path: Path) -> None:
    for form in ("jsonl", "parquet"):
        written = write_table(one("text"), [("=cmd()",)], tmp_path, form, spreadsheet_safe=True)

        assert not written.spreadsheet_safe
        assert read_table(written.path, written.path.name, TableSpec.of_table(one("text")))[0]["cell"] == "=cmd()"


def test_parquet_is_typed_and_described(everything: Table, tmp_path: Path) -> None:
    path = write_table(everything, [("p1", *[None] * 7)], tmp_path, "parquet").path

    schema = pq.read_schema(path)

    types = [str(field.type) for field in schema]
    assert types == ["string", "string", "int64", "double", "bool", "timestamp[us, tz=UTC]", "string", "string"]
    assert schema.field("text").metadata[b"description"] == b"What the person wrote."
    assert [field.nullable for field in schema][:2] == [False, True]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", 5),
        ("text", b"x"),
        ("text", "a\0"),
        ("text", "\ud83d"),
        ("integer", True),
        ("integer", 1.0),
        ("integer", "1"),
        ("integer", 2**63),
        ("number", float("nan")),
        ("number", float("inf")),
        ("number", "1.5"),
        ("number", False),
        ("boolean", 1),
        ("datetime", dt.datetime.fromisoformat("2024-05-01")),
        ("datetime", dt.date(2024, 1, 1)),
        ("uuid", str(uuid.UUID(int=0))),
        ("json", {"a": float("nan")}),
        ("json", object()),
        ("json", "\0"),
    ],
)
def test_a_value_that_is_not_what_was_declared_is_an_error(kind: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"table one, row 2: column cell \(" + kind):
        write_table(one(kind), [(None,), (value,)], tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_closed_lists_required_cells_and_widths_are_kept(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="'maybe': not among the values declared"):
        write_table(one("text", values={"yes": "Yes"}), [("maybe",)], tmp_path)
    with pytest.raises(TableError, match="row 1: column cell may not be missing"):
        write_table(one("text", nullable=False), [(None,)], tmp_path)
    with pytest.raises(TableError, match="2 values for 1 columns"):
        write_table(one("text"), [("a", "b")], tmp_path)


def test_a_failed_write_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = write_table(one("text"), [("good",)], tmp_path).path

    with pytest.raises(TableError):
        write_table(one("text"), [("new",), (5,)], tmp_path)

    assert path.read_text() == "cell\ngood\n"
    assert [each.name for each in tmp_path.iterdir()] == ["one.csv"]


def test_numpy_numbers_are_numbers(tmp_path: Path) -> None:
    columns = tuple(Column(kind, kind, "A cell.") for kind in ("integer", "number", "boolean"))
    rows = [(np.int32(5), np.float32(0.5), np.bool_(True))]

    path = write_table(Table("t", "T.", columns, lambda: iter(())), rows, tmp_path).path

    assert path.read_text() == "integer,number,boolean\n5,0.5,true\n"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Column("Text", "text", "T."), "lower-case"),
        (lambda: Column("=a", "text", "T."), "lower-case"),
        (lambda: Column("a", "string", "T."), "string"),
        (lambda: Table("a b", "T.", (Column("a", "text", "T."),), lambda: ()), "lower-case"),
        (lambda: Table("a", "T.", (), lambda: ()), "different names"),
        (lambda: Table("a", "T.", (Column("a", "text", "T."),) * 2, lambda: ()), "different names"),
        (lambda: Table("a", "T.", (Column("a", "text", "T.", personal=True),), lambda: ()), "permission"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_memory_does_not_grow_with_the_rows(form: str, tmp_path: Path) -> None:
    def many() -> Iterator[tuple[str]]:
        for i in range(20_000):
            yield (f"{i} " + "x" * 200,)

    tracemalloc.start()
    write_table(one("text"), many(), tmp_path, form)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1_000_000, "the file has more than 4 MB"
