"""A vote costs the same however many statements and votes there are."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studies.models import Question
from tests.voting.booth import NOW, booth, question_with, write
from voting import services

pytestmark = pytest.mark.django_db

LOCK_OF_THE_WALK = 1


def grow(question: Question, people: int) -> None:
    """More people who each write a statement and vote on up to 5."""
    for _ in range(people):
        person = booth(question)
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)
        person.vote_on_all(("agree", "neutral"), maximum=5)


def costs(question: Question) -> dict[str, int]:
    """The number of queries of each act of a newcomer."""
    person = booth(question, minimum=2)
    found = {}
    for name, act in {
        "first look": person.look,
        "reload": person.look,
        "vote": person.vote,
        "another vote": person.vote,
        "changed vote": lambda: person.vote(
            "neutral", nonce=(person.page and person.page.context["votes"][0]["nonce"])
        ),
        "finish": person.finish,
    }.items():
        with CaptureQueriesContext(connection) as captured:
            act()
        # The savepoint that stands for the transaction in a test is none of ours.
        own = [query for query in captured if "SAVEPOINT" not in query["sql"]]
        found[name] = len(own) - LOCK_OF_THE_WALK
    return found


def test_a_vote_takes_the_same_queries_for_twice_as_many_statements() -> None:
    question = question_with(4)
    grow(question, 4)
    few = costs(question)
    grow(question, 10)
    many = costs(question)

    assert few == many


def test_a_vote_takes_few_queries() -> None:
    question = question_with(6)

    assert costs(question) == {
        # block, ballot, eligible, new block, tally, exposure
        "first look": 6,
        # block, ballot
        "reload": 2,
        # block, ballot, eligible, vote, block's count, two tallies, exposure; the page after it reads nothing again
        "vote": 8,
        "another vote": 8,
        # block, ballot, number of changes, tally, old vote, new vote
        "changed vote": 6,
        # block, closing; the page after it is another block's, here a reload
        "finish": 2 + 2,
    }


def test_a_draw_reads_the_statements_by_one_query() -> None:
    question = question_with(50)
    person = booth(question)
    person.look()

    with CaptureQueriesContext(connection) as captured:
        person.vote()

    reading = [query["sql"] for query in captured if 'FROM "voting_statement"' in query["sql"]]
    assert len(reading) == 1
    assert "JOIN" not in reading[0], "a million votes and exposures may be stored"


def test_own_votes_are_found_among_those_of_the_person() -> None:
    question = question_with(3)
    person = booth(question)
    person.vote_on_all()

    with CaptureQueriesContext(connection) as captured:
        person.look()

    [reading] = [query["sql"] for query in captured if 'JOIN "voting_vote"' in query["sql"]]
    assert f'current."enrolment_id" = {person.enrolment.pk}' in reading, "else current votes of everybody are read"
