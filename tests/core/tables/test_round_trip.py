"""What is written reads back the same, in every format."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.tables import Column, Format, Table, TableSpec, read_table, write_table

FORMATS = [*Format, "safe"]
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
nasty = st.text(
    st.sampled_from(list("\"',;\r\n\t =+-@|\\é😀\u0301\u200b\u200d\u202e\u0627\u2028\x85\ufeff1a")), max_size=12
)
texts = st.one_of(nasty, st.text(characters, max_size=30))
moments = st.datetimes(
    min_value=dt.datetime.fromisoformat("1000-01-01"),
    max_value=dt.datetime.fromisoformat("9000-01-01"),
    timezones=st.sampled_from(
        [dt.UTC, dt.timezone(dt.timedelta(hours=-3, minutes=-30)), dt.timezone(dt.timedelta(hours=14))]
    ),
)
json_data = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(texts, below, max_size=3)),
    max_leaves=6,
)
rows = st.tuples(
    texts,
    st.none() | texts,
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.booleans(),
    st.none() | moments,
    st.none() | st.uuids(),
    st.none() | json_data.filter(lambda value: value is not None),
)


def back_and_forth(table: Table, given_rows: list[tuple[Any, ...]], form: str) -> list[tuple[Any, ...]]:
    safe = form == "safe"
    with TemporaryDirectory() as folder:
        written = write_table(table, given_rows, folder, Format.CSV if safe else form, spreadsheet_safe=safe)
        assert written.n_rows == len(given_rows)
        found = read_table(written.path, written.path.name, TableSpec.of_table(table), spreadsheet_safe=safe)
    return [tuple(row.values.values()) for row in found]


@pytest.mark.parametrize("form", FORMATS)
@given(given_rows=st.lists(rows, max_size=4))
@example(given_rows=[])
@example(given_rows=[("", "", 0, 0.0, False, dt.datetime(2024, 1, 1, tzinfo=dt.UTC), uuid.UUID(int=0), "")])
@example(given_rows=[("=cmd()", "'=cmd()", -5, -0.5, None, None, None, {"a": [1, 1.0, None, "\u2028"]})])
@example(given_rows=[('a"b', "one\r\ntwo\rthree\nfour", None, None, None, None, None, None)])
@example(given_rows=[("\ufeff", "e\u0301 \u05d0\u200f \u200b 👩\u200d💻", None, None, None, None, None, "-5")])
def test_what_is_written_reads_back_the_same(form: str, everything: Table, given_rows: list[tuple[Any, ...]]) -> None:
    assert back_and_forth(everything, given_rows, form) == given_rows


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("nullable", [True, False])
@given(cells=st.lists(st.none() | nasty, max_size=5))
@example(cells=[None, "", None])
def test_missing_and_empty_differ_even_in_a_table_of_one_column(
    form: str, nullable: bool, cells: list[str | None]
) -> None:
    table = Table("one", "One column.", (Column("text", "text", "Text.", nullable=nullable),), lambda: iter(()))
    given_rows = [(cell,) for cell in cells if nullable or cell is not None]

    assert back_and_forth(table, given_rows, form) == given_rows


@given(given_rows=st.lists(st.tuples(texts, texts, texts), max_size=5))
def test_other_readers_of_csv_see_the_same_text(given_rows: list[tuple[str, ...]]) -> None:
    columns = tuple(Column(name, "text", "Text.") for name in ("a", "b", "c"))
    with TemporaryDirectory() as folder:
        path = write_table(Table("t", "T.", columns, lambda: iter(())), given_rows, folder).path
        found = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""), strict=True))

    assert found == [["a", "b", "c"], *map(list, given_rows)]


@given(given_rows=st.lists(st.tuples(texts, texts), max_size=5))
def test_careless_readers_of_json_lines_see_the_same_text(given_rows: list[tuple[str, ...]]) -> None:
    columns = (Column("a", "text", "Text."), Column("b", "text", "Text."))
    with TemporaryDirectory() as folder:
        path = write_table(Table("t", "T.", columns, lambda: iter(())), given_rows, folder, "jsonl").path
        lines = path.read_bytes().decode().splitlines()

    assert [tuple(json.loads(line).values()) for line in lines] == given_rows


def test_the_same_rows_give_the_same_bytes_and_times_are_in_utc(everything: Table, tmp_path: Path) -> None:
    cast_at = dt.datetime(2024, 5, 1, 14, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    given_rows = [("p1", "a, b", 5, 0.1, True, cast_at, uuid.UUID(int=1), {"z": 1, "a": "é"}), ("p2", *[None] * 7)]

    csv_file = write_table(everything, given_rows, tmp_path / "a", "csv")
    jsonl_file = write_table(everything, given_rows, tmp_path / "a", "jsonl")
    again = write_table(everything, iter(given_rows), tmp_path / "b", "csv")

    assert csv_file.sha256 == again.sha256
    assert csv_file.path.read_text(encoding="utf-8") == (
        "code,text,importance,share,is_seed,cast_at,public_id,settings\n"
        'p1,"a, b",5,0.1,true,2024-05-01T12:30:00.000000+00:00,00000000-0000-0000-0000-000000000001,'
        '"{""a"":""é"",""z"":1}"\n'
        "p2,,,,,,,\n"
    )
    assert jsonl_file.path.read_text(encoding="utf-8").splitlines()[0] == (
        '{"code":"p1","text":"a, b","importance":5,"share":0.1,"is_seed":true,'
        '"cast_at":"2024-05-01T12:30:00.000000+00:00","public_id":"00000000-0000-0000-0000-000000000001",'
        '"settings":{"a":"é","z":1}}'
    )
