"""What is known of each person, loaded once, and the prompt that it makes for one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.endpoints import ChatRequest
from core.randomness import drawn_order
from core.text import is_blank
from prediction.judging.variants import VARIANTS, Template
from prediction.models import CandidateAnswer
from prediction.points import Measured, Target, question_texts
from studies.models import Answer, FormItem, FreeResponse, ModelAnswer, Study

LACKING = {
    "D": "no demographics are known",
    "FR": "there is no free response",
    "S": "no stance was chosen",
    "FS": "no other answer to the question was rated",
    "MS": "no other answer was rated",
}
KINDS = (FormItem.Kind.SINGLE, FormItem.Kind.MULTIPLE, FormItem.Kind.INTEGER)


@dataclass(slots=True)
class Person:
    """What one participant gave: demographics as label and value, views by question, ratings in canonical order."""

    about: list[tuple[str, str]] = field(default_factory=list)
    views: dict[int, str] = field(default_factory=dict)
    stances: dict[int, str] = field(default_factory=dict)
    ratings: list[tuple[Target, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that prompts of a study are made of."""

    seed: str
    rate_low: str
    rate_high: str
    questions: dict[int, str]
    answers: dict[tuple[int | None, int | None], str]
    people: dict[int, Person]

    def lacking(self, target: Target, needs: Iterable[str]) -> str | None:
        """Why the target cannot be asked about, None if all that is needed is there."""
        person = self.people[target.enrolment_id]
        there = {
            "D": bool(person.about),
            "FR": target.question_id in person.views,
            "S": target.question_id in person.stances,
            "FS": any(other.question_id == target.question_id for other, _value in self._others(target)),
            "MS": bool(self._others(target)),
        }
        return next((LACKING[need] for need in needs if not there[need]), None)

    def request(self, target: Target, variant: str, template: Template, parameters: dict[str, Any]) -> ChatRequest:
        """The request about one target. Its own rating, if there is one, is nowhere in it."""
        person = self.people[target.enrolment_id]
        needs = VARIANTS[variant].needs
        values = {
            "rate_low": self.rate_low,
            "rate_high": self.rate_high,
            "question": quoted(self.questions[target.question_id]),
            "response": quoted(self.answers[target.answer_key]),
        }
        if "D" in needs:
            values["about"] = quoted("\n".join(f"{label}: {value}" for label, value in person.about))
        if "FR" in needs:
            values["view"] = quoted(person.views[target.question_id])
        if "S" in needs:
            values["stance"] = quoted(person.stances[target.question_id])
        if "FS" in needs:
            same = [pair for pair in self._others(target) if pair[0].question_id == target.question_id]
            values["ratings"] = self._examples(target, same, with_question=False)
        if "MS" in needs:
            values["all_ratings"] = self._examples(target, self._others(target), with_question=True)
        return ChatRequest(messages=template.messages(values), parameters=parameters)

    def _others(self, target: Target) -> list[tuple[Target, int]]:
        """The person's ratings of other answers."""
        rated = self.people[target.enrolment_id].ratings
        return [(other, value) for other, value in rated if other.point != target.point]

    def _examples(self, target: Target, pairs: Sequence[tuple[Target, int]], *, with_question: bool) -> str:
        """Rated answers in an order drawn for the target, without the names of their sources."""
        purpose = f"examples for {target.question}/{target.source}"
        drawn = drawn_order(list(pairs), seed=self.seed, code=target.participant, purpose=purpose)
        parts = []
        for number, (other, value) in enumerate(drawn, 1):
            question = [f"The question of example {number}:", quoted(self.questions[other.question_id])]
            text = [f"Response of example {number}:", quoted(self.answers[other.answer_key])]
            parts.append("\n".join([*(question if with_question else []), *text, f"Rated: {value}"]))
        return "\n\n".join(parts)


def quoted(text: str) -> str:
    r"""The text with "| " before each line, so that nothing in it can pass for a line of ours."""
    return "\n".join(f"| {line}" for line in text.splitlines()) or "| "


def context_of(study: Study, known: Measured) -> Context:
    """Load what prompts need, in a few queries; people are those who gave a rating."""
    people: dict[int, Person] = {}
    for target in known.targets:
        people.setdefault(target.enrolment_id, Person()).ratings.append((target, known.ratings[target.point]))
    _load_views(study, people)
    _load_demographics(study, people)
    return Context(
        seed=study.seed,
        rate_low=study.rate_low,
        rate_high=study.rate_high,
        questions=question_texts(study),
        answers=answer_texts(study),
        people=people,
    )


def answer_texts(study: Study) -> dict[tuple[int | None, int | None], str]:
    """The present answers of sources and candidates, by `Target.answer_key`."""
    texts: dict[tuple[int | None, int | None], str] = {}
    measured = ModelAnswer.objects.filter(question__study=study, is_current=True).values_list("pk", "text")
    texts |= {(key, None): text for key, text in measured}
    new = CandidateAnswer.objects.filter(candidate__study=study).values_list("pk", "text")
    return texts | {(None, key): text for key, text in new}


def _load_views(study: Study, people: dict[int, Person]) -> None:
    labels = {option["value"]: str(option["label"]) for option in study.stance_options}
    rows = FreeResponse.objects.filter(question__study=study, question__is_current=True)
    for enrolment, question, text, stance in rows.values_list("enrolment_id", "question_id", "text", "stance"):
        if enrolment not in people:
            continue
        if not is_blank(text):
            people[enrolment].views[question] = text
        if stance:
            people[enrolment].stances[question] = labels.get(stance, stance)


def _load_demographics(study: Study, people: dict[int, Person]) -> None:
    items = {item.code: item for item in study.form_items.filter(kind__in=KINDS).order_by("position", "code")}
    place = {code: index for index, code in enumerate(items)}
    rows = Answer.objects.filter(enrolment__study=study, item_code__in=list(items), missing=None)
    for answer in sorted(rows, key=lambda row: (row.enrolment_id, place[row.item_code])):
        if answer.enrolment_id in people and (value := shown_value(items[answer.item_code], answer)):
            people[answer.enrolment_id].about.append((items[answer.item_code].label, value))


def shown_value(item: FormItem, answer: Answer) -> str:
    """A reply to a form item in the words that the person chose; empty if it is of another kind."""
    labels = {option["value"]: str(option["label"]) for option in item.options}
    if answer.value_choice is not None:
        return labels.get(answer.value_choice, answer.value_choice)
    if answer.value_choices is not None:
        return ", ".join(labels.get(value, value) for value in answer.value_choices)
    return "" if answer.value_integer is None else str(answer.value_integer)
