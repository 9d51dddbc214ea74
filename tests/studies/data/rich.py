"""A study in which everything has happened that an export must show and an import must bring back."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from core.text import count_characters
from studies.models import Enrolment, Question, RepresentationRating, Study
from tests.factories import (
    BLOCKS_WITH_VOTES,
    NOW,
    AnswerFactory,
    ConsentRecordFactory,
    EnrolmentFactory,
    ExternalIdentityFactory,
    FreeResponseFactory,
    LateSubmissionFactory,
    PageViewFactory,
    SlotFactory,
    StatementFactory,
    StepFactory,
    TombstoneFactory,
    published_study,
)
from voting.models import Statement, Vote
from voting.services import recount

N_GROUPS = 3
N_PEOPLE = 24
SECOND = timedelta(seconds=1)
TEXTS = (
    'Line one\r\nline two, with "quotes" and a comma',
    "=cmd()|'/C calc'!A0",
    "café, cafe\u0301, \N{FAMILY}\u200d, \u202b\u05e9\u05dc\u05d5\u05dd\u202c",
    "市民に聞くべきだと思う。" * 4,
    "<script>alert(1)</script>",
    "-5",
)


def rich_study(*, origin: str = "live", **columns: Any) -> Study:
    """Two questions, three opinion groups of eight, votes and ratings that were changed, somebody of each status."""
    ethics = {"ethics_body": "Board of the institute", "ethics_protocol": "2026-17"}
    study = published_study(n_questions=2, n_answers=3, n_seeds=6, blocks=BLOCKS_WITH_VOTES, **(ethics | columns))
    people = [_person(study, n, origin) for n in range(N_PEOPLE)]
    for question in study.questions.all():
        _fill(question, people)
    _others(study)
    return study


def _person(study: Study, n: int, origin: str) -> Enrolment:
    started = NOW + n * SECOND
    return EnrolmentFactory(
        study=study,
        public_code=f"P{n:03d}",
        origin=origin,
        recruiter="prolific" if n % 2 else "open",
        started_at=started,
        consented_at=started + 5 * SECOND,
        finished_at=started + 600.25 * SECOND,
        last_seen_at=started + 600.25 * SECOND,
    )


def _fill(question: Question, people: list[Enrolment]) -> None:
    rng = random.Random(question.code)
    statements = list(question.statements.order_by("pk"))
    for n, person in enumerate(people[:9]):
        text = TEXTS[n % len(TEXTS)] + f" {question.code} {n}"
        response = FreeResponseFactory(
            enrolment=person, question=question, text=text, n_characters=count_characters(text)
        )
        statements.append(
            StatementFactory(
                question=question,
                code=f"peer-{question.code}{n}",
                origin="peer",
                author=person,
                free_response=response,
                text=text,
                created_at=response.written_at,
                status="rejected" if n == 8 else "approved",
                removed_at=NOW if n == 8 else None,
            )
        )
    statements.append(StatementFactory(question=question, code="gone", status="withdrawn", text="", removed_at=NOW))
    _vote(people, statements, rng)
    _rate(question, people, rng)
    recount([statement.pk for statement in statements])


def _vote(people: list[Enrolment], statements: list[Statement], rng: random.Random) -> None:
    votes = []
    for i, person in enumerate(people):
        for j, statement in enumerate(statements):
            if statement.author_id == person.pk or rng.random() < 0.15:
                continue
            value = (1 if i % N_GROUPS == j % N_GROUPS else -1) if rng.random() < 0.93 else 0
            at = NOW + (i * 50 + j) * SECOND
            if rng.random() < 0.1:
                later = at + timedelta(microseconds=rng.randrange(3))
                votes.append(_vote_of(person, statement, -value or 1, at, later))
                at = later
            votes.append(_vote_of(person, statement, value, at, None))
    Vote.objects.bulk_create(votes)


def _vote_of(person: Enrolment, statement: Statement, value: int, at: Any, end: Any) -> Vote:
    return Vote(enrolment=person, statement=statement, value=value, cast_at=at, superseded_at=end)


def _rate(question: Question, people: list[Enrolment], rng: random.Random) -> None:
    ratings = []
    for i, person in enumerate(people):
        for rank, answer in enumerate(question.answers.order_by("pk"), 1):
            value = 5 if i % N_GROUPS == rank - 1 else rng.randrange(1, 5)
            at = NOW + i * SECOND
            if i == 3:
                ratings.append(_rating_of(person, answer, 6 - value, rank, at, at + SECOND))
                at += SECOND
            ratings.append(_rating_of(person, answer, value, rank, at, None))
    changed = [rating for rating in ratings if rating.superseded_at is None or rating.value != 3]
    RepresentationRating.objects.bulk_create(changed)


def _rating_of(person: Enrolment, answer: Any, value: int, rank: int, at: Any, end: Any) -> RepresentationRating:
    return RepresentationRating(enrolment=person, answer=answer, value=value, rank=rank, rated_at=at, superseded_at=end)


def _others(study: Study) -> None:
    """Somebody of each status and what only an export shows, and a preview that nothing must show."""
    first = study.questions.get(code="q1")
    for status in ("active", "no_consent", "screened_out", "timed_out", "withdrawn"):
        EnrolmentFactory(study=study, public_code=f"X-{status}", status=status)
    gone = study.enrolments.get(status="withdrawn")
    TombstoneFactory(study=study, enrolment_public_id=gone.public_id, erased={"studies": 4})
    person = study.enrolments.get(public_code="P000")
    AnswerFactory(enrolment=person, item_code="age", value_choice=None, value_integer=44)
    AnswerFactory(enrolment=person, item_code="ethnicity", value_choice=None, value_choices=["asian", "other"])
    AnswerFactory(enrolment=person, item_code="remarks", value_choice=None, value_text=TEXTS[0])
    AnswerFactory(enrolment=person, item_code="sex", value_choice=None, missing="declined")
    ConsentRecordFactory(enrolment=person)
    ExternalIdentityFactory(enrolment=person, external_id="5f3e8c1a9b2d4e6f7a8b9c0d")
    SlotFactory(enrolment=person, question=first, status="complete", completed_at=NOW)
    step = StepFactory(enrolment=person, kind="rate", block="rate", question=first, answer=first.answers.first())
    PageViewFactory(step=step, shown={"answer": step.answer_id, "rank": 1})
    LateSubmissionFactory(step=step, payload={"rating": ["2"], "text": ["a late secret"]})
    preview = EnrolmentFactory(study=study, public_code="PREVIEW", origin="preview")
    FreeResponseFactory(enrolment=preview, question=first, text="Only a preview.")
    PageViewFactory(step=StepFactory(enrolment=preview))
    AnswerFactory(enrolment=preview)
    ConsentRecordFactory(enrolment=preview)
    SlotFactory(enrolment=preview, question=first)
