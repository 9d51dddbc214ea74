"""Votes and numbers as analyses and pages read them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studies.models import Enrolment, Question
from tests.factories import NOW, QuestionFactory, StatementFactory
from tests.voting.booth import Booth, booth, question_with, write
from voting import selectors, services
from voting.models import Statement, Vote

pytestmark = pytest.mark.django_db


def finish(person: Booth, status: str = "complete") -> None:
    Enrolment.objects.filter(pk=person.enrolment.pk).update(status=status, finished_at=person.now)


def voter(question: Question, *values: str, origin: str = "live", status: str = "complete") -> Booth:
    """Somebody who has voted so on the cards as they came, and ended so."""
    person = booth(question, origin=origin)
    person.vote_on_all(values, maximum=len(values))
    if status != "active":
        finish(person, status)
    return person


def people(arrays: selectors.VoteArrays) -> set[str]:
    return set(arrays.participants)


def test_arrays_hold_the_current_votes_and_nothing_for_what_was_not_answered() -> None:
    question = question_with(3)
    person = voter(question, "agree", "disagree", status="active")
    first = person.shown[0]
    person.vote("neutral", nonce=Vote.objects.get(statement__code=first).exposure.nonce)
    finish(person)

    arrays = selectors.vote_arrays(question=question)

    code = person.enrolment.public_code
    assert sorted(arrays.triples()) == sorted([(code, first, 0), (code, person.shown[1], -1)])
    assert len(arrays) == 2
    assert len(person.shown) == 3, "the third card was shown and not answered"


def test_arrays_name_the_authors() -> None:
    question = question_with(1)
    author = booth(question)
    statement = services.add_peer_statement(free_response=write(author), moderation="after", now=NOW)

    assert selectors.vote_arrays(question=question).authors == {statement.code: author.enrolment.public_code}


def test_by_default_complete_people_but_no_previews_are_taken_in() -> None:
    question = question_with(2)
    taken = {
        voter(question, "agree", origin=origin).enrolment.public_code for origin in ("live", "simulated", "imported")
    }
    voter(question, "agree", origin="preview")
    voter(question, "agree", status="timed_out")
    voter(question, "agree", status="active")

    assert people(selectors.vote_arrays(question=question)) == taken


def test_who_is_taken_in_can_be_chosen() -> None:
    question = question_with(2)
    late = voter(question, "agree", status="timed_out")
    robot = voter(question, "agree", origin="simulated")

    timed_out = selectors.vote_arrays(question=question, origins=["live"], statuses=["timed_out"])
    simulated = selectors.vote_arrays(question=question, origins=["simulated"])

    assert people(timed_out) == {late.enrolment.public_code}
    assert people(simulated) == {robot.enrolment.public_code}


def test_people_with_too_few_votes_are_left_out() -> None:
    question = question_with(3)
    voter(question, "agree", "agree")
    busy = voter(question, "agree", "agree", "agree")

    assert people(selectors.vote_arrays(question=question, minimum_votes=3)) == {busy.enrolment.public_code}
    assert len(selectors.vote_arrays(question=question, minimum_votes=4)) == 0


def test_rejected_statements_do_not_count_and_withdrawn_ones_do() -> None:
    question = question_with(3)
    voter(question, "agree", "agree", "agree")
    Statement.objects.filter(code="seed-1").update(status="rejected")
    Statement.objects.filter(code="seed-2").update(status="withdrawn", text="")

    assert set(selectors.vote_arrays(question=question).statements) == {"seed-2", "seed-3"}
    every = selectors.vote_arrays(question=question, statement_statuses=Statement.Status.values)
    assert len(every) == 3


def test_arrays_take_the_same_queries_for_more_votes() -> None:
    def queries(n: int) -> int:
        question = question_with(n)
        for _ in range(n):
            voter(question, *["agree"] * n)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert len(selectors.vote_arrays(question=question)) == n * n
        return len(captured)

    assert queries(2) == queries(4) == 3


def test_the_first_votes_order_people_as_they_came() -> None:
    question = question_with(2)
    early = voter(question, "agree", status="active")
    late = booth(question, now=early.now)
    late.vote_on_all()
    early.now = late.now
    early.vote_on_all()

    first = selectors.first_votes(question=question)

    assert sorted(first, key=lambda code: first[code]) == [early.enrolment.public_code, late.enrolment.public_code]


def test_a_flow_of_n_begins_with_everybody_who_voted() -> None:
    question = question_with(2)
    voter(question, "agree", "agree")
    voter(question, "agree", status="timed_out")
    voter(question, "agree", origin="simulated")
    booth(question).look()

    assert selectors.voters_by_origin_and_status(question=question) == {
        ("live", "complete"): 1,
        ("live", "timed_out"): 1,
        ("simulated", "complete"): 1,
    }


def test_tallies_are_listed_by_code() -> None:
    question = question_with(2)
    voter(question, "agree", "neutral")
    StatementFactory(question=question, is_preview=True, code="preview")

    tallies = selectors.tallies(question=question)

    assert [tally.code for tally in tallies] == ["seed-1", "seed-2"]
    assert [(tally.n_shown, tally.n_votes) for tally in tallies] == [(1, 1), (1, 1)]


def test_the_history_has_superseded_votes_too() -> None:
    question = question_with(1)
    person = voter(question, "agree", status="active")
    person.vote("disagree", nonce=Vote.objects.get().exposure.nonce)

    assert [vote.value for vote in selectors.vote_history(question=question)] == [1, -1]
    assert [vote.value for vote in selectors.current_votes(question=question)] == [-1]


def test_progress_counts_by_question_without_previews() -> None:
    question = question_with(2)
    QuestionFactory(study=question.study, code="empty", position=9)
    writer = voter(question, "agree", "neutral", status="active")
    voter(question, "disagree")
    services.add_peer_statement(free_response=write(writer), moderation="after", now=NOW)
    services.add_peer_statement(free_response=write(booth(question)), moderation="before", now=NOW)
    preview = booth(question, origin="preview")
    services.add_peer_statement(free_response=write(preview), moderation="after", now=NOW)
    preview.vote_on_all()
    StatementFactory(question=question, origin="import", status="rejected")

    progress, empty = selectors.voting_progress(study=question.study)

    assert (progress.n_seeds, progress.n_peers, progress.n_imported) == (2, 1, 0)
    assert (progress.n_pending, progress.n_rejected) == (1, 1)
    assert (progress.n_people, progress.n_votes, progress.fewest_votes) == (2, 3, 0)
    assert (empty.question.code, empty.n_votes, empty.n_people, empty.fewest_votes) == ("empty", 0, 0, None)


def test_progress_takes_the_same_queries_for_more_questions() -> None:
    study = question_with(1).study

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            selectors.voting_progress(study=study)
        return len(captured)

    before = queries()
    for _ in range(3):
        voter(question_with(2, study=study), "agree")

    assert before == queries() == 3
