"""Where raters of a locked packet disagree, and what was decided there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Adjudication, Dimension, Item, Judgement, Packet
from annotation.selectors.cards import Passage


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item and a dimension on which raters gave different labels."""

    item: Item
    dimension: Dimension
    n_answers: int
    n_different: int
    is_decided: bool


def disagreements(packet: Packet) -> list[Disagreement]:
    """Every item and dimension with at least two different labels, what is undecided first, in the order of keys."""
    decided = Adjudication.objects.current().filter(item=OuterRef("assignment__item"), dimension=OuterRef("dimension"))
    rows = (
        Judgement.objects.counted()
        .filter(assignment__item__packet=packet, missing=None)
        .order_by("assignment__item__key", "dimension__position", "dimension__code")
        .values("assignment__item", "dimension")
        .annotate(
            n=Count("pk"),
            n_labels=Count("label", distinct=True),
            n_sets=Count("labels", distinct=True),
            is_decided=Exists(decided),
        )
        .filter(Q(n_labels__gt=1) | Q(n_sets__gt=1))
    )
    found = list(rows)
    items = packet.items.select_related("kind").in_bulk([row["assignment__item"] for row in found])
    dimensions = Dimension.objects.in_bulk([row["dimension"] for row in found])
    lines = [
        Disagreement(
            items[row["assignment__item"]],
            dimensions[row["dimension"]],
            row["n"],
            max(row["n_labels"], row["n_sets"]),
            row["is_decided"],
        )
        for row in found
    ]
    return sorted(lines, key=lambda line: line.is_decided)


def answers_to(item: Item, dimension: Dimension) -> QuerySet[Judgement]:
    """What the raters said, in terms of the texts in their stored order; extra answers are there and marked."""
    rows = Judgement.objects.current().filter(
        assignment__item=item, dimension=dimension, assignment__purpose="work", assignment__status="done"
    )
    return rows.select_related("assignment__rater", "label").order_by("assignment__rater__code")


def decisions_on(item: Item, dimension: Dimension) -> QuerySet[Adjudication]:
    """Every decision, the last one first; earlier ones are superseded and stay."""
    rows = Adjudication.objects.filter(item=item, dimension=dimension)
    return rows.select_related("label").order_by("-pk")


def stored_passages(item: Item) -> list[Passage]:
    """The texts of an item in their stored order: sides under the names of their parts, not as A and B."""
    texts = {text.part: text.text for text in item.texts.all()}
    return [Passage(part["label"], part["role"], texts[part["code"]]) for part in item.kind.parts]


def label_texts(dimension: Dimension) -> dict[str, str]:
    """The text of each label by its code."""
    return dict(dimension.labels.values_list("code", "text"))


def in_words(row: Any, texts: dict[str, str]) -> Sequence[str]:
    """The labels of a judgement or adjudication; empty where there is none."""
    if row.labels is not None:
        return [texts.get(code, code) for code in row.labels]
    return [row.label.text] if row.label is not None else []
