"""Which questions a person gets: drawn jointly, without repeats, from the study's seed.

Balanced assignment counts completes and live reservations. Counting completes alone herds people: everybody who arrives
before the first completes would be sent to the same questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Count

from core.randomness import drawn_order
from studies.models import Enrolment, Question, Slot

UNIFORM = "uniform"
BALANCED = "balanced"
COUNTED = (Enrolment.Origin.LIVE, Enrolment.Origin.SIMULATED)


def taken_places(questions: Sequence[Question], *, now: datetime) -> dict[int, int]:
    """How many people completed each question or have it reserved, by question id. Call it under the study's lock."""
    taking = Slot.objects.taking(now).filter(question__in=questions, enrolment__origin__in=COUNTED)
    counts = taking.order_by().values_list("question_id").annotate(n=Count("id"))
    return {question.pk: 0 for question in questions} | dict(counts)


def draw_questions(
    questions: Sequence[Question],
    *,
    number: int,
    policy: str,
    taken: Mapping[int, int],
    seed: str,
    code: str,
) -> list[Question]:
    """`number` of the questions, in the order in which they will be shown.

    `questions` come in the definition's order, which makes the draw repeatable. Balanced takes those taken least, ties
    at random; the order shown is drawn apart, so that it does not tell how full a question is.
    """
    shuffled = drawn_order(questions, seed=seed, code=code, purpose="questions")
    if policy == BALANCED:
        shuffled.sort(key=lambda question: taken.get(question.pk, 0))
    return drawn_order(shuffled[:number], seed=seed, code=code, purpose="questions:order")
