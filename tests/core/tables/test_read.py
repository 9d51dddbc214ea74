"""Tables of people: each kind of mistake is found, placed and answered with a remedy."""

from __future__ import annotations

import datetime as dt
import io
import uuid
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import BadInput, InputProblem, Problems
from core.tables import InputColumn, TableSpec, read_table, stream_table

ANSWERS = TableSpec(
    (
        InputColumn("question"),
        InputColumn("source", values=("model-a", "model-b")),
        InputColumn("text", maximum_length=20),
        InputColumn("rating", "integer", optional=True, nullable=True, minimum=1, maximum=5),
    ),
    unique=(("question", "source"),),
)
HEADER = "question,source,text\n"


def read(
    content: str | bytes, spec: TableSpec = ANSWERS, name: str = "answers.csv", **options: Any
) -> list[dict[str, Any]]:
    data = content.encode() if isinstance(content, str) else content
    return [row.values for row in read_table(data, name, spec, **options)]


def problems_of(content: str | bytes, spec: TableSpec = ANSWERS, name: str = "answers.csv") -> list[InputProblem]:
    with pytest.raises(BadInput) as caught:
        read(content, spec, name)
    assert caught.value.exit_status == 2
    return list(caught.value.problems)


def only(content: str | bytes, spec: TableSpec = ANSWERS, name: str = "answers.csv") -> InputProblem:
    (problem,) = problems_of(content, spec, name)
    assert problem.file == name
    return problem


def place(problem: InputProblem) -> tuple[int | None, int | None, str]:
    return problem.line, problem.column, problem.name


def test_rows_come_typed_with_their_physical_lines() -> None:
    content = 'question,source,text,rating\nq1,model-a,"one\r\ntwo\n\nthree",4\nq1,model-b,é,\n'

    rows = read_table(content.encode(), "answers.csv", ANSWERS)

    assert [row.line for row in rows] == [2, 6]
    assert rows[0].values == {"question": "q1", "source": "model-a", "text": "one\r\ntwo\n\nthree", "rating": 4}
    assert rows[1]["rating"] is None
    assert str(rows[1].problem("text", "Too rude")) == "answers.csv:6:3 (text): Too rude."


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_byte_order_marks_line_ends_and_a_last_line_without_one_are_read(ending: str, mark: bytes, last: bool) -> None:
    content = ending.join(["text,question,source", "hello,q1,model-a"]) + (ending if last else "")

    rows = read(mark + content.encode())

    assert rows == [{"question": "q1", "source": "model-a", "text": "hello", "rating": None}]


def test_text_is_taken_as_it_is() -> None:
    spec = TableSpec((InputColumn("id"), InputColumn("text", nullable=True)))
    texts = [
        "NA",
        "null",
        "007",
        "1.0",
        " padded ",
        "=cmd()",
        "e\u0301",
        "\u05d0\u200f",
        "a\u200bb",
        "x\u2028y",
        "👩\u200d💻",
        "<script>",
    ]
    content = "id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts))

    assert [row["text"] for row in read(content, spec)] == texts


def test_wrong_encoding_names_line_and_character() -> None:
    problem = only(HEADER.encode() + "q1,model-a,café\n".encode("latin-1"))

    assert (problem.line, problem.column) == (2, 15)
    assert "UTF-8" in problem.remedy


def test_rows_before_a_wrong_byte_are_checked_too() -> None:
    problems = problems_of(HEADER.encode() + b"q1,model-x,a\nq1,model-a,\xe9\n")

    assert [problem.line for problem in problems] == [2, 3]


@pytest.mark.parametrize(("row", "column"), [("q1,model-a\n", 3), ("q1,model-a,one, two\n", 4), ("q1\n", 2)])
def test_a_ragged_row_is_refused_with_its_line(row: str, column: int) -> None:
    problem = only(HEADER + "q0,model-a,x\n" + row)

    assert (problem.line, problem.column) == (3, column)
    assert "the header has 3" in problem.message
    assert "quotation marks" in problem.remedy


def test_a_duplicate_id_names_both_lines() -> None:
    problem = only(HEADER + "q1,model-a,x\nq1,model-b,x\nq1,model-a,y\n")

    assert place(problem) == (4, 2, "source")
    assert "“q1”, “model-a” is there a second time; the first is on line 2" in problem.message


def test_an_unknown_model_names_the_nearest() -> None:
    problem = only(HEADER + "q1,Model-A,x\n")

    assert place(problem) == (2, 2, "source")
    assert problem.message == "“Model-A” is not possible here."
    assert problem.remedy == "Did you mean “model-a”?"


def test_missing_unknown_and_duplicate_columns_are_all_named_at_once() -> None:
    problems = problems_of("question,txt,question,\nq1,x,q1,\n")

    assert [(problem.column, problem.name) for problem in problems] == [
        (2, "txt"),
        (3, "question"),
        (4, ""),
        (None, "source"),
        (None, "text"),
    ]
    assert problems[0].remedy == "Did you mean “text”?"
    assert "twice" in problems[1].message
    assert "no name" in problems[2].message
    assert "The file has: question, txt, question, ?" in problems[3].remedy


@pytest.mark.parametrize("name", ["Question", " question", "question "])
def test_a_column_name_that_differs_in_case_or_space_is_suggested(name: str) -> None:
    assert problems_of(f"{name},source,text\n")[0].remedy == "Did you mean “question”?"


@pytest.mark.parametrize(("mark", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_a_file_separated_otherwise_gets_its_remedy(mark: str, word: str) -> None:
    problem = problems_of(mark.join(["question", "source", "text"]) + "\n")[0]

    assert word in problem.message
    assert "CSV with commas" in problem.remedy


def test_further_columns_are_passed_over_if_the_specification_says_so() -> None:
    spec = TableSpec((InputColumn("id"),), ignore_others=True)

    assert read("x,id,\n1,a,2\n", spec) == [{"id": "a"}]


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        ('q1,model-a,"never closed\nq2,model-a,x\n', 3, 3, "never closed"),
        ('q1,model-a,5" tall\nq2,model-a,x\n', 3, 3, "does not begin with one"),
        ('q1,model-a,5" and 6" tall\n', 3, 3, "does not begin with one"),
        ('q1,model-a,"a" b\n', 3, 3, "between a closing quotation mark"),
        ('q1,"model-a"x,"a\nb"\n', 3, 2, "between a closing quotation mark"),
        ('q1,model-a,"a\nb" c\n', 4, 3, "between a closing quotation mark"),
        ("q1,model-a,a\rq2,model-a,b\n", 3, 3, "carriage return"),
    ],
)
def test_broken_quotes_and_lone_carriage_returns_are_found_where_they_are(
    content: str, line: int, column: int, words: str
) -> None:
    problem = only(HEADER + "q0,model-a,x\n" + content)

    assert (problem.line, problem.column) == (line, column)
    assert words in problem.message


def test_a_quote_left_open_in_a_large_file_is_found_without_reading_it_all() -> None:
    content = HEADER + 'q1,model-a,"open\n' + "q2,model-a,x\n" * 1_000_000

    assert only(content).line == 2


def test_doubled_quotes_and_empty_cells_are_read() -> None:
    spec = TableSpec((InputColumn("a", nullable=True, blank=True), InputColumn("b", nullable=True, blank=True)))

    assert read('a,b\n"say ""hi""",\n"",""""\n', spec) == [{"a": 'say "hi"', "b": None}, {"a": "", "b": '"'}]


@pytest.mark.parametrize("content", ["", "\n", "\ufeff"])
def test_a_file_without_header_says_what_is_needed(content: str) -> None:
    assert "question, source, text, rating" in only(content).remedy


def test_a_header_alone_is_an_empty_table() -> None:
    assert read(HEADER) == []


def test_blank_lines_are_passed_over_and_rows_of_commas_named() -> None:
    problem = only(HEADER + "\nq1,model-a,x\n\n,,\n\n")

    assert (problem.line, problem.message, problem.remedy) == (5, "This row is empty.", "Delete it.")


@pytest.mark.parametrize("cell", ["", '""', '" "', "\u200b"])
def test_a_required_text_must_be_seen(cell: str) -> None:
    assert place(only(HEADER + f"q1,model-a,{cell}\n")) == (2, 3, "text")


def test_lengths_count_characters_after_nfc() -> None:
    assert read(HEADER + "q1,model-a," + "e\u0301" * 20 + "\n")
    assert "21 characters" in only(HEADER + "q1,model-a," + "😀" * 21 + "\n").message


@pytest.mark.parametrize(
    ("kind", "cell", "remedy"),
    [
        ("integer", "4.5", "digits only"),
        ("integer", '"1,000"', "point"),
        ("integer", "1_000", "digits only"),
        ("integer", "٣", "digits only"),
        ("integer", "NA", "Leave the cell empty"),
        ("integer", "9223372036854775808", ""),
        ("integer", "9" * 5000, "digits only"),
        ("integer", "0x10", "digits only"),
        ("number", '"1,5"', "point"),
        ("number", '"1.000,5"', "point"),
        ("number", "nan", "Leave the cell empty"),
        ("number", "inf", "digits only"),
        ("number", "1e999", "digits only"),
        ("number", "1 000", "digits only"),
        ("boolean", "yes", "true or false"),
        ("boolean", "2", "true or false"),
        ("datetime", "2024-05-01", "T14:30:00Z"),
        ("datetime", "2024-05-01T10:00:00", "T14:30:00Z"),
        ("datetime", "01/05/2024", "T14:30:00Z"),
        ("datetime", "9999-12-31T23:59:59-10:00", ""),
        ("uuid", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567"),
        ("json", "{a: 1}", ""),
        ("json", '"{""a"": NaN}"', ""),
        ("json", '"{""a"": 1, ""a"": 2}"', ""),
        ("json", '"""\\ud83d"""', ""),
        ("json", '"[""\\u0000""]"', ""),
        ("json", "[" * 100_000, ""),
        ("json", "9" * 5000, ""),
    ],
)
def test_a_cell_of_the_wrong_kind_is_refused_with_a_remedy(kind: str, cell: str, remedy: str) -> None:
    problem = only(f"id,cell\na,{cell}\n", TableSpec((InputColumn("id"), InputColumn("cell", kind))))

    assert place(problem) == (2, 2, "cell")
    assert remedy in problem.remedy
    assert len(str(problem)) < 400


@pytest.mark.parametrize(
    ("kind", "cell", "value"),
    [
        ("integer", "+4", 4),
        ("integer", "4.0", 4),
        ("integer", " 4 ", 4),
        ("integer", "-9223372036854775808", -(2**63)),
        ("integer", "0", 0),
        ("number", "-.5", -0.5),
        ("number", "1E3", 1000.0),
        ("boolean", "True", True),
        ("boolean", "0", False),
        ("datetime", "2024-05-01T14:30:00Z", dt.datetime(2024, 5, 1, 14, 30, tzinfo=dt.UTC)),
        ("datetime", "2024-05-01 14:30+02:00", dt.datetime(2024, 5, 1, 12, 30, tzinfo=dt.UTC)),
        ("uuid", "123E4567-E89B-12D3-A456-426614174000", uuid.UUID("123e4567-e89b-12d3-a456-426614174000")),
        ("json", '"[1, ""\\ud83d\\ude00""]"', [1, "😀"]),
    ],
)
def test_a_cell_of_the_right_kind_is_typed(kind: str, cell: str, value: Any) -> None:
    spec = TableSpec((InputColumn("id"), InputColumn("cell", kind)))

    (row,) = read(f"id,cell\na,{cell}\n", spec)

    assert row["cell"] == value
    assert type(row["cell"]) is type(value)


@pytest.mark.parametrize(("cell", "words"), [("0", "0 is below 1"), ("6", "6 is above 5")])
def test_bounds_are_kept(cell: str, words: str) -> None:
    assert words in only(f"question,source,text,rating\nq1,model-a,x,{cell}\n").message


def test_all_problems_are_collected_and_those_over_100_counted() -> None:
    with pytest.raises(BadInput) as caught:
        read(HEADER + "".join(f"q{i},model-x,\n" for i in range(80)))

    assert len(caught.value.problems) == 100
    assert caught.value.n_more == 60
    assert [problem.line for problem in caught.value.problems][:3] == [2, 2, 3]


def test_a_caller_adds_problems_of_its_own() -> None:
    problems = Problems()
    for row in stream_table(
        (HEADER + "q9,model-a,x\nq1,model-x,x\n").encode(), "answers.csv", ANSWERS, problems=problems
    ):
        problems.add(row.problem("question", "Unknown question"))

    assert [place(problem) for problem in problems.error().problems] == [(2, 1, "question"), (3, 2, "source")]


def test_rows_are_streamed() -> None:
    rows = stream_table((HEADER + "q1,model-a,x\n" + "ragged\n").encode(), "answers.csv", ANSWERS)

    assert next(rows).line == 2
    with pytest.raises(BadInput):
        next(rows)


def test_files_that_cannot_be_read_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        read_table(tmp_path / "absent.csv", "absent.csv", ANSWERS)
    with pytest.raises(BadInput, match=r"\.xlsx"):
        read_table(b"", "answers.xlsx", ANSWERS)
    with pytest.raises(BadInput, match="Excel"):
        read_table(b"PK\x03\x04", "answers.csv", ANSWERS)
    with pytest.raises(BadInput, match="at most 3"):
        read_table(b"abcd", "answers.csv", ANSWERS, maximum_bytes=3)


# --- JSON Lines ----------------------------------------------------------------------------------------------------


def test_json_lines_are_read_with_their_lines() -> None:
    first = '\ufeff{"question": "q1", "source": "model-a", "text": "a\\nb"}\r\n\n'
    content = first + '{"text": "x\u2028y", "source": "model-b", "question": 7}\n'

    rows = read_table(content.encode(), "answers.jsonl", ANSWERS)

    assert [row.line for row in rows] == [1, 3]
    assert [row["text"] for row in rows] == ["a\nb", "x\u2028y"]
    assert rows[1]["question"] == "7"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "no JSON object"),
        ('{"question": "q1"', "not valid JSON"),
        ('{"question": "q1"} {"question": "q2"}', "Extra data"),
        ('{"question": "q1", "question": "q2"}', "“question” stands twice"),
        ('{"question": NaN}', "NaN is no number"),
        ('{"question": "\\ud83d"}', "surrogate"),
        ('{"question": "\\u0000"}', "NUL"),
        ('{"question": ' + "[" * 100_000, "not valid JSON"),
        ('{"question": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_a_line_that_is_no_json_object_is_refused(line: str, words: str) -> None:
    problem = only('{"question": "q1", "source": "model-a", "text": "x"}\n' + line + "\n", name="answers.jsonl")

    assert problem.line == 2
    assert words in problem.message


def test_an_unknown_key_is_named_once_and_a_missing_one_each_time() -> None:
    line = '{"question": "q%d", "source": "model-a", "txt": "x"}\n'

    problems = problems_of(line % 1 + line % 2, name="answers.jsonl")

    assert [place(problem) for problem in problems] == [(1, None, "txt"), (1, None, "text"), (2, None, "text")]
    assert problems[0].remedy == "Did you mean “text”?"


@pytest.mark.parametrize("value", ['"4"', "4", "4.0"])
def test_numbers_of_json_may_be_text_or_whole_floats(value: str) -> None:
    assert (
        read(f'{{"question": "q", "source": "model-a", "text": "x", "rating": {value}}}', name="a.jsonl")[0]["rating"]
        == 4
    )


@pytest.mark.parametrize("value", ["true", "4.5", '"4,0"', "[4]", "1e400"])
def test_other_values_of_json_are_no_whole_numbers(value: str) -> None:
    content = f'{{"question": "q", "source": "model-a", "text": "x", "rating": {value}}}'

    assert place(only(content, name="a.jsonl")) == (1, None, "rating")


def test_json_inside_json_lines_is_not_read_twice() -> None:
    spec = TableSpec((InputColumn("cell", "json"),))

    assert read('{"cell": "[1]"}\n{"cell": {"a": [1]}}\n', spec, "a.jsonl") == [{"cell": "[1]"}, {"cell": {"a": [1]}}]


# --- Parquet -------------------------------------------------------------------------------------------------------


def parquet(frame: pd.DataFrame | pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame), file)
    return file.getvalue()


def test_parquet_of_a_data_frame_is_read_with_missing_numbers_and_categories() -> None:
    frame = pd.DataFrame(
        {
            "question": [1, 2],
            "source": pd.Categorical(["model-a", "model-b"]),
            "text": ["x", "NA"],
            "rating": [4.0, None],
        }
    )

    rows = read_table(parquet(frame), "answers.parquet", ANSWERS)

    assert [row.values for row in rows] == [
        {"question": "1", "source": "model-a", "text": "x", "rating": 4},
        {"question": "2", "source": "model-b", "text": "NA", "rating": None},
    ]
    assert [row.line for row in rows] == [1, 2]


def test_times_of_parquet_need_a_zone() -> None:
    spec = TableSpec((InputColumn("at", "datetime"),))
    good = pd.DataFrame({"at": pd.to_datetime(["2024-05-01T14:30:00.123456+02:00"]).tz_convert("Asia/Tokyo")})
    bad = pd.DataFrame({"at": pd.to_datetime(["2024-05-01T14:30:00"])})

    (row,) = read(parquet(good), spec, "a.parquet")

    assert row["at"] == dt.datetime(2024, 5, 1, 12, 30, 0, 123456, tzinfo=dt.UTC)
    assert type(row["at"]) is dt.datetime
    assert "no zone" in only(parquet(bad), spec, "a.parquet").message


def test_an_index_that_went_into_parquet_is_named() -> None:
    frame = pd.DataFrame({"question": ["q"], "source": ["model-a"], "text": ["x"]}, index=["r1"])

    assert "__index_level_0__" in only(parquet(frame), name="a.parquet").name


def test_what_is_no_parquet_is_refused() -> None:
    assert "not valid Parquet" in only(b"PAR1 and no more", name="a.parquet").message
    assert "not valid Parquet" in only(b"", name="a.parquet").message


def test_undefined_numbers_of_parquet_are_refused() -> None:
    table = pa.table({"x": pa.array([1.0, float("nan")])})

    assert only(parquet(table), TableSpec((InputColumn("x", "number", nullable=True),)), "a.parquet").line == 2
