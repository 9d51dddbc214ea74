"""Tallies are kept with every vote, and can be counted again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import Conflict, NotThere
from studies.models import Question
from tests.factories import QuestionFactory, StatementFactory
from tests.voting.booth import NOW, booth, question_with, write
from voting import services
from voting.models import Statement

pytestmark = pytest.mark.django_db

WORDS = ("agree", "disagree", "neutral", "agree")


@pytest.fixture
def question() -> Question:
    """5 people, one of them a preview, have written and voted, changed and left votes."""
    question = question_with(4)
    for n, origin in enumerate(["live", "live", "simulated", "preview", "imported"]):
        person = booth(question, origin=origin)
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)
        person.vote_on_all(WORDS, maximum=2 + n)
        first = Statement.objects.filter(exposures__enrolment=person.enrolment).order_by("exposures__rank")[0]
        person.vote("neutral", nonce=first.exposures.get(enrolment=person.enrolment).nonce)
    return question


def test_tallies_are_right_after_votes_changes_and_previews(question: Question) -> None:
    report = services.verify_tallies(study=question.study)

    assert report.differences == ()
    assert report.n_statements == 9
    assert not report.repaired
    assert Statement.objects.filter(n_neutral__gt=0).exists()


def test_a_preview_is_counted_where_previews_write_and_nowhere_else(question: Question) -> None:
    preview = booth(question, origin="preview")
    preview.vote_on_all()

    counted = Statement.objects.filter(votes__enrolment=preview.enrolment, is_preview=True, n_agree__gt=0)
    assert counted.exists()
    assert services.verify_tallies(study=question.study).differences == ()


def spoil() -> None:
    Statement.objects.filter(code="seed-1").update(n_agree=99, n_shown=7)
    Statement.objects.filter(code="seed-2").update(n_neutral=0)


def test_a_wrong_tally_is_found_by_name(question: Question) -> None:
    right = Statement.objects.get(code="seed-1")
    spoil()

    differences = services.verify_tallies(study=question.study).differences

    found = {(difference.statement, difference.field): difference for difference in differences}
    assert (found["seed-1", "n_agree"].stored, found["seed-1", "n_agree"].counted) == (99, right.n_agree)
    assert {statement for statement, _field in found} <= {"seed-1", "seed-2"}
    assert {difference.question for difference in differences} == {question.code}


def test_a_repair_stores_what_was_counted(question: Question) -> None:
    before = list(Statement.objects.order_by("pk").values())
    spoil()

    report = services.verify_tallies(study=question.study, repair=True)

    assert report.repaired
    assert list(Statement.objects.order_by("pk").values()) == before


def test_other_studies_are_left_alone(question: Question) -> None:
    spoil()

    assert services.verify_tallies(study=QuestionFactory().study, repair=True).differences == ()
    assert Statement.objects.get(code="seed-1").n_agree == 99


def run(capsys: Any, *arguments: str) -> str:
    call_command("verify_tallies", *arguments)
    return capsys.readouterr().out


def test_the_command_says_that_all_is_right(question: Question, capsys: Any) -> None:
    assert "All tallies are right" in run(capsys, "--study", question.study.slug)


def test_the_command_prints_json(question: Question, capsys: Any) -> None:
    data = json.loads(run(capsys, "--study", question.study.slug, "--json"))

    assert data == {"n_statements": 9, "differences": [], "repaired": False}


def test_the_command_fails_on_a_difference_and_repairs_if_asked(question: Question, capsys: Any) -> None:
    spoil()

    with pytest.raises(Conflict, match=r"seed-1: n_agree is 99, counted \d"):
        run(capsys, "--study", question.study.slug)

    assert "are right now" in run(capsys, "--study", question.study.slug, "--repair")
    assert "All tallies are right" in run(capsys, "--study", question.study.slug)


def test_the_command_does_not_print_thousands_of_lines(question: Question, capsys: Any) -> None:
    StatementFactory.create_batch(101, question=question, n_agree=1)

    printed = run(capsys, "--study", question.study.slug, "--repair")

    assert len(printed.splitlines()) == 2 + 100 + 1
    assert "… and 1 more." in printed


def test_the_command_knows_no_unknown_study(capsys: Any) -> None:
    with pytest.raises(NotThere, match="nowhere"):
        run(capsys, "--study", "nowhere")
