"""What a session reads: its frozen definition, its plan, and where it is."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from studies.models import Enrolment, ModelAnswer, Question, Step, Study, StudyVersion
from studies.session.blocks import Definition

KEPT_VERSIONS = 32
"""How many frozen versions a process keeps in memory: more studies than are open at the same time."""
KEPT_PLANS = 512
"""How many sessions' plans a process keeps in memory (about 10 kB each): more people than are under way at once."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A study version ready to walk: its definition, and the rows it names, with the texts of the definition.

    `study` is for what does not change once a study was published, such as its seed; its status does.
    """

    version_id: int
    study: Study
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
    version = StudyVersion.objects.select_related("study").get(pk=version_id)
    definition: dict[str, Any] = version.definition
    questions = _questions(version.study_id, definition)
    answers = _answers(definition, questions)
    return Frozen(version_id, version.study, MappingProxyType(definition), questions, answers)


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


class Planned(NamedTuple):
    """A step as it was planned at the start of its session: what never changes of it."""

    id: int
    enrolment_id: int
    position: int
    kind: str
    block: str
    question_id: int | None
    answer_id: int | None
    number: int
    nonce: uuid.UUID


class Plan:
    """All steps of one session in their order, from memory after the first time.

    The steps it gives have question and answer at hand; when and with what they were submitted is read if asked for.
    """

    def __init__(self, enrolment: Enrolment, version: Frozen) -> None:
        self._enrolment, self._version = enrolment, version
        try:
            self._rows = _planned(enrolment.public_id)
        except LookupError:
            self._rows = ()

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Step]:
        return map(self._step, self._rows)

    def at(self, position: int) -> Step | None:
        """The step at `position`; None past the end."""
        return self._step(self._rows[position]) if position < len(self._rows) else None

    def named(self, nonce: str) -> Step | None:
        """The step with this nonce; None if it belongs to somebody else or to nobody."""
        return next((self._step(row) for row in self._rows if str(row.nonce) == nonce), None)

    def question_number(self, step: Step) -> tuple[int, int] | None:
        """Which of how many questions `step` belongs to; None if to none."""
        if step.question_id is None:
            return None
        order = list(dict.fromkeys(row.question_id for row in self._rows if row.question_id is not None))
        return order.index(step.question_id) + 1, len(order)

    def is_before_questions(self, step: Step) -> bool:
        """Whether no step before `step` belongs to a question."""
        return all(row.question_id is None for row in self._rows[: step.position])

    def ends_its_question(self, step: Step) -> bool:
        """Whether no later step belongs to the question of `step`."""
        return all(row.question_id != step.question_id for row in self._rows[step.position + 1 :])

    def _step(self, row: Planned) -> Step:
        step = Step.from_db(None, Planned._fields, row)
        step.enrolment = self._enrolment
        if row.question_id is not None:
            step.question = self._version.questions[row.question_id]
        if row.answer_id is not None:
            step.answer = self._version.answers[row.answer_id]
        return step


@lru_cache(maxsize=KEPT_PLANS)
def _planned(public_id: uuid.UUID) -> tuple[Planned, ...]:
    rows = Step.objects.filter(enrolment__public_id=public_id).order_by("position").values_list(*Planned._fields)
    if not rows:
        raise LookupError(public_id)  # not kept in memory
    return tuple(map(Planned._make, rows))
