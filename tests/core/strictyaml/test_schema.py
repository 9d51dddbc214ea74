"""A definition is checked whole; every problem has its place, its path and a remedy."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadInput, InputProblem
from core.strictyaml import (
    Boolean,
    Choice,
    Code,
    Integer,
    ListOf,
    MapOf,
    Mapping,
    Number,
    OneOf,
    Slug,
    Spec,
    Text,
    load,
    problem_at,
    read,
    validate,
)

STUDY = Mapping(
    {
        "slug": Slug(),
        "title": Text(maximum=20, one_line=True),
        "open": Boolean(default=True),
        "places": Integer(minimum=1, nullable=True, required=False),
        "policy": Choice(("balanced", "uniform"), default="balanced"),
        "mix": Number(minimum=0, maximum=1, required=False),
        "questions": ListOf(Mapping({"code": Code(), "text": Text()}), minimum=1, unique="code"),
    }
)
DRAFT = "slug: public-life\ntitle: Life\nquestions:\n  - {code: q1, text: What?}\n"


def problems_of(text: str, spec: Spec = STUDY) -> list[InputProblem]:
    with pytest.raises(BadInput) as caught:
        read(text, "study.yaml", spec)
    assert caught.value.exit_status == 2
    return list(caught.value.problems)


def only(text: str, spec: Spec) -> InputProblem:
    (problem,) = problems_of(text, spec)
    return problem


def test_slug_title_and_one_question_are_a_definition_with_defaults() -> None:
    assert read(DRAFT, "study.yaml", STUDY) == {
        "slug": "public-life",
        "title": "Life",
        "open": True,
        "policy": "balanced",
        "questions": [{"code": "q1", "text": "What?"}],
    }


def test_a_default_is_not_shared_between_results() -> None:
    spec = Mapping({"tags": ListOf(Text(), default=[])})

    read("{}", "x", spec)["tags"].append("changed")

    assert read("{}", "x", spec) == {"tags": []}


LOOKS_LIKE_WORDS = ["yes", "No", "on", "y", "true"]
LOOKS_LIKE_NUMBERS = ["010", "0o17", "0x1F", "1.0", "7", "-3", "1e3", "1_000", "12:30:00", ".5", ".inf", ".nan"]
LOOKS_LIKE_DATES = ["2024-05-01", "2024-05-01T10:00:00Z"]


@pytest.mark.parametrize("scalar", [*LOOKS_LIKE_WORDS, *LOOKS_LIKE_NUMBERS, *LOOKS_LIKE_DATES])
def test_unquoted_scalars_that_are_no_text_are_refused_where_text_is_expected(scalar: str) -> None:
    problem = only(f"title: Life\nremark: {scalar}\n", Mapping({"title": Text(), "remark": Text()}))

    assert (problem.line, problem.column, problem.name) == (2, 9, "remark")
    assert "text is expected" in problem.message
    assert problem.remedy == f'Put it in quotes: "{scalar}".'


@pytest.mark.parametrize(
    "written", ['"yes"', "'010'", "|-\n  1.0", '"2024-05-01"', "yes please", "1.0.3", "q1", "Überraschung", "日本"]
)
def test_quoted_or_unmistakable_text_is_text(written: str) -> None:
    assert isinstance(read(f"a: {written}\n", "x", Mapping({"a": Text()}))["a"], str)


@pytest.mark.parametrize("empty", ["", "~", "null"])
def test_no_value_is_no_text_unless_allowed(empty: str) -> None:
    assert "there is none" in only(f"a: {empty}\n", Mapping({"a": Text()})).message
    assert read(f"a: {empty}\n", "x", Mapping({"a": Text(nullable=True)})) == {"a": None}


@pytest.mark.parametrize("blank", ['""', '"  "', '"\\u200b"'])
def test_blank_text_is_refused_unless_allowed(blank: str) -> None:
    assert "empty" in only(f"a: {blank}\n", Mapping({"a": Text()})).message
    assert read(f"a: {blank}\n", "x", Mapping({"a": Text(blank=True)}))["a"] in {"", "  ", "\u200b"}


def test_an_unknown_key_names_its_line_and_the_nearest() -> None:
    problem = problems_of(DRAFT.replace("title", "titel"))[0]

    assert (problem.line, problem.column, problem.name) == (2, 1, "titel")
    assert problem.remedy == "Did you mean “title”?"


def test_an_unknown_key_like_none_lists_the_known_ones() -> None:
    problem = problems_of(DRAFT + "zzz: 1\n")[0]

    assert problem.line == 5
    assert "slug, title, open" in problem.remedy


def test_a_missing_key_names_where_it_belongs() -> None:
    problem = problems_of(DRAFT + "  - code: q2\n")[0]

    assert (problem.line, problem.name, problem.message) == (5, "questions[2].text", "This key is missing.")


def test_a_code_used_twice_names_both_lines() -> None:
    problem = problems_of(DRAFT + "  - {code: q1, text: Again?}\n")[0]

    assert (problem.line, problem.column, problem.name) == (5, 12, "questions[2].code")
    assert "the first is on line 4" in problem.message


def test_all_problems_of_syntax_and_content_come_at_once() -> None:
    lines = ["slug: Public Life", "title: yes", "title: no", "open: yes", "places: 0", "policy: balance"]
    text = "\n".join([*lines, "mix: 1.5", "questions: []", "extra: 1"])

    names = {(problem.line, problem.name) for problem in problems_of(text)}

    expected = ["slug", "title", "", "open", "places", "policy", "mix", "questions", "extra"]
    assert names == set(enumerate(expected, start=1))


@pytest.mark.parametrize("scalar", ["yes", '"true"', "1", "[]", "True story"])
def test_only_true_and_false_are_booleans(scalar: str) -> None:
    assert only(f"a: {scalar}\n", Mapping({"a": Boolean()})).remedy == "Write true or false, without quotes."


@pytest.mark.parametrize("scalar", ["010", "1.0", '"3"', "3 people", "1_000", "0x10", "9" * 19, "{}", ""])
def test_only_decimal_digits_are_whole_numbers(scalar: str) -> None:
    assert "whole number" in only(f"a: {scalar}\n", Mapping({"a": Integer()})).message


@pytest.mark.parametrize("scalar", ["1,5", ".nan", "-.inf", '"1.5"', "1e999", "00.5"])
def test_only_finite_numbers_with_a_point_are_numbers(scalar: str) -> None:
    assert "number" in only(f"a: {scalar}\n", Mapping({"a": Number()})).message


def test_bounds_of_nought_hold() -> None:
    assert "below 0" in only("a: -1\n", Mapping({"a": Integer(minimum=0)})).message
    assert "above 0" in only("a: 0.5\n", Mapping({"a": Number(maximum=0)})).message
    assert read("a: 0\n", "x", Mapping({"a": Integer(minimum=0, maximum=0)})) == {"a": 0}


@pytest.mark.parametrize(
    ("spec", "written", "words"),
    [
        (Text(maximum=3), "abcd", "4 characters; at most 3 are possible"),
        (Text(minimum=3), "ab", "2 characters; at least 3 are needed"),
        (Text(one_line=True), '"a\\nb"', "one line"),
        (Text(pattern="[0-9]+"), "abc", "right form"),
        (Slug(), "Public-Life", "right form"),
        (Slug(), "a--b", "right form"),
        (Slug(), "a" * 51, "51 characters"),
        (Code(), "a b", "right form"),
        (Text(), "[a]", "A text is expected"),
        (Choice(("agree",)), "Agree", "not possible"),
        (ListOf(Text()), "abc", "A list is expected"),
        (ListOf(Text(), maximum=1), "[a, b]", "At most 1 item"),
        (ListOf(Text(), unique=True), "[a, b, a]", "“a” stands here a second time"),
        (Mapping({"b": Text()}), "abc", "Keys and values"),
        (MapOf(Slug(), Text()), "{En: yes}", "right form"),
        (OneOf(scalar=Text(), mapping=MapOf(Slug(), Text())), "[a]", "a single value, keys and values"),
    ],
)
def test_each_specification_says_what_it_misses(spec: Spec, written: str, words: str) -> None:
    assert words in problems_of(f"a: {written}\n", Mapping({"a": spec}))[0].message


@pytest.mark.parametrize(
    ("written", "value"), [("Hello", "Hello"), ("{en: Hello, de: Hallo}", {"en": "Hello", "de": "Hallo"})]
)
def test_a_text_may_be_one_text_or_one_by_language(written: str, value: Any) -> None:
    spec = OneOf(scalar=Text(), mapping=MapOf(Slug(), Text()))

    assert read(f"a: {written}\n", "x", Mapping({"a": spec})) == {"a": value}


def test_a_problem_found_later_has_its_place_too() -> None:
    node = load(DRAFT, "study.yaml")
    validate(node, STUDY)

    problem = problem_at(node, ("questions", 0, "text"), "Too vague", "Say more")

    assert str(problem) == "study.yaml:4:22 (questions[1].text): Too vague. Say more."
    assert problem_at(node, ("consent",), "Missing").line == 1
