"""Which pages a session will have, planned at its start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from core.registry import BlockRunner, block_runner
from studies.models import Enrolment, Question, Step
from studies.session.blocks import PlanContext, StepPlan
from studies.session.selectors import Frozen

WITHOUT_STEPS = frozenset({"debrief"})
"""Blocks that are no page of their own: the closing text stands on the end page."""


def planned_steps(*, enrolment: Enrolment, version: Frozen, questions: Sequence[Question], seed: str) -> list[Step]:
    """The steps of a session in order, not saved. Neighbouring blocks per question are taken question by question.

    `questions` are those drawn for the person, in the order in which they will be shown.
    """
    steps: list[Step] = []
    for runner, question, plan in _plans(enrolment, version, questions, seed):
        steps.append(
            Step(
                enrolment=enrolment,
                position=len(steps),
                kind=plan.kind,
                block=runner.kind,
                question=question,
                answer=plan.answer,
                number=plan.number,
            )
        )
    return steps


def _plans(
    enrolment: Enrolment, version: Frozen, questions: Sequence[Question], seed: str
) -> Iterator[tuple[BlockRunner, Question | None, StepPlan]]:
    runners = [block_runner(kind) for kind in version.definition["blocks"] if kind not in WITHOUT_STEPS]
    for per_question, group in groupby(runners, key=lambda runner: runner.per_question):
        together = list(group)
        for question in questions if per_question else [None]:
            answers = version.answers_to(question) if question is not None else []
            context = PlanContext(version.definition, enrolment, seed, question, answers)
            for runner in together:
                for plan in runner.plan(context):
                    yield runner, question, plan
