"""Where statements come from: free responses and seeds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from studies.models import Study
from tests.factories import QuestionFactory, StatementFactory
from tests.voting.booth import NOW, booth, question_with, write
from voting import services
from voting.errors import SeedProblem
from voting.models import Statement
from voting.module import module

pytestmark = pytest.mark.django_db

DEFINITION = {"blocks": ["write", "vote"], "vote": {"moderation": "after"}}


def test_a_free_response_becomes_a_statement_at_once() -> None:
    person = booth(question_with(0))
    response = write(person, "What I think.\nIn two lines.")

    assert module.on_free_response is not None
    module.on_free_response(response, DEFINITION, NOW)

    statement = Statement.objects.get()
    assert (statement.text, statement.author, statement.question) == (response.text, person.enrolment, person.question)
    assert (statement.origin, statement.status, statement.is_preview) == ("peer", "approved", False)
    assert (statement.created_at, statement.approved_at, statement.removed_at) == (NOW, NOW, None)


def test_a_free_response_waits_where_moderation_comes_first() -> None:
    response = write(booth(question_with(0)))

    assert module.on_free_response is not None
    module.on_free_response(response, {**DEFINITION, "vote": {"moderation": "before"}}, NOW)

    statement = Statement.objects.get()
    assert (statement.status, statement.approved_at) == ("pending", None)


def test_a_study_without_votes_makes_no_statements() -> None:
    response = write(booth(question_with(0)))

    assert module.on_free_response is not None
    module.on_free_response(response, {**DEFINITION, "blocks": ["write"]}, NOW)

    assert not Statement.objects.exists()


def test_the_same_free_response_gives_the_same_statement() -> None:
    response = write(booth(question_with(0)))

    first, again = (
        services.add_peer_statement(free_response=response, moderation="after", now=NOW + timedelta(hours=n))
        for n in range(2)
    )

    assert first == again
    assert again.created_at == NOW


def test_the_code_of_a_statement_says_nothing_about_its_author() -> None:
    person = booth(question_with(0))

    statement = services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)

    assert statement.code.startswith("peer-")
    assert person.enrolment.public_code not in statement.code


def test_a_preview_writes_a_preview() -> None:
    response = write(booth(question_with(0), origin="preview"))

    assert services.add_peer_statement(free_response=response, moderation="after", now=NOW).is_preview


# --- Seeds ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def study() -> Study:
    """A draft with questions q1 and q2."""
    question = QuestionFactory(code="q1", position=1)
    QuestionFactory(study=question.study, code="q2", position=2)
    return question.study


def row(question: str, code: str, text: str = "A seed.") -> dict[str, str]:
    return {"question": question, "code": code, "text": text}


def load(study: Study, *rows: dict[str, str], replace: bool = True) -> int:
    return services.load_seeds(study=study, rows=rows, now=NOW, replace=replace)


def seeds(study: Study, *columns: str) -> list[Any]:
    rows = Statement.objects.filter(question__study=study).order_by("question__code", "code")
    return list(rows.values_list("question__code", "code", *columns))


def test_seeds_are_drafts_until_the_study_is_published(study: Study) -> None:
    assert load(study, row("q1", "b"), row("q2", "a"), row("q1", "a")) == 3
    assert seeds(study, "status", "origin") == [
        ("q1", "a", "pending", "seed"),
        ("q1", "b", "pending", "seed"),
        ("q2", "a", "pending", "seed"),
    ]

    assert services.release_seeds(study=study, now=NOW) == 3

    assert {status for *_, status in seeds(study, "status")} == {"approved"}
    assert set(Statement.objects.values_list("approved_at", flat=True)) == {NOW}


def test_loading_seeds_again_changes_texts_in_place_and_drops_the_rest(study: Study) -> None:
    load(study, row("q1", "a", "Old."), row("q1", "b"))
    before = Statement.objects.get(code="a")

    load(study, row("q1", "a", "New."))

    assert seeds(study, "text") == [("q1", "a", "New.")]
    assert Statement.objects.get(code="a").public_id == before.public_id


def test_adding_seeds_keeps_the_others(study: Study) -> None:
    load(study, row("q1", "a"))

    load(study, row("q1", "b"), replace=False)

    assert seeds(study) == [("q1", "a"), ("q1", "b")]


def test_a_drafted_seed_goes_with_what_previews_did_to_it(study: Study) -> None:
    load(study, row("q1", "a"))
    person = booth(study.questions.get(code="q1"), origin="preview")
    assert person.vote_on_all() == 1

    load(study)

    assert seeds(study) == []


def test_a_published_seed_keeps_its_text(study: Study) -> None:
    load(study, row("q1", "a", "Published."))
    services.release_seeds(study=study, now=NOW)

    with pytest.raises(SeedProblem) as caught:
        load(study, row("q1", "b"), row("q1", "a", "Another."))

    assert list(caught.value.fields) == ["seeds[2].text"]
    assert seeds(study, "text") == [("q1", "a", "Published.")]


def test_a_published_seed_that_is_left_out_is_rejected_and_stays_so(study: Study) -> None:
    load(study, row("q1", "a"), row("q1", "b"))
    services.release_seeds(study=study, now=NOW)

    load(study, row("q1", "a"))
    assert seeds(study, "status", "removed_at") == [("q1", "a", "approved", None), ("q1", "b", "rejected", NOW)]

    load(study, row("q1", "a"), row("q1", "b"))
    services.release_seeds(study=study, now=NOW)
    assert seeds(study, "status") == [("q1", "a", "approved"), ("q1", "b", "rejected")]


def test_a_seed_drafted_after_publication_waits_for_the_amendment(study: Study) -> None:
    load(study, row("q1", "a"))
    services.release_seeds(study=study, now=NOW)

    load(study, row("q1", "a"), row("q1", "b"))

    person = booth(study.questions.get(code="q1"))
    person.vote_on_all()
    assert person.shown == ["a"]


@pytest.mark.parametrize(
    ("rows", "at"),
    [
        ([row("q9", "a")], "seeds[1].question"),
        ([row("q1", "a"), row("q1", "a")], "seeds[2].code"),
        ([row("q1", "peer-a")], "seeds[1].code"),
        ([row("q1", "a", " \u200b\n")], "seeds[1].text"),
        ([row("q1", "taken")], "seeds[1].code"),
    ],
    ids=["unknown question", "twice", "reserved", "blank", "no seed"],
)
def test_a_bad_seed_is_named_and_nothing_is_written(study: Study, rows: list[dict[str, str]], at: str) -> None:
    StatementFactory(question=study.questions.get(code="q1"), code="taken", origin="import")

    with pytest.raises(SeedProblem) as caught:
        load(study, row("q2", "good"), *rows)

    number = int(at[6]) + 1
    assert list(caught.value.fields) == [f"seeds[{number}]{at[8:]}"]
    assert str(caught.value).startswith(f"seeds[{number}]")
    assert seeds(study) == [("q1", "taken")]


def test_the_same_code_in_two_questions_is_two_seeds(study: Study) -> None:
    load(study, row("q1", "a"), row("q2", "a"))

    assert seeds(study) == [("q1", "a"), ("q2", "a")]
