"""What is known of the items and raters of a packet, under the keys by which reports name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from annotation.models import Adjudication, HiddenFields, Item, ItemKind, ItemScore, Packet, Rater, Scorer
from annotation.stats.scales import IntArray
from annotation.stats.scorers import Scorer as Scores

_COLUMNS = (
    "item__key",
    "item__kind__code",
    "stratum",
    "reference",
    "pair",
    "source",
    "model",
    "is_covered",
    "distance",
    "repeats__key",
    "values",
)


@dataclass(frozen=True, slots=True, eq=False)
class KnownItems:
    """Items in the order of their keys, raters in the order of their codes, and what is known of them.

    Attributes
    ----------
    keys : of the items for work
    pks, places : primary keys of the items, and their places in `keys`
    kind_of : primary key of the kind of each item
    raters, rater_places, rater_kinds : codes; primary key to place; "human" or "model" by code
    """

    keys: tuple[str, ...]
    pks: IntArray
    places: IntArray
    kind_of: IntArray
    raters: tuple[str, ...]
    rater_places: Mapping[int, int]
    rater_kinds: Mapping[str, str]
    stratum: dict[str, str] = field(default_factory=dict)
    unit: dict[str, str] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)
    covered: dict[str, bool] = field(default_factory=dict)
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    repeats: dict[str, str] = field(default_factory=dict)
    adjudicated: dict[str, dict[str, str]] = field(default_factory=dict)
    scorers: tuple[Scores, ...] = ()

    @classmethod
    def of(cls, packet: Packet, *, with_hidden: bool) -> KnownItems:
        """Read from the database; hidden fields, scores and adjudications only if asked for."""
        rows = list(Item.objects.filter(packet=packet).work().order_by("key").values_list("key", "pk", "kind_id"))
        people = list(
            Rater.objects.filter(campaign=packet.campaign_id).order_by("code").values_list("code", "pk", "kind")
        )
        numbers = np.array([row[1:] for row in rows], np.int64).reshape(-1, 2)
        known = cls(
            keys=tuple(row[0] for row in rows),
            pks=numbers[:, 0],
            places=np.arange(len(rows)),
            kind_of=numbers[:, 1],
            raters=tuple(code for code, _pk, _kind in people),
            rater_places={pk: place for place, (_code, pk, _kind) in enumerate(people)},
            rater_kinds={code: "model" if kind == Rater.Kind.MODEL else "human" for code, _pk, kind in people},
            scorers=_scorers(packet) if with_hidden else (),
            adjudicated=_adjudicated(packet) if with_hidden else {},
        )
        if with_hidden:
            known.take_hidden(packet)
        return known

    def of_kind(self, kind: int) -> IntArray:
        """Places of the items of a kind."""
        return np.flatnonzero(self.kind_of == kind)

    def take_hidden(self, packet: Packet) -> None:
        """Fill in the hidden fields. A reference is one within its kind of item."""
        rows = HiddenFields.objects.filter(packet=packet, item__purpose=Item.Purpose.WORK).order_by("item__key")
        by_unit = {Packet.Unit.ITEM: None, Packet.Unit.PAIR: "pair", Packet.Unit.REFERENCE: "reference"}
        unit_column = by_unit[Packet.Unit(packet.resampling_unit)]
        for row in rows.values_list(*_COLUMNS).iterator(chunk_size=5000):
            found = dict(zip(_COLUMNS, row, strict=True))
            key = found["item__key"]
            if found["stratum"]:
                self.stratum[key] = found["stratum"]
            if unit_column and found[unit_column]:
                self.unit[key] = f"{found['item__kind__code']}/{found[unit_column]}"
            if source := found["source"] or found["model"]:
                self.source[key] = source
            if found["is_covered"] is not None:
                self.covered[key] = found["is_covered"]
            if found["repeats__key"]:
                self.repeats[key] = found["repeats__key"]
            self._take_numbers(key, {"distance": found["distance"], **found["values"]})

    def _take_numbers(self, key: str, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.numbers.setdefault(name, {})[key] = float(value)


def _scorers(packet: Packet) -> tuple[Scores, ...]:
    """Scores of items as wholes, and of the two sides of an item as pairs."""
    sides = {kind.pk: kind.sides for kind in ItemKind.objects.filter(packet=packet)}
    whole: dict[str, dict[str, float]] = {}
    parts: dict[str, dict[str, dict[str, float]]] = {}
    kind_of: dict[str, int] = {}
    rows = ItemScore.objects.filter(item__packet=packet).order_by("scorer__code", "item__key", "part")
    for name, key, kind, part, value in rows.values_list(
        "scorer__code", "item__key", "item__kind_id", "part", "value"
    ).iterator(chunk_size=5000):
        kind_of[key] = kind
        if part:
            parts.setdefault(name, {}).setdefault(key, {})[part] = value
        else:
            whole.setdefault(name, {})[key] = value
    found = []
    for scorer in Scorer.objects.filter(campaign=packet.campaign_id).order_by("code"):
        both = {
            key: (of[sides[kind_of[key]][0]], of[sides[kind_of[key]][1]])
            for key, of in parts.get(scorer.code, {}).items()
            if len(sides[kind_of[key]]) == 2 and set(sides[kind_of[key]]) <= of.keys()
        }
        found.append(Scores(scorer.code, scorer.family, scorer.higher_is_better, whole.get(scorer.code, {}), both))
    return tuple(found)


def _adjudicated(packet: Packet) -> dict[str, dict[str, str]]:
    rows = Adjudication.objects.current().filter(lock__packet=packet, label__isnull=False)
    found: dict[str, dict[str, str]] = {}
    for kind, code, key, label in rows.order_by("item__key").values_list(
        "dimension__kind__code", "dimension__code", "item__key", "label__code"
    ):
        found.setdefault(f"{kind}/{code}", {})[key] = label
    return found
