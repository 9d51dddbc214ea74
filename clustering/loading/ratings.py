"""Ratings, questions, answers, and what people said of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from clustering.inclusion import Inclusion
from studies.models import Answer, Enrolment, ModelAnswer, Question, RepresentationRating


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


def subgroup_values(study_id: int, rule: Inclusion, items: Sequence[str]) -> dict[str, dict[str, str]]:
    """Item code to public code to the answer, of items with one choice or a whole number; missing answers left out."""
    values: dict[str, dict[str, str]] = {item: {} for item in sorted(items)}
    people = Enrolment.objects.filter(rule.enrolments(), study_id=study_id)
    answers = Answer.objects.filter(enrolment__in=people, item_code__in=items).order_by()
    for item, person, choice, number in answers.values_list(
        "item_code", "enrolment__public_code", "value_choice", "value_integer"
    ).iterator(chunk_size=10_000):
        if choice is not None or number is not None:
            values[item][person] = choice if choice is not None else str(number)
    return values
