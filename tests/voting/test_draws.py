"""The database draws the statement that the mathematics draws."""

from __future__ import annotations

import random

import pytest

from studies.models import Enrolment, Question
from tests.factories import EnrolmentFactory, QuestionFactory, StatementFactory
from voting.models import Statement
from voting.routing import LEAST_VOTED, MIXED, UNIFORM, Route, choose_again, redraw
from voting.selectors import drawn_for, statements_for

pytestmark = pytest.mark.django_db

# Orders of code points that many a database's own order of text would change.
CODES = ["b", "B", "a-1", "a1", "a_1", "A", "é", "z", "Z", "ß", "10", "9", "\uffff", "\U0001f600", "-", "_"]


@pytest.fixture
def question(db: None) -> Question:
    question = QuestionFactory()
    rng = random.Random(3)
    for code in CODES:
        StatementFactory(question=question, code=code, n_agree=rng.randint(0, 2), n_neutral=rng.randint(0, 1))
    return question


@pytest.fixture
def person(question: Question) -> Enrolment:
    enrolment: Enrolment = EnrolmentFactory(study=question.study)
    return enrolment


@pytest.mark.parametrize("policy", [UNIFORM, LEAST_VOTED, MIXED])
def test_both_draw_the_same(question: Question, person: Enrolment, policy: str) -> None:
    route = Route(policy, 0.5)
    rows = statements_for(enrolment=person, question=question)
    n_votes = {row.code: row.n_agree + row.n_disagree + row.n_neutral for row in rows}
    seen = set()

    for rank in range(1, 120):
        names = {"seed": "ab" * 16, "public_code": person.public_code, "question_code": question.code, "rank": rank}
        expected = redraw(n_votes, route, **names)
        choice = choose_again(route, **names)
        drawn = drawn_for(enrolment=person, question=question, choice=choice)
        assert drawn is not None
        assert expected is not None
        assert (drawn.code, choice.arm, drawn.n_eligible) == (expected.code, expected.policy, expected.n_eligible)
        assert drawn.text == Statement.objects.get(pk=drawn.statement_id).text
        seen.add(drawn.code)

    fewest = {code for code, n in n_votes.items() if n == min(n_votes.values())}
    # Else a draw that ignores the policy would do as well.
    assert seen == fewest if policy == LEAST_VOTED else len(seen) > len(fewest)


@pytest.mark.parametrize("policy", [UNIFORM, LEAST_VOTED])
def test_nothing_eligible_is_nothing(question: Question, person: Enrolment, policy: str) -> None:
    Statement.objects.update(author=person)
    choice = choose_again(Route(policy), seed="00", public_code="P", question_code="q", rank=1)

    assert drawn_for(enrolment=person, question=question, choice=choice) is None
