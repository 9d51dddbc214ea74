"""What a person and a machine learn from an error."""

from __future__ import annotations

import pytest

from core.errors import (
    ENOUGH_PROBLEMS,
    BadInput,
    Conflict,
    DomainError,
    InputProblem,
    Invalid,
    NotAllowed,
    NotThere,
    Problems,
    shown,
)


@pytest.mark.parametrize(
    ("kind", "status", "code", "exit_status"),
    [
        (DomainError, 409, "conflict", 1),
        (Conflict, 409, "conflict", 1),
        (NotAllowed, 403, "not_allowed", 1),
        (NotThere, 404, "not_there", 1),
        (Invalid, 422, "invalid", 2),
    ],
)
def test_every_kind_has_a_message_a_code_and_a_status(
    kind: type[DomainError], status: int, code: str, exit_status: int
) -> None:
    error = kind()

    assert (error.http_status, error.code, error.exit_status) == (status, code, exit_status)
    assert str(error)
    assert str(kind("The study is closed.", code="closed")) == "The study is closed."
    assert kind("x", code="closed").code == "closed"


def test_an_invalid_thing_lists_messages_by_field() -> None:
    error = Invalid(fields={"age": ["Too young.", "Not a number."]})

    assert error.to_dict()["fields"] == {"age": ["Too young.", "Not a number."]}


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (InputProblem("a.csv", 3, 2, "Unknown", "Write yes", name="sex"), "a.csv:3:2 (sex): Unknown. Write yes."),
        (InputProblem("a.csv", 3, None, "Ragged."), "a.csv:3: Ragged."),
        (InputProblem("a.csv", None, None, "Missing\ncolumn"), "a.csv: Missing\\ncolumn."),
        (InputProblem("a\n.csv", 1, 1, "x\u2028\u202ey"), "a\\n.csv:1:1: x\\u2028\\u202ey."),
    ],
)
def test_a_problem_is_one_line(problem: InputProblem, line: str) -> None:
    assert str(problem) == line


def test_all_problems_are_collected_and_those_over_100_counted() -> None:
    problems = Problems()
    problems.raise_if_any()
    for line in range(130):
        problems.add(InputProblem("a.csv", line, 1, "Wrong"))

    with pytest.raises(BadInput) as caught:
        problems.raise_if_any()

    error = caught.value
    assert (len(problems), len(error.problems), error.n_more, error.n_problems) == (130, 100, 30, 130)
    assert error.exit_status == 2
    assert len(error.lines()) == 101
    assert error.lines()[-1] == "… and 30 more problems."
    assert error.to_dict()["problems"][99]["line"] == 99


def test_problems_of_several_files_come_together() -> None:
    problems = Problems()
    problems.take(BadInput([InputProblem("a.csv", 1, 1, "Wrong")], n_more=2))
    problems.take(BadInput([InputProblem("b.csv", 1, 1, "Wrong")]))

    assert problems.error().n_problems == 4


def test_a_shown_value_is_short_and_on_one_line() -> None:
    assert shown("a\nb") == "“a\\nb”"
    assert shown("x" * 100) == "“" + "x" * 59 + "…”"
    assert shown(7) == "“7”"


def test_an_input_with_enough_problems_is_not_read_on() -> None:
    problems, wrong = Problems(), InputProblem("a.csv", 1, 1, "Wrong")
    for _n in range(ENOUGH_PROBLEMS):
        problems.add(wrong)

    with pytest.raises(BadInput) as caught:
        problems.add(wrong)

    assert caught.value.n_problems == ENOUGH_PROBLEMS
    assert caught.value.lines()[-1] == "… and at least 9900 more problems; the rest was not read."
    with pytest.raises(BadInput):
        problems.take(caught.value)


def test_an_invalid_thing_is_printed_with_what_its_fields_say() -> None:
    assert Invalid("No.", fields={"seed": ["Too large."]}).lines() == ["No.", "seed: Too large."]
