"""A study whose opinion groups are known."""

from __future__ import annotations

import random

import pytest

from studies.models import Enrolment, Question, RepresentationRating, Study
from tests.factories import NOW, EnrolmentFactory, StatementFactory, published_study
from voting.models import Vote

N_GROUPS = 3
N_EACH = 8
N_STATEMENTS = 15


def plant_votes(question: Question, people: list[Enrolment], *, seed: int = 0) -> None:
    """Let person i, of group i % 3, agree with the statements of that group and disagree with the rest, mostly."""
    rng = random.Random(f"{question.code}{seed}")
    statements = [StatementFactory(question=question) for _ in range(N_STATEMENTS)]
    votes = [
        Vote(
            enrolment=person,
            statement=statement,
            value=(1 if i % N_GROUPS == j % N_GROUPS else -1) if rng.random() < 0.95 else 0,
            cast_at=NOW,
        )
        for i, person in enumerate(people)
        for j, statement in enumerate(statements)
        if rng.random() < 0.9
    ]
    Vote.objects.bulk_create(votes)


def plant_ratings(question: Question, people: list[Enrolment]) -> None:
    """Let the first answer represent groups 0 and 1, and the second nobody."""
    first, second = question.answers.order_by("source__position", "pk")[:2]
    RepresentationRating.objects.bulk_create(
        RepresentationRating(
            enrolment=person,
            answer=answer,
            value=(5 if i % N_GROUPS < 2 else 1) if answer == first else 2,
            rated_at=NOW,
        )
        for i, person in enumerate(people)
        for answer in (first, second)
    )


@pytest.fixture
def planted(db: None) -> Study:
    """Four questions, three opinion groups of eight people each, who rated two answers."""
    study = published_study()
    people = [
        EnrolmentFactory(study=study, status=Enrolment.Status.COMPLETE, finished_at=NOW)
        for _ in range(N_GROUPS * N_EACH)
    ]
    for question in study.questions.all():
        plant_votes(question, people)
        plant_ratings(question, people)
    return study
