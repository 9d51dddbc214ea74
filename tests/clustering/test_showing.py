"""Words of figures, tables of their numbers, and texts that are put in when they are shown."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from clustering.figures import agreement_heat_map, specification
from clustering.showing.about import FIGURES, about
from clustering.showing.tables import LABELS, MISSING, as_csv, in_words
from clustering.showing.texts import table_without_groups, with_texts, without_groups
from clustering.theme import in_colours, light_colours, theme, theme_of_files

CELL = {
    "statement": "s1", "line": "1. s1", "place": 1, "group": "A", "agree": 0.5, "n_agree": 1, "n_disagree": 1,
    "n_neutral": 0, "n_votes": 2, "is_weak": True,
}  # fmt: skip
AGREEMENT = {
    "columns": ["statement", "group", "agree", "n_agree", "n_disagree", "n_neutral", "n_votes"],
    "rows": [["s1", "A", 2 / 3, 2, 1, 0, 3], ["s1", "B", 0.0, 0, 0, 1, 1], ["s2", "B", 1.0, 1, 0, 0, 1]],
}


def lines_in(spec: dict[str, Any]) -> list[str]:
    return [row["line"] for row in spec["data"]["values"]]


def test_statements_are_shown_by_their_present_text_and_erased_ones_by_their_code() -> None:
    spec = specification(agreement_heat_map([CELL, {**CELL, "statement": "s2", "line": "2. s2", "place": 2}], ["A"]))

    assert lines_in(with_texts(spec, {"s1": "On two\nlines"})) == ["1. On two lines", "2. s2"]
    assert lines_in(spec) == ["1. s1", "2. s2"]  # what is stored holds no text


def test_small_groups_leave_drawing_and_numbers() -> None:
    spec = specification(agreement_heat_map([CELL, {**CELL, "group": "B"}], ["A", "B"]))

    assert [row["group"] for row in without_groups(spec, {"B"})["data"]["values"]] == ["A"]
    assert [row[1] for row in table_without_groups(AGREEMENT, {"B"})["rows"]] == ["A"]
    together = {"columns": ["group", "other", "share"], "rows": [["A", "A", 1.0], ["A", "B", 0.1], ["B", "A", 0.1]]}
    assert table_without_groups(together, {"B"})["rows"] == [["A", "A", 1.0]]


def test_agreement_is_one_line_a_statement_with_a_column_a_group() -> None:
    shown = in_words(AGREEMENT, {"s1": "Free buses"})

    assert shown["rows"] == [["Free buses", "0.67 (2/1/0)", "0.00 (0/0/1)"], ["s2", MISSING, "1.00 (1/0/0)"]]
    assert [column["numeric"] for column in shown["columns"]] == [False, True, True]


def test_coverage_is_one_line_a_question_with_a_column_a_source() -> None:
    rows = [["q1", "One", 0.5, 2], ["q1", "Two", None, 2], ["q2", "One", 1.0, 3], ["q2", "Two", 0.0, 3]]
    shown = in_words({"columns": ["question", "source", "coverage", "n_groups"], "rows": rows}, {})

    assert [column["label"] for column in shown["columns"]] == ["Question", "One", "Two"]
    assert shown["rows"] == [["q1", "0.50", MISSING], ["q2", "1.00", "0.00"]]


def test_pairs_of_groups_and_of_seeds_are_cross_tables() -> None:
    together = {"columns": ["group", "other", "share", "n_pairs"], "rows": [["A", "A", 0.9, 28], ["A", "B", None, 0]]}
    assert in_words(together, {})["rows"] == [["A", "0.90 (28)", MISSING]]
    seeds = {"columns": ["seed", "other_seed", "adjusted_rand"], "rows": [[1, 2, 0.5], [2, 1, 0.5]]}
    assert in_words(seeds, {})["rows"] == [[1, MISSING, "0.50"], [2, "0.50", MISSING]]
    thresholds = {"columns": ["threshold", "source", "value"], "rows": [[3.6, "One", 0.5], [4.0, "One", 0.25]]}
    shown = in_words(thresholds, {})
    assert [column["label"] for column in shown["columns"]] == ["Source", "3.6", "4.0"]
    assert shown["rows"] == [["One", "0.50", "0.25"]]


def test_numbers_are_rounded_on_pages_and_whole_in_files() -> None:
    table = {"columns": ["group", "n_people", "x", "y"], "rows": [["A", 3, 1 / 3, None], ["", 1, 0.0, 2.0]]}

    assert in_words(table, {})["rows"] == [["A", 3, "0.333", MISSING], ["none", 1, "0.000", "2.000"]]
    rows = list(csv.reader(io.StringIO(as_csv(table))))
    assert rows == [["group", "n_people", "x", "y"], ["A", "3", "0.3333333333333333", ""], ["", "1", "0.0", "2.0"]]


def test_a_numbered_figure_shares_the_words_of_its_kind() -> None:
    assert about("ratings-12") is FIGURES["ratings"]
    with pytest.raises(KeyError):
        about("horoscope")


def test_every_figure_has_its_section_in_the_methods(request: pytest.FixtureRequest) -> None:
    methods = (request.config.rootpath / "docs" / "methods.md").read_text(encoding="utf-8")
    headings = {line.lstrip("#").strip() for line in methods.splitlines() if line.startswith("#")}
    assert {words.section for words in FIGURES.values()} <= headings


def test_labels_are_words() -> None:
    assert all(str(label) != key for key, label in LABELS.items())


def test_files_have_the_light_colours_of_the_style_sheet() -> None:
    colours = theme_of_files()["range"]["category"]

    assert colours == [light_colours()[f"chart-{number}"] for number in range(1, 9)]
    assert all(colour.startswith("#") for colour in colours)
    assert "var(" not in str(in_colours(theme()))
    with pytest.raises(KeyError):
        in_colours("var(--no-such-colour)")
