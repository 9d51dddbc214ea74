"""The columns of a table of items, by the kinds and hidden fields that a packet declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.definition.contradictions import HIDDEN_COLUMNS
from annotation.models import Dimension, Item, ItemKind, Packet
from core.tables import InputColumn, Kind, TableSpec

ID_LENGTH = 200
#: Columns of hidden fields and the columns of the model that hold them.
HIDDEN_FIELDS = {
    "stratum": "stratum",
    "reference": "reference",
    "pair": "pair",
    "source": "source",
    "model": "model",
    "covered": "is_covered",
    "distance": "distance",
}


@dataclass(frozen=True)
class Layout:
    """What a packet's items consist of."""

    kinds: Mapping[str, ItemKind]
    parts: Mapping[str, Sequence[str]]
    dimensions: Mapping[str, Mapping[str, Dimension]]
    further: Mapping[str, str] = field(default_factory=dict)

    @property
    def every_part(self) -> list[str]:
        """The codes of the texts of all kinds, each once."""
        return list(dict.fromkeys(code for codes in self.parts.values() for code in codes))


def layout_of(packet: Packet) -> Layout:
    """The layout of a packet."""
    kinds = {kind.code: kind for kind in packet.kinds.prefetch_related("dimensions__labels")}
    return Layout(
        kinds=kinds,
        parts={code: [part["code"] for part in kind.parts] for code, kind in kinds.items()},
        dimensions={code: {each.code: each for each in kind.dimensions.all()} for code, kind in kinds.items()},
        further={each["name"]: each["kind"] for each in packet.hidden_fields if each["name"] not in HIDDEN_COLUMNS},
    )


def table_spec(layout: Layout) -> TableSpec:
    """The columns that a file of items may have. Texts stand under the codes of their parts."""
    one_kind = len(layout.kinds) == 1
    shared = [code for code in layout.every_part if all(code in codes for codes in layout.parts.values())]
    columns = [
        InputColumn("external_id", maximum_length=ID_LENGTH),
        InputColumn("kind", optional=one_kind, nullable=one_kind, values=tuple(layout.kinds)),
        _free("purpose", values=tuple(Item.Purpose.values)),
        *(InputColumn(code, optional=code not in shared, nullable=code not in shared) for code in layout.every_part),
        *(_free(name, HIDDEN_COLUMNS[name]) for name in HIDDEN_FIELDS),
        *(_free(name, kind) for name, kind in layout.further.items()),
        _free("repeats"),
        _free("sequence"),
        InputColumn("place", Kind.INTEGER, optional=True, nullable=True, minimum=0, maximum=2_147_483_647),
        _free("proposals", Kind.JSON),
        _free("gold", Kind.JSON),
        _free("explanation"),
    ]
    return TableSpec(tuple(columns), unique=(("external_id",),))


def _free(name: str, kind: Kind | str = Kind.TEXT, values: Any = None) -> InputColumn:
    limit = ID_LENGTH if kind in (Kind.TEXT, "text") and name != "explanation" else None
    return InputColumn(name, kind, optional=True, nullable=True, blank=True, values=values, maximum_length=limit)
