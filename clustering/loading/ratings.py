"""Ratings, questions and answers."""

from __future__ import annotations

from clustering.inclusion import Inclusion
from studies.models import Enrolment, ModelAnswer, Question, RepresentationRating


def question_ratings(question: Question, rule: Inclusion) -> list[tuple[str, str, int]]:
    """(public code, source code, value 1-5) of each current rating by an included enrolment, in canonical order.

    Ratings of an earlier revision of an answer are of another text and are left out.
    """
    rows = (
        RepresentationRating.objects.current()
        .filter(
            answer__question=question,
            answer__is_current=True,
            enrolment__in=Enrolment.objects.filter(rule.enrolments()),
        )
        .values_list("enrolment__public_code", "answer__source__code", "value")
    )
    return sorted(rows)


def current_questions(study_id: int) -> list[Question]:
    """The study's questions in their present revision, in display order."""
    return list(Question.objects.filter(study_id=study_id, is_current=True).order_by("position", "code"))


def answers_by_source(question: Question) -> dict[str, ModelAnswer]:
    """The present answers to a question by the code of their source, in the order of the sources."""
    answers = ModelAnswer.objects.filter(question=question, is_current=True).select_related("source")
    return {answer.source.code: answer for answer in answers.order_by("source__position", "source__code")}
