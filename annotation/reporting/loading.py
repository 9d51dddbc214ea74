"""A packet's judgements as the material of a report: integers from the database, and what is known of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.models import Assignment, Dimension, Judgement, Packet
from annotation.reporting.items import KnownItems
from annotation.stats.codes import CANNOT_JUDGE, MISSING, NOT_APPLICABLE, Judgements
from annotation.stats.labelsets import set_judgements
from annotation.stats.material import Material, Shown
from annotation.stats.scales import FloatArray, IntArray, Scale
from core.integers import integer_table

CODES = {
    Judgement.Missing.CANNOT_JUDGE: CANNOT_JUDGE,
    Judgement.Missing.NOT_APPLICABLE: NOT_APPLICABLE,
}
UNIT_NAMES = {Packet.Unit.ITEM: "items", Packet.Unit.PAIR: "pairs", Packet.Unit.REFERENCE: "references"}

_QUERY = """
    SELECT CAST(a.item_id AS bigint), CAST(a.rater_id AS bigint), CAST(COALESCE(j.label_id, 0) AS bigint),
           CAST(CASE j.missing WHEN 'cannot_judge' THEN -2 WHEN 'not_applicable' THEN -3 ELSE -1 END AS bigint),
           CAST(CASE WHEN j.swapped THEN 1 ELSE 0 END AS bigint)
    FROM annotation_judgement j
    JOIN annotation_assignment a ON a.id = j.assignment_id
    JOIN annotation_item i ON i.id = a.item_id
    WHERE j.dimension_id = %s AND j.superseded_at IS NULL AND a.purpose = %s AND a.status = 'done'
          AND NOT a.is_extra AND i.purpose = 'work'
"""


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A dimension's answers: which item, who, what, and whether the sides were swapped."""

    item: IntArray
    rater: IntArray
    code: IntArray
    swapped: IntArray


def material_of(packet: Packet, *, with_hidden: bool) -> Material:
    """All that analyses take of a packet: current answers of real work that is done and not extra.

    Without hidden fields there are no strata, no units but items, no sources, distances, scores or repetitions.
    """
    known = KnownItems.of(packet, with_hidden=with_hidden)
    dimensions = list(
        Dimension.objects.filter(kind__packet=packet)
        .select_related("kind", "depends_on")
        .prefetch_related("labels")
        .order_by("kind__position", "kind__code", "position", "code")
    )
    judgements: list[Judgements] = []
    set_weights: dict[str, Mapping[str, FloatArray]] = {}
    shown: dict[str, Shown] = {}
    swaps: dict[str, Mapping[str, tuple[IntArray, IntArray]]] = {}
    for dimension in dimensions:
        name = name_of(dimension)
        if not len(known.of_kind(dimension.kind_id)):
            continue
        if dimension.scale == Dimension.Scale.MULTIPLE:
            found, set_weights[name] = _sets(dimension, known)
            judgements.append(found)
            continue
        loaded = _loaded(dimension, known, Assignment.Purpose.WORK)
        judgements.append(_judgements(dimension, known, loaded))
        mirror = _mirror(dimension)
        if mirror is not None:
            shown[name] = Shown(mirror, loaded.swapped.astype(bool))
        again = _loaded(dimension, known, Assignment.Purpose.SWAP)
        if len(again.item):
            swaps[name] = _swaps(loaded, again, known.raters)
    return Material(
        dimensions=tuple(judgements),
        kinds=known.rater_kinds,
        stratum=known.stratum,
        unit=known.unit,
        unit_name=UNIT_NAMES[Packet.Unit(packet.resampling_unit)] if known.unit else "items",
        covered=known.covered,
        numbers=known.numbers,
        set_weights=set_weights,
        scorers=known.scorers,
        adjudicated=known.adjudicated,
        source=known.source,
        repeats=known.repeats,
        shown=shown,
        swaps=swaps,
        conditions={name_of(each): _condition(each) for each in dimensions if each.depends_on is not None},
    )


def name_of(dimension: Dimension) -> str:
    """What a dimension is called in reports: its kind of item and its code."""
    return f"{dimension.kind.code}/{dimension.code}"


def _condition(dimension: Dimension) -> str:
    assert dimension.depends_on is not None, "asked of dependent dimensions only"
    return f"{dimension.depends_on.code}: {', '.join(dimension.depends_labels)}"


def scale_of(dimension: Dimension) -> Scale:
    """The declared scale. Values that repeat are no measure: then ranks in the declared order stand for them."""
    labels = list(dimension.labels.all())
    values = [label.value for label in labels]
    known = [value for value in values if value is not None]
    is_measured = len(known) == len(labels) and len(set(known)) == len(known)
    level = {"nominal": "nominal", "ordinal": "ordinal", "interval": "interval"}[dimension.scale]
    if level == "interval" and not is_measured:
        level = "ordinal"
    return Scale(tuple(label.code for label in labels), level, tuple(known) if is_measured else None)  # type: ignore[arg-type]


def _loaded(dimension: Dimension, known: KnownItems, purpose: str) -> Loaded:
    table = integer_table(_QUERY, [dimension.pk, str(purpose)], 5)
    code_of = {label.pk: place for place, label in enumerate(dimension.labels.all())}
    label = _looked_up(table[:, 2], list(code_of), list(code_of.values()))
    code = np.where(table[:, 2] > 0, label, table[:, 3])
    item = _looked_up(table[:, 0], known.pks, known.places)
    rater = _looked_up(table[:, 1], list(known.rater_places), list(known.rater_places.values()))
    kept = (code != MISSING) & (item >= 0)
    item, rater, code, swapped = (each[kept] for each in (item, rater, code, table[:, 4]))
    # In canonical order, so that equal data give equal bytes whatever order the database has.
    order = np.argsort(item * max(1, len(known.raters)) + rater, kind="stable")
    return Loaded(item[order], rater[order], code[order], swapped[order])


def _looked_up(keys: IntArray, known: Sequence[int] | IntArray, values: Sequence[int] | IntArray) -> IntArray:
    """The value of each key; -1 for one that is not known."""
    names, found = np.asarray(known, np.int64), np.asarray(values, np.int64)
    if not len(names):
        return np.full(len(keys), -1, np.int64)
    order = np.argsort(names)
    place = np.minimum(np.searchsorted(names[order], keys), len(names) - 1)
    return np.asarray(np.where(names[order][place] == keys, found[order][place], -1), np.int64)


def _judgements(dimension: Dimension, known: KnownItems, loaded: Loaded) -> Judgements:
    """The answers to one dimension, on the items of its kind and by the raters of the campaign who gave any."""
    items, item = _only(known.keys, loaded.item, known.of_kind(dimension.kind_id))
    raters, rater = _only(known.raters, loaded.rater, np.unique(loaded.rater))
    label = dimension.cannot_judge_label or "cannot judge"
    scale = scale_of(dimension)
    return Judgements(
        dimension=name_of(dimension),
        items=items,
        raters=raters,
        scale=scale,
        item=item,
        rater=rater,
        code=loaded.code,
        matches=tuple(each.code for each in dimension.labels.all() if each.is_match),
        cannot_judge="category" if dimension.cannot_judge == Dimension.CannotJudge.CATEGORY else "missing",
        cannot_judge_label=label if label not in scale.labels else f"{label} *",
    )


def _only(keys: Sequence[str], places: IntArray, kept: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Some keys, in their order, and places among them."""
    new = np.full(len(keys) + 1, -1, np.int64)
    new[kept] = np.arange(len(kept))
    return tuple(keys[place] for place in kept.tolist()), new[places]


def _mirror(dimension: Dimension) -> IntArray | None:
    """The label that each becomes when sides change; None if labels speak of no side."""
    labels = list(dimension.labels.all())
    place_of = {label.pk: place for place, label in enumerate(labels)}
    if not any(label.mirror_id for label in labels):
        return None
    pairs = [place_of.get(label.mirror_id or label.pk, place) for place, label in enumerate(labels)]
    return np.array(pairs, np.int64)


def _swaps(once: Loaded, again: Loaded, raters: Sequence[str]) -> dict[str, tuple[IntArray, IntArray]]:
    """Codes of each judge on the items asked both ways."""
    first = {(i, r): c for i, r, c in zip(once.item.tolist(), once.rater.tolist(), once.code.tolist(), strict=True)}
    found: dict[str, list[tuple[int, int]]] = {}
    for i, r, c in zip(again.item.tolist(), again.rater.tolist(), again.code.tolist(), strict=True):
        if (i, r) in first:
            found.setdefault(raters[r], []).append((first[i, r], c))
    columns = {rater: np.array(pairs, np.int64).T for rater, pairs in found.items()}
    return {rater: (pair[0], pair[1]) for rater, pair in columns.items()}


def _sets(dimension: Dimension, known: KnownItems) -> tuple[Judgements, Mapping[str, FloatArray]]:
    """Answers that are sets of labels. "Cannot judge" is missing here: a set distance knows no such set."""
    order = [label.code for label in dimension.labels.all()]
    rows: Iterable[tuple[str, str, Any]] = (
        Judgement.objects.counted()
        .filter(dimension=dimension, labels__isnull=False, assignment__item__purpose="work")
        .order_by("assignment__item__key", "assignment__rater__code")
        .values_list("assignment__item__key", "assignment__rater__code", "labels")
        .iterator(chunk_size=5000)
    )
    given = [(item, rater, frozenset(labels)) for item, rater, labels in rows]
    return set_judgements(
        name_of(dimension), [row[0] for row in given], [row[1] for row in given], [row[2] for row in given], order
    )
