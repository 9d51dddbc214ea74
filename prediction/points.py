"""What there is to predict: a person and an answer, in canonical order, and subsets that grow into the whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from clustering.inclusion import Inclusion
from prediction.models import CandidateAnswer
from studies.models import Enrolment, Question, RepresentationRating, Study

Point = tuple[str, str, str]
"""Participant, question, source."""


@dataclass(frozen=True, slots=True)
class Target:
    """A person and an answer whose rating is predicted; one of the two ids of an answer is None."""

    enrolment_id: int
    participant: str
    question_id: int
    question: str
    source: str
    answer_id: int | None = None
    candidate_answer_id: int | None = None

    @property
    def point(self) -> Point:
        """The key in tables and statistics."""
        return self.participant, self.question, self.source

    @property
    def answer_key(self) -> tuple[int | None, int | None]:
        """Which answer, of a source or of a candidate."""
        return self.answer_id, self.candidate_answer_id


@dataclass(frozen=True, slots=True)
class Measured:
    """The ratings that participants gave, and the targets that they are of, in order of their points."""

    ratings: dict[Point, int]
    targets: tuple[Target, ...]


def measured(study: Study, rule: Inclusion) -> Measured:
    """Current ratings of present answers to present questions by the people whom `rule` takes in.

    Whoever has withdrawn is never predicted, also where their numbers stay and a rule takes them in.
    """
    people = Enrolment.objects.filter(rule.enrolments(), study=study).exclude(status=Enrolment.Status.WITHDRAWN)
    rows = (
        RepresentationRating.objects.current()
        .filter(
            answer__is_current=True,
            answer__question__study=study,
            answer__question__is_current=True,
            enrolment__in=people,
        )
        .values_list(
            "enrolment_id",
            "enrolment__public_code",
            "answer__question_id",
            "answer__question__code",
            "answer__source__code",
            "answer_id",
            "value",
        )
    )
    found = [(Target(*row[:6]), row[6]) for row in rows.order_by().iterator(chunk_size=10_000)]
    found.sort(key=lambda pair: pair[0].point)
    return Measured({target.point: value for target, value in found}, tuple(target for target, _value in found))


def targets_of(study: Study, rule: Inclusion, scope: str, known: Measured | None = None) -> list[Target]:
    """What is to be predicted: ratings that there are, answers of candidates for whoever rated their question, or both.

    Each comes in order of participant, question and source.
    """
    known = known or measured(study, rule)
    found = list(known.targets) if scope in {"measured", "all"} else []
    if scope in {"new", "all"}:
        found += _of_candidates(study, known.targets)
    return sorted(found, key=lambda target: target.point)


def _of_candidates(study: Study, rated: Sequence[Target]) -> list[Target]:
    people = {(target.question_id, target.participant): target for target in rated}
    answers: dict[int, list[tuple[int, str]]] = {}
    rows = CandidateAnswer.objects.filter(candidate__study=study, question__is_current=True)
    for key, question, code in rows.values_list("pk", "question_id", "candidate__code"):
        answers.setdefault(question, []).append((key, code))
    return [
        Target(each.enrolment_id, each.participant, each.question_id, each.question, code, candidate_answer_id=key)
        for each in people.values()
        for key, code in answers.get(each.question_id, [])
    ]


def subset_of(targets: Sequence[Target], size: int | None, seed: int) -> list[Target]:
    """At most `size` of the targets, drawn by `seed`, in their order. A larger subset holds the smaller ones.

    Whether a target is drawn depends on its point alone, so that a subset stays what it was when people are added,
    but for those whose turn comes before.
    """
    if size is None or size >= len(targets):
        return list(targets)
    drawn = sorted(targets, key=lambda target: (_turn(target.point, seed), target.point))[:size]
    return sorted(drawn, key=lambda target: target.point)


def _turn(point: Point, seed: int) -> bytes:
    return hashlib.sha256("\x1f".join([str(seed), *point]).encode()).digest()


def question_texts(study: Study) -> dict[int, str]:
    """The texts of the present questions by primary key."""
    return dict(Question.objects.filter(study=study, is_current=True).values_list("pk", "text"))
