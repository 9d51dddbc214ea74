from __future__ import annotations

import copy
from typing import Any

import pytest

from core.randomness import new_code
from studies.definition import canonical
from studies.definition.checks import found_in
from studies.definition.checks.rules import is_revealing, longest_on_prolific
from studies.definition.keys import set_at
from studies.models import Study


@pytest.fixture
def definition(draft: Study) -> dict[str, Any]:
    """A definition without a fault."""
    return canonical(draft)


def found(draft: Study, definition: dict[str, Any], changes: dict[str, Any]) -> list[tuple[str, str]]:
    changed = copy.deepcopy(definition)
    for path, value in changes.items():
        set_at(changed, tuple(path.split(".")), value)
    return [(problem.level, problem.where) for problem in found_in(draft, changed) if problem.where != "seeds"]


def test_a_whole_definition_has_no_fault_but_few_seeds(draft: Study, definition: dict[str, Any]) -> None:
    [warning] = found_in(draft, definition)

    assert (warning.level, warning.where) == ("warning", "seeds")
    assert "q1, q2" in warning.message
    assert "lower number is recorded" in warning.message


QUESTION = {"code": "q3", "domain": "", "text": "Should parks close  at night?"}
OPTION = {"value": "a", "label": "A", "screens_out": False}
ITEM = {"code": "x", "kind": "single", "label": "X", "hint": "", "minimum": None, "maximum": None}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"consent": " \n"}, ("error", "consent")),
        ({"contact": ""}, ("error", "contact")),
        ({"ethics.body": ""}, ("error", "ethics.body")),
        ({"ethics.protocol": "\u200b"}, ("error", "ethics.protocol")),
        ({"summary": ""}, ("warning", "summary")),
        ({"debrief": ""}, ("warning", "debrief")),
        ({"blocks": ["form", "consent", "write", "rate", "vote", "debrief"]}, ("error", "blocks")),
        ({"blocks": ["consent", "form", "write", "rate", "vote"]}, ("error", "blocks")),
        ({"blocks": ["consent", "form", "dance", "write", "rate", "debrief"]}, ("error", "blocks")),
        ({"blocks": ["consent", "form", "write", "write", "rate", "debrief"]}, ("error", "blocks")),
        ({"blocks": ["consent", "write", "rate", "debrief"]}, ("warning", "form")),
        ({"assignment.questions_each": 3}, ("error", "questions")),
        (
            {"questions": [QUESTION, QUESTION | {"code": "q4", "text": "Should parks close at night?"}]},
            ("error", "questions"),
        ),
        ({"sources": [], "answers": []}, ("error", "sources")),
        ({"answers": []}, ("error", "answers")),
        ({"form": []}, ("error", "form")),
        ({"form": [ITEM | {"options": [OPTION]}]}, ("error", "form.x")),
        ({"form": [ITEM | {"options": [OPTION, OPTION]}]}, ("error", "form.x")),
        ({"form": [ITEM | {"options": [OPTION, OPTION | {"value": "b"}]}]}, ("error", "form.x")),
        ({"form": [ITEM | {"kind": "text", "options": [OPTION]}]}, ("error", "form.x")),
        ({"form": [ITEM | {"kind": "integer", "options": [], "minimum": 9, "maximum": 8}]}, ("error", "form.x")),
        ({"form": [ITEM | {"kind": "text", "options": [], "maximum": 0}]}, ("error", "form.x")),
        ({"form": [ITEM | {"kind": "text", "label": "Your e-mail", "options": []}]}, ("warning", "form.x")),
        ({"write.minimum": 301}, ("error", "write")),
        ({"write.stance": [{"value": "a", "label": "A"}]}, ("error", "write.stance")),
        ({"write.importance.low": ""}, ("error", "write.importance")),
        ({"rate.instructions": ""}, ("error", "rate.instructions")),
        ({"rate.high": " "}, ("error", "rate")),
        ({"recruitment.open": False, "recruitment.prolific": False}, ("error", "recruitment")),
        ({"recruitment.session_minutes": 50}, ("error", "recruitment.session_minutes")),
        (
            {"recruitment.session_minutes": None, "recruitment.places": 9},
            ("warning", "recruitment.session_minutes"),
        ),
        ({"assignment.slot_minutes": 10}, ("warning", "assignment.slot_minutes")),
        ({"pay.minutes": None}, ("warning", "pay.minutes")),
        ({"pay.amount": None}, ("warning", "pay")),
        ({"pay.currency": ""}, ("error", "pay.currency")),
        ({"pay.amount": "2.66"}, ("warning", "pay.amount")),
        ({"codes.complete": "ABCD1234", "codes.full": "ABCD1234"}, ("error", "codes")),
        ({"codes.screened_out": "XSCREEN7"}, ("error", "codes.screened_out")),
        ({"codes.complete": "ab"}, ("error", "codes.complete")),
    ],
)
def test_each_fault_is_found(
    draft: Study, definition: dict[str, Any], changes: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert expected in found(draft, definition, changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"write.stance": []},
        {"recruitment.session_minutes": None},
        {"recruitment.session_minutes": 51, "recruitment.places": 9},
        {"recruitment.session_minutes": 50, "recruitment.prolific": False},
        {"pay.amount": "2.67"},
        {"pay.amount": "0.10", "recruitment.prolific": False},
        {"pay.amount": "100.00", "pay.currency": "JPY"},
        {"blocks": ["consent", "form", "debrief"], "questions": [], "answers": []},
        {"blocks": ["consent", "write", "form", "rate", "vote", "debrief"]},
    ],
)
def test_what_is_no_fault_is_not_called_one(draft: Study, definition: dict[str, Any], changes: dict[str, Any]) -> None:
    assert found(draft, definition, changes) == []


def test_screening_stands_directly_after_consent(draft: Study, definition: dict[str, Any]) -> None:
    screening = [ITEM | {"options": [OPTION, OPTION | {"value": "b", "label": "B", "screens_out": True}]}]
    late = ["consent", "write", "rate", "form", "vote", "debrief"]

    assert found(draft, definition, {"form": screening}) == []
    assert ("error", "blocks") in found(draft, definition, {"form": screening, "blocks": late})


def test_equal_answers_of_two_sources_are_a_warning(draft: Study, definition: dict[str, Any]) -> None:
    answers = [row | {"text": "The same."} for row in definition["answers"]]

    assert found(draft, definition, {"answers": answers}) == [("warning", "answers")] * 2


def test_seeds_with_the_same_text_are_an_error(draft: Study, definition: dict[str, Any]) -> None:
    seeds = [{"question": "q1", "code": code, "text": "Paths for all."} for code in ("one", "two")]

    messages = [str(problem) for problem in found_in(draft, definition | {"seeds": seeds}) if problem.is_error]

    assert messages == ["seeds: These seeds of question q1 have the same text: one, two."]


def test_errors_come_first(draft: Study, definition: dict[str, Any]) -> None:
    levels = [level for level, _where in found(draft, definition, {"summary": "", "rate.instructions": ""})]

    assert levels == ["error", "warning"]


def test_prolifics_longest_time_is_as_documented() -> None:
    # 2 + 2e + 2 sqrt(e), for 23 minutes 57.6
    assert (longest_on_prolific(23), longest_on_prolific(1), longest_on_prolific(25)) == (58, 6, 62)


def test_codes_that_are_made_hardly_ever_reveal_anything() -> None:
    assert sum(is_revealing(new_code(8)) for _n in range(2000)) < 20


def test_many_missing_answers_are_counted_and_the_first_named(draft: Study, definition: dict[str, Any]) -> None:
    questions = [{"code": f"n{i}", "domain": "", "text": f"Number {i}?"} for i in range(20)]
    message = next(
        problem.message
        for problem in found_in(draft, definition | {"questions": questions})
        if problem.where == "answers"
    )

    assert message.startswith("40 answers are missing")
    assert "n0/s1" in message
    assert message.endswith("… (+30).")
