"""Ratings files: shapes, and everything wrong with its line, column and remedy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from annotation.files import RatingsOptions, read_ratings, read_weights
from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE
from core.errors import BadInput

LONG = "item,rater,label\n1,a,yes\n1,b,no\n2,a,yes\n2,b,yes\n"


def read(text, name="ratings.csv", **options):
    return read_ratings(text.encode(), name, RatingsOptions(**options))


def problem(text, name="ratings.csv", **options):
    with pytest.raises(BadInput) as caught:
        read(text, name, **options)
    return [str(each) for each in caught.value.problems]


def matrix(file, dimension=0):
    judgements = file.material.dimensions[dimension]
    return [
        [judgements.scale.labels[code] if code >= 0 else int(code) for code in row]
        for row in judgements.matrix().tolist()
    ]


def test_one_table_in_three_shapes_is_the_same() -> None:
    wide = read("item,a,b\n1,yes,no\n2,yes,yes\n")
    long = read(LONG)
    lines = "".join(
        json.dumps(dict(zip(("item", "rater", "label"), row.split(","), strict=True))) + "\n"
        for row in LONG.splitlines()[1:]
    )
    assert (wide.format, long.format) == ("wide", "long")
    assert matrix(wide) == matrix(long) == matrix(read(lines, "ratings.jsonl")) == [["yes", "no"], ["yes", "yes"]]


def test_parquet_is_read_as_the_same(tmp_path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [line.split(",") for line in LONG.splitlines()]
    columns = {name: [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}
    path = tmp_path / "ratings.parquet"
    pq.write_table(pa.table(columns), path)
    assert matrix(read_ratings(path, path.name)) == matrix(read(LONG))


def test_counts_and_tables_are_recognised_and_say_so() -> None:
    counts = read("item,x,y\n1,3,0\n2,1,2\n3,0,3\n")
    assert counts.format == "counts"
    assert "--format wide" in counts.notes[0]
    table = read("A\\B,yes,no\nyes,20,5\nno,10,15\n")
    assert table.format == "table"
    assert len(table.material.dimensions[0].items) == 50
    assert table.material.dimensions[0].raters == ("A", "B")


def test_numbers_that_could_be_either_are_ratings_and_say_so() -> None:
    file = read("item,a,b\n1,1,2\n2,4,5\n")
    assert file.format == "wide"
    assert "--format counts" in file.notes[0]


def test_numbers_stand_by_value_and_words_have_no_order() -> None:
    assert read("item,a,b\n1,10,2\n2,9,10\n").material.dimensions[0].scale.labels == ("2", "9", "10")
    words = read("item,a,b\n1,not,partly\n2,clearly,not\n")
    assert words.material.dimensions[0].scale.level == "nominal"
    assert any("--labels" in note for note in words.notes)
    declared = read("item,a,b\n1,not,partly\n2,clearly,not\n", labels=("not", "partly", "clearly"))
    assert declared.material.dimensions[0].scale.level == "ordinal"
    assert declared.material.dimensions[0].scale.labels == ("not", "partly", "clearly")


def test_what_cannot_be_judged_and_does_not_apply_is_told_apart() -> None:
    file = read("item,a,b\n1,yes,?\n2,-,no\n3,,no\n", labels=("no", "yes"), cannot_judge="?", not_applicable="-")
    assert matrix(file) == [["yes", CANNOT_JUDGE], [NOT_APPLICABLE, "no"], [-1, "no"]]


def test_long_tables_may_give_the_reason_in_a_column() -> None:
    file = read("item,rater,label,missing\n1,a,yes,\n1,b,,cannot_judge\n2,a,no,\n2,b,,not_applicable\n")
    assert matrix(file) == [["yes", CANNOT_JUDGE], ["no", NOT_APPLICABLE]]


def test_dimensions_strata_units_and_kinds_are_read() -> None:
    file = read(
        "item,rater,kind,dimension,label,group,pair,covered\n"
        "1,a,human,use,yes,near,p,true\n1,b,llm,use,no,near,p,true\n1,a,human,tone,high,near,p,true\n",
        unit="pair",
    )
    assert [each.dimension for each in file.material.dimensions] == ["use", "tone"]
    assert file.material.stratum == {"1": "near"}
    assert file.material.unit == {"1": "p"}
    assert file.material.kinds == {"a": "human", "b": "model"}
    assert file.material.covered == {"1": True}


@pytest.mark.parametrize("word", ["nan", "NaN", "NA", "null", "#N/A"])
def test_what_programs_write_for_no_value_is_no_label(word) -> None:
    (found,) = problem(f"item,a,b\n1,yes,{word}\n2,no,no\n")
    assert found.startswith("ratings.csv:2:3: ")
    assert f"--missing {word}" in found
    assert matrix(read(f"item,a,b\n1,yes,{word}\n2,no,no\n", missing=(word,))) == [["yes", -1], ["no", "no"]]
    assert (
        word
        in read(f"item,a,b\n1,yes,{word}\n2,no,no\n", labels=("yes", "no", word)).material.dimensions[0].scale.labels
    )


def test_an_unknown_label_names_its_place_and_the_nearest() -> None:
    (found,) = problem("item,a,b\n1,yes,no\n2,yse,no\n", labels=("yes", "no"))
    assert found == "ratings.csv:3:2: The label “yse” was not declared. Did you mean “yes”?"


def test_labels_that_differ_in_case_are_different_and_warned_of() -> None:
    file = read("item,a,b\n1,Yes,yes \n2,no,yes\n")
    assert set(file.material.dimensions[0].scale.labels) == {"Yes", "no", "yes", "yes "}
    assert "“Yes”, “yes”, “yes ”" in file.notes[-1] or any("different labels" in note for note in file.notes)


def test_a_second_judgement_is_an_error_with_both_lines() -> None:
    (found,) = problem(LONG + "1,a,no\n")
    assert found.startswith("ratings.csv:6:3: ")
    assert "line 2" in found


def test_an_item_twice_in_a_wide_table_is_an_error() -> None:
    (found,) = problem("item,a,b\n1,yes,no\n1,no,no\n")
    assert found.startswith("ratings.csv:3:1 (item): ")
    assert "line 2" in found


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("item,rater,label\n1,,yes\n", ":2:2", "no name"),
        ("item,rater,label\n,a,yes\n", ":2:1", "no name"),
        ("item,a,b\n1,yes\n", ":2:3", "2 cells"),
        ("item;a;b\n1;2;3\n", ":1:1", "semicolons"),
        ("item,a,a\n1,2,3\n", ":1:3", "twice"),
        ("", ":1", "header"),
        ("item,a,b\n", ":1", "no rows"),
        ('item,a,b\n1,"yes,no\n', ":2:2", "never closed"),
        ("item,rater,kind,label\n1,a,robot,yes\n", ":2:3", "human or model"),
        ("item,rater,label,stratum\n1,a,yes,x\n1,b,yes,y\n", ":3:4", "before"),
        ("item,a,b\n1,1,1.0\n2,1,2\n", "", "two ways"),
    ],
)
def test_faults_have_their_place(text, place, words) -> None:
    (found,) = problem(text)
    assert found.startswith(f"ratings.csv{place}")
    assert words in found


def test_files_of_other_encodings_are_refused_with_the_place() -> None:
    with pytest.raises(BadInput, match="UTF-16"):
        read_ratings("item,a\n1,yes\n".encode("utf-16"), "ratings.csv")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_ratings("item,a,b\n1,schön,ja\n".encode("latin-1"), "ratings.csv")


def test_texts_are_kept_as_they_are() -> None:
    file = read('\ufeffitem,a,b\n007,"line\r\nbreak",=cmd()\n1e5,TRUE,"line\r\nbreak"\n')
    judgements = file.material.dimensions[0]
    assert judgements.items == ("007", "1e5")
    assert set(judgements.scale.labels) == {"line\r\nbreak", "=cmd()", "TRUE"}


def test_too_many_labels_say_what_to_do() -> None:
    rows = "".join(f"{i},{i},{i + 1}\n" for i in range(100))
    (found,) = problem(f"item,a,b\n{rows}")
    assert "Join values into classes" in found


def test_a_column_that_is_not_there_names_the_nearest() -> None:
    (found,) = problem(LONG, strata="lable")
    assert "label" in found


def test_weights_are_read_and_told_from_judgements() -> None:
    text = ",x,y,z\nx,0,1,3\ny,1,0,6\nz,3,6,0\n"
    labels, weights = read_weights(text.encode(), "weights.csv")
    assert labels == ("x", "y", "z")
    assert np.allclose(weights, [[1, 5 / 6, 0.5], [5 / 6, 1, 0], [0.5, 0, 1]])
    (found,) = problem(text)
    assert "--weights" in found
    with pytest.raises(BadInput, match="symmetric"):
        read_weights(b",x,y\nx,1,0\ny,0.5,1\n", "weights.csv")


def test_shares_need_their_number_of_items() -> None:
    text = "A\\B,x,y\nx,0.25,0.25\ny,0.25,0.25\n"
    assert len(read(text).material.dimensions[0].items) == 100
    assert len(read(text, n=8).material.dimensions[0].items) == 8
    (found,) = problem(text, n=7)
    assert "--n" in found
