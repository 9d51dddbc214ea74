"""Rate: instructions, then the model answers to a question one at a time, in an order drawn for the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.randomness import drawn_order
from studies.models import Enrolment, FreeResponse, RepresentationRating, Step
from studies.session.blocks import Definition, Page, PlanContext, StepContext, StepPlan, Submitted

INTRO = "rate_intro"
ONE = "rate"
SCALE = ("1", "2", "3", "4", "5")


class RateRunner:
    """The rate block: an introduction and one step for each model answer."""

    kind = "rate"
    per_question = True

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """The instructions, then each answer; nothing if the question has none."""
        if not context.answers or context.question is None:
            return []
        code = context.enrolment.public_code
        order = drawn_order(context.answers, seed=context.seed, code=code, purpose=f"rate:{context.question.code}")
        return [StepPlan(INTRO), *(StepPlan(ONE, answer, rank) for rank, answer in enumerate(order, 1))]

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """Show the instructions, or one answer with the scale and what the person wrote."""
        step, settings = context.step, context.definition["rate"]
        number_of = _number_of(context)
        if step.kind == INTRO:
            title = _("Responses to this question")
            return Page("studies/session/rate_intro.html", title, {"instructions": settings["instructions"]})
        assert step.answer is not None
        title = _("Response %(number)d of %(of)d") % {"number": step.number, "of": number_of}
        return Page(
            "studies/session/rate.html",
            title,
            {
                "answer": {"text": step.answer.text, "number": step.number, "of": number_of},
                "scale": _scale(settings),
                "own_response": _own_response(step),
            },
            {"answer": step.answer_id, "rank": step.number},
        )

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Keep the rating; reading the instructions keeps nothing."""
        step = context.step
        if step.kind == INTRO:
            return Submitted()
        value = data.get("rating", [""])[-1]
        if value not in SCALE:
            return Submitted(errors={"rating-1": _("Please choose a number from 1 to 5.")})
        RepresentationRating.objects.create(
            enrolment=context.enrolment, answer_id=step.answer_id, value=int(value), rank=step.number, rated_at=now
        )
        return Submitted()

    def lacks(self, enrolment: Enrolment, steps: Sequence[Step]) -> int:
        """How many answers have no rating."""
        planned = {step.answer_id for step in steps if step.kind == ONE}
        return len(planned) - RepresentationRating.objects.current().filter(enrolment=enrolment).count()


def _number_of(context: StepContext) -> int:
    assert context.step.question is not None
    code = context.step.question.code
    return sum(entry["question"] == code for entry in context.definition["answers"])


def _scale(settings: Definition) -> list[dict[str, Any]]:
    ends = {1: settings["low"], 5: settings["high"]}
    return [{"value": value, "label": ends.get(value, "")} for value in range(1, 6)]


def _own_response(step: Step) -> str:
    own = FreeResponse.objects.filter(enrolment_id=step.enrolment_id, question_id=step.question_id)
    return next(iter(own.order_by().values_list("text", flat=True)), "")
