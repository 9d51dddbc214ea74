"""One row of a table of items, understood: what is to be stored, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.items.columns import HIDDEN_FIELDS, Layout
from annotation.models import Dimension, Item
from core.errors import Problems, nearest
from core.tables import Row


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item as a file or a draw wants it. `sequence` is the name given outside; it is stored as hidden."""

    external_id: str
    kind: str
    purpose: str
    texts: Mapping[str, str]
    hidden: Mapping[str, Any]
    values: Mapping[str, Any]
    proposals: Mapping[str, list[str]]
    gold: Mapping[str, list[str]]
    explanation: str = ""
    repeats: str | None = None
    sequence: str = ""
    place: int | None = None
    row: Row | None = None


def wanted(row: Row, layout: Layout, problems: Problems) -> Wanted | None:
    """The item that a row describes; None, and its problems, if it is none."""
    before = len(problems)
    kind = row["kind"] or next(iter(layout.kinds))
    found = Wanted(
        external_id=row["external_id"],
        kind=kind,
        purpose=row["purpose"] or str(Item.Purpose.WORK),
        texts=_texts(row, kind, layout, problems),
        hidden={column: _value(row[name], name) for name, column in HIDDEN_FIELDS.items()},
        values={name: row[name] for name in layout.further if row[name] is not None},
        proposals=_labels(row, "proposals", layout.dimensions[kind], problems),
        gold=_labels(row, "gold", layout.dimensions[kind], problems),
        explanation=row["explanation"] or "",
        repeats=row["repeats"] or None,
        sequence=row["sequence"] or "",
        place=row["place"],
        row=row,
    )
    _check(found, row, problems)
    return found if len(problems) == before else None


def _value(value: Any, name: str) -> Any:
    return value if name in ("covered", "distance") else value or ""


def _texts(row: Row, kind: str, layout: Layout, problems: Problems) -> dict[str, str]:
    parts = layout.parts[kind]
    for code in layout.every_part:
        if code in parts and row[code] is None:
            message = _("Items of kind %(kind)s need this text.") % {"kind": kind}
            problems.add(row.problem(code, message, _("Fill it in.")))
        elif code not in parts and row[code] is not None:
            message = _("Items of kind %(kind)s have no such text.") % {"kind": kind}
            problems.add(row.problem(code, message, _("Leave the cell empty.")))
    return {code: row[code] for code in parts if row[code] is not None}


def _labels(row: Row, column: str, dimensions: Mapping[str, Dimension], problems: Problems) -> dict[str, list[str]]:
    """Labels by dimension, as in ``{"use": "clearly"}`` or ``{"categories": ["ideas", "advice"]}``."""
    given = row[column]
    if given is None:
        return {}
    if not isinstance(given, dict):
        message = _("Labels by dimension are expected here.")
        problems.add(row.problem(column, message, _('Write for instance {"dimension": "label"}.')))
        return {}
    found = {}
    for code, labels in given.items():
        listed = labels if isinstance(labels, list) else [labels]
        dimension = dimensions.get(code)
        if dimension is None:
            problems.add(row.problem(column, _("There is no such dimension."), nearest(code, dimensions)))
            continue
        known = [label.code for label in dimension.labels.all()]
        for label in listed:
            if label not in known:
                problems.add(row.problem(column, _("There is no such label."), nearest(str(label), known)))
        found[code] = [label for label in known if label in listed]
    return found


def _check(found: Wanted, row: Row, problems: Problems) -> None:
    if (found.sequence == "") != (found.place is None):
        problems.add(row.problem("place", _("A sequence and a place in it go together."), _("Give both, or neither.")))
    if found.purpose == Item.Purpose.WORK and found.gold:
        message = _("Items to be judged have no right answer.")
        problems.add(row.problem("gold", message, _("Write training or gold as their purpose.")))
    if found.purpose != Item.Purpose.WORK and not found.gold:
        message = _("Training and gold items need a right answer.")
        problems.add(row.problem("gold", message, _('Write for instance {"dimension": "label"}.')))
    if found.repeats == found.external_id:
        problems.add(row.problem("repeats", _("An item cannot repeat itself."), _("Give it an id of its own.")))
