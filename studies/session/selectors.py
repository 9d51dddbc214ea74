"""What a session reads: its frozen definition, its plan, and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from studies.models import Enrolment, ModelAnswer, Question, Step, StudyVersion
from studies.session.blocks import Definition

KEPT_VERSIONS = 32
"""How many frozen versions a process keeps in memory: more studies than are open at the same time."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A study version ready to walk: its definition, and the rows it names, with the texts of the definition."""

    version_id: int
    definition: Definition
    questions: Mapping[int, Question]
    answers: Mapping[int, ModelAnswer]

    def questions_in_order(self) -> list[Question]:
        """The questions in the order of the definition, which is canonical for draws."""
        return list(self.questions.values())

    def answers_to(self, question: Question) -> list[ModelAnswer]:
        """The model answers to `question` in the canonical order: by the code of their source."""
        found = [answer for answer in self.answers.values() if answer.question_id == question.pk]
        return sorted(found, key=lambda answer: answer.source.code)


@lru_cache(maxsize=KEPT_VERSIONS)
def frozen(version_id: int) -> Frozen:
    """The version `version_id` as it was frozen. Kept in memory, since it never changes; do not write to it."""
    version = StudyVersion.objects.get(pk=version_id)
    definition: dict[str, Any] = version.definition
    questions = _questions(version.study_id, definition)
    answers = _answers(definition, questions)
    return Frozen(version_id, MappingProxyType(definition), questions, answers)


def definition_of(version_id: int) -> Definition:
    """The definition that `version_id` froze, from memory after the first time."""
    return frozen(version_id).definition


def _questions(study_id: int, definition: Definition) -> dict[int, Question]:
    revisions: Mapping[str, int] = definition.get("revisions", {}).get("questions", {})
    rows = {(row.code, row.revision): row for row in Question.objects.filter(study_id=study_id, code__in=revisions)}
    questions = {}
    for entry in definition["questions"]:
        question = rows[entry["code"], revisions[entry["code"]]]
        question.text = entry["text"]
        questions[question.pk] = question
    return questions


def _answers(definition: Definition, questions: Mapping[int, Question]) -> dict[int, ModelAnswer]:
    revisions: Mapping[str, int] = definition.get("revisions", {}).get("answers", {})
    texts = {(entry["question"], entry["source"]): entry["text"] for entry in definition.get("answers", ())}
    answers = {}
    for answer in ModelAnswer.objects.filter(question__in=questions).select_related("source").order_by("id"):
        question = questions[answer.question_id]
        names = (question.code, answer.source.code)
        if names in texts and revisions.get("/".join(names)) == answer.revision:
            answer.question = question
            answer.text = texts[names]
            answers[answer.pk] = answer
    return answers


class Plan(Sequence[Step]):
    """All steps of one session in their order, in one query. `at` and `named` add question and answer from memory."""

    def __init__(self, enrolment: Enrolment, version: Frozen) -> None:
        self._enrolment, self._version = enrolment, version
        self._steps = list(Step.objects.filter(enrolment_id=enrolment.pk).order_by("position"))

    def __getitem__(self, position: Any) -> Any:
        return self._steps[position]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def at(self, position: int) -> Step | None:
        """The step at `position`; None past the end."""
        return self._whole(self._steps[position]) if position < len(self._steps) else None

    def named(self, nonce: str) -> Step | None:
        """The step with this nonce; None if it belongs to somebody else or to nobody."""
        return next((self._whole(step) for step in self._steps if str(step.nonce) == nonce), None)

    def _whole(self, step: Step) -> Step:
        step.enrolment = self._enrolment
        if step.question_id is not None:
            step.question = self._version.questions[step.question_id]
        if step.answer_id is not None:
            step.answer = self._version.answers[step.answer_id]
        return step

    def question_number(self, step: Step) -> tuple[int, int] | None:
        """Which of how many questions `step` belongs to; None if to none."""
        if step.question_id is None:
            return None
        order = list(dict.fromkeys(other.question_id for other in self._steps if other.question_id is not None))
        return order.index(step.question_id) + 1, len(order)

    def ends_its_question(self, step: Step) -> bool:
        """Whether no later step belongs to the question of `step`."""
        later = self._steps[step.position + 1 :]
        return all(other.question_id != step.question_id for other in later)
