"""A study whose ratings have a pattern that a judge can know, with views, stances and demographics."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from studies.models import Enrolment, RepresentationRating, Study
from tests.factories import NOW, AnswerFactory, EnrolmentFactory, FreeResponseFactory, published_study

N_PEOPLE = 12
Rows = Iterable[tuple[Any, ...]]


def true_rating(person: int, question: int, source: int) -> int:
    """What person i says of source k on question j: 1 to 5, all of them used."""
    return 1 + (person + 2 * question + 3 * source) % 5


@pytest.fixture
def rated(db: None) -> Study:
    """Two questions, three sources, twelve people who rated every answer; the last wrote nothing."""
    study = published_study(n_questions=2, n_answers=3)
    questions = list(study.questions.order_by("code"))
    ratings = []
    for i in range(N_PEOPLE):
        person = EnrolmentFactory(
            study=study, status=Enrolment.Status.COMPLETE, finished_at=NOW, public_code=f"P{i:02d}"
        )
        AnswerFactory(enrolment=person, item_code="sex", value_choice="female" if i % 2 else "male")
        AnswerFactory(enrolment=person, item_code="age", value_choice=None, value_integer=20 + i)
        AnswerFactory(
            enrolment=person,
            item_code="ethnicity",
            value_choice=None,
            value_choices=["asian", "black"] if i % 4 == 0 else ["white"],
        )
        for j, question in enumerate(questions):
            if i < N_PEOPLE - 1:
                FreeResponseFactory(enrolment=person, question=question, text=f"Person {i} thinks of {question.code}.")
            for k, answer in enumerate(question.answers.order_by("source__code")):
                value = true_rating(i, j, k)
                ratings.append(RepresentationRating(enrolment=person, answer=answer, value=value, rated_at=NOW))
    RepresentationRating.objects.bulk_create(ratings)
    return study


@pytest.fixture
def closed(rated: Study) -> Study:
    """The same study, closed."""
    rated.status = Study.Status.CLOSED
    rated.save()
    return rated


def points(study: Study) -> list[tuple[str, str, str, int]]:
    """Participant, question, source and rating of everything measured."""
    rows = RepresentationRating.objects.filter(enrolment__study=study).order_by("pk")
    return list(rows.values_list("enrolment__public_code", "answer__question__code", "answer__source__code", "value"))


@pytest.fixture
def as_csv() -> Callable[..., bytes]:
    def write(rows: Rows, header: str = "participant,question,source,rating") -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
        return text.getvalue().encode()

    return write
