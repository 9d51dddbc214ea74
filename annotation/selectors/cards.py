"""What a rater sees of an item, and nothing else: the one source for pages, the interface for programs and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.models import Assignment, Dimension, Item, ItemText, Judgement, JudgementDraft
from annotation.sides import first_is


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as it is shown: A or B, context, or the text to be judged."""

    label: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A label as it is shown."""

    code: str
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about the item; `depends_on` and `depends_labels` say after which answers it is asked."""

    code: str
    name: str
    question: str
    scale: str
    choices: tuple[Choice, ...]
    is_multiple: bool
    is_required: bool
    cannot_judge: str
    cannot_judge_meaning: str
    evidence: str
    depends_on: str
    depends_labels: tuple[str, ...]
    proposed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """An item as a rater sees it. `earlier` are the segments before it, if it is a part of a longer text."""

    key: str
    kind: str
    rubric: str
    rubric_sha256: str
    passages: tuple[Passage, ...]
    earlier: tuple[Passage, ...]
    asked: tuple[Asked, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; equal cards are equal as canonical JSON, so that models and people get the same."""
        return asdict(self)


def card(assignment: Assignment) -> Card:
    """The card of an assignment, with the sides as they are shown in it."""
    item = assignment.item
    kind = item.kind
    texts = {text.part: text.text for text in item.texts.all()}
    dimensions = kind.dimensions.select_related("depends_on").prefetch_related("labels").order_by("position", "code")
    return Card(
        key=item.key,
        kind=kind.name,
        rubric=kind.rubric.text,
        rubric_sha256=kind.rubric.sha256,
        passages=tuple(_passages(kind.parts, kind.sides, texts, swapped=bool(assignment.swapped))),
        earlier=tuple(_earlier(item)),
        asked=tuple(_asked(each, item) for each in dimensions),
    )


def _passages(
    parts: Sequence[dict[str, str]], sides: Sequence[str], texts: dict[str, str], *, swapped: bool
) -> list[Passage]:
    """The texts in the order of the kind; the two sides are called A and B, whatever they are called in the kind."""
    shown = dict(zip(sides, first_is(sides, swapped=swapped), strict=True)) if sides else {}
    names = dict(zip(sides, ("A", "B"), strict=True)) if sides else {}
    return [
        Passage(names.get(part["code"], part["label"]), part["role"], texts[shown.get(part["code"], part["code"])])
        for part in parts
    ]


def _earlier(item: Item) -> list[Passage]:
    """The texts to be judged of the segments before the item."""
    if not item.sequence:
        return []
    parts = {part["code"]: part for part in item.kind.parts if part["role"] == "text"}
    rows = ItemText.objects.filter(
        item__packet=item.packet_id, item__sequence=item.sequence, item__place__lt=item.place, part__in=parts
    )
    return [Passage(parts[row.part]["label"], "text", row.text) for row in rows.order_by("item__place", "part")]


def _asked(dimension: Dimension, item: Item) -> Asked:
    other = dimension.depends_on
    return Asked(
        code=dimension.code,
        name=dimension.name,
        question=dimension.question,
        scale=dimension.scale,
        choices=tuple(Choice(label.code, label.text, label.hint) for label in dimension.labels.all()),
        is_multiple=dimension.scale == Dimension.Scale.MULTIPLE,
        is_required=dimension.is_required,
        cannot_judge=dimension.cannot_judge_label,
        cannot_judge_meaning=dimension.cannot_judge_meaning,
        evidence=dimension.evidence,
        depends_on="" if other is None else other.code,
        depends_labels=tuple(dimension.depends_labels),
        proposed=tuple(item.proposals.get(dimension.code, ())),
    )


def own_answers(assignment: Assignment) -> dict[str, Judgement]:
    """The rater's current answers to the item, by dimension."""
    rows = Judgement.objects.current().filter(assignment=assignment).select_related("dimension", "shown_label")
    return {row.dimension.code: row for row in rows}


def draft_of(assignment: Assignment) -> dict[str, Any]:
    """What is chosen and typed and not yet sent; empty if nothing is."""
    payload = JudgementDraft.objects.filter(assignment=assignment).values_list("payload", flat=True).first()
    return dict(payload or {})


@dataclass(frozen=True, slots=True)
class Feedback:
    """The right answers to a training item on one dimension, and why."""

    dimension: str
    right: tuple[str, ...]
    explanation: str
    was_right: bool


def feedback(assignment: Assignment) -> list[Feedback]:
    """What a rater learns after a training item; nothing before they have answered, and nothing of gold items."""
    if assignment.purpose != Assignment.Purpose.TRAINING or assignment.status != Assignment.Status.DONE:
        return []
    answers = own_answers(assignment)
    rows: dict[str, list[Any]] = {}
    for gold in assignment.item.gold.select_related("dimension", "label__mirror").order_by("dimension__position", "pk"):
        rows.setdefault(gold.dimension.code, []).append(gold)
    found = []
    for code, right in rows.items():
        given = answers.get(code)
        labels = [_as_shown(gold.label, swapped=bool(assignment.swapped)) for gold in right]
        found.append(
            Feedback(
                code,
                tuple(label.text for label in labels),
                next((gold.explanation for gold in right if gold.explanation), ""),
                was_right=given is not None and _is_right(given, right),
            )
        )
    return found


def _is_right(given: Judgement, right: list[Any]) -> bool:
    """One label must be among the right ones, several must be exactly these."""
    if given.labels is not None:
        return set(given.labels) == {gold.label.code for gold in right}
    return given.label_id in {gold.label_id for gold in right}


def _as_shown(label: Any, *, swapped: bool) -> Any:
    return label.mirror if swapped and label.mirror is not None else label
