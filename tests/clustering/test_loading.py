"""Votes as arrays: the same as by objects, whatever the engine and the size of a block."""

from __future__ import annotations

import random
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clustering.inclusion import Inclusion
from clustering.loading import first_votes, question_votes, streams
from clustering.stats.matrix import VoteMatrix
from studies.models import Enrolment, Question
from tests.factories import NOW, EnrolmentFactory, QuestionFactory, StatementFactory
from voting.models import Statement, Vote

pytestmark = pytest.mark.django_db

EVERYBODY = Inclusion(("live",), ("complete", "active"))


@pytest.fixture
def question(db: None) -> Question:
    """Thirty people on twenty statements, some changed votes, one statement rejected, one person simulated."""
    question = QuestionFactory()
    rng = random.Random(1)
    statements = [StatementFactory(question=question) for _ in range(20)]
    people = [EnrolmentFactory(study=question.study) for _ in range(30)]
    for person in people:
        for statement in rng.sample(statements, rng.randint(1, 20)):
            at = NOW + timedelta(seconds=rng.randint(1, 1000))
            if rng.random() < 0.2:
                Vote.objects.create(
                    enrolment=person, statement=statement, value=0, cast_at=at - timedelta(1), superseded_at=at
                )
            Vote.objects.create(enrolment=person, statement=statement, value=rng.choice([-1, 0, 1]), cast_at=at)
    Statement.objects.filter(pk=statements[3].pk).update(status=Statement.Status.REJECTED)
    Enrolment.objects.filter(pk=people[4].pk).update(origin=Enrolment.Origin.SIMULATED)
    other = QuestionFactory(study=question.study, code="another")
    Vote.objects.create(
        enrolment=people[0], statement=StatementFactory(question=other), value=1, cast_at=NOW - timedelta(9)
    )
    return question


def by_objects(question: Question, rule: Inclusion) -> VoteMatrix:
    """The plain way."""
    votes = [
        (vote.enrolment.public_code, vote.statement.code, float(vote.value))
        for vote in Vote.objects.current().select_related("enrolment", "statement")
        if vote.statement.question_id == question.pk
        and vote.statement.status == "approved"
        and vote.enrolment.origin in rule.origins
    ]
    codes = Statement.objects.filter(question=question, status="approved").values_list("code", flat=True)
    often = {code for code, *_ in votes if sum(other[0] == code for other in votes) >= rule.minimum_votes}
    return VoteMatrix.from_votes([vote for vote in votes if vote[0] in often], statements=codes)


@pytest.mark.parametrize("block", [1, 7, 250_000])
@pytest.mark.parametrize("minimum", [1, 8])
def test_arrays_hold_what_objects_hold(
    question: Question, block: int, minimum: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    rule = Inclusion(("live",), EVERYBODY.statuses, minimum)

    loaded = question_votes(question, rule)

    expected = by_objects(question, rule)
    assert loaded.matrix().sha256() == expected.sha256()
    assert loaded.n_votes == expected.n_votes
    assert set(loaded.enrolments) == set(loaded.participants)
    assert set(loaded.statement_keys) == set(loaded.statements)
    assert (loaded.rows.dtype, loaded.columns.dtype, loaded.values.dtype) == (np.int32, np.int32, np.int8)


def test_the_number_of_queries_does_not_grow(question: Question) -> None:
    with CaptureQueriesContext(connection) as queries:
        question_votes(question, EVERYBODY)
    assert len(queries) == 3 if connection.vendor == "sqlite" else len(queries) >= 2


def test_a_question_without_votes_has_statements_and_nobody() -> None:
    statement = StatementFactory()

    loaded = question_votes(statement.question, EVERYBODY)

    assert (loaded.participants, loaded.statements, loaded.n_votes) == ((), (statement.code,), 0)
    assert loaded.matrix().values.shape == (0, 1)
    assert first_votes(statement.question, loaded) == ()


def test_people_stand_in_the_order_of_their_first_vote_even_if_they_changed_it(question: Question) -> None:
    loaded = question_votes(question, EVERYBODY)

    order = first_votes(question, loaded)

    began = {
        code: min(
            Vote.objects.filter(enrolment__public_code=code, statement__question=question).values_list(
                "cast_at", flat=True
            )
        )
        for code in loaded.participants
    }
    assert list(order) == sorted(loaded.participants, key=lambda code: (began[code], code))
    assert list(order) != sorted(order)
