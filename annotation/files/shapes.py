"""Which of the four shapes a file has, told by its header and first rows; and which columns mean what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from django.utils.translation import gettext as _

from annotation.files.grids import Cells
from annotation.files.options import COUNTS, LONG, TABLE, WIDE

ITEM = ("item", "item_id", "item_key", "external_id", "subject", "document", "task_id", "id", "patient")
RATER = ("rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "judge", "coder", "observer")
LABEL = ("label", "rating", "value", "answer", "judgement", "judgment", "code", "vote", "annotation", "response")
DIMENSION = ("dimension", "criterion", "aspect")
STRATUM = ("stratum", "strata", "group")
KIND = ("rater_kind", "kind")
MISSING = ("missing",)
COVERED = ("covered", "is_covered")

_INTEGER = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape and how it was found out; `note` is empty if it was told or there is no other."""

    format: str
    note: str = ""


def column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """The place of the first column that has one of the names, case aside."""
    low = [text.strip().casefold() for text in header]
    return next((low.index(name) for name in names if name in low), None)


def shape_of(name: str, header: Sequence[str], first: Sequence[Cells], apart: Sequence[int]) -> Shape:
    """The shape of a file, from its header and its first rows.

    Parameters
    ----------
    apart : sequence of int
        Columns that say something about items and hold no judgements.
    """
    if column(header, RATER) is not None and column(header, LABEL) is not None:
        return Shape(LONG)
    if is_table(header, first):
        return Shape(TABLE)
    places = [place for place in range(len(header)) if place not in apart]
    numbers = [[row[place] for place in places] for row in first]
    if not first or not all(cell is not None and _INTEGER.fullmatch(cell.strip()) for row in numbers for cell in row):
        return Shape(WIDE)
    sums = {sum(int(cell) for cell in row if cell) for row in numbers}
    if "count" in PurePath(name).stem.casefold():
        return Shape(
            COUNTS, _("Taken as counts of labels by its name; if raters stand in columns, say so by --format wide.")
        )
    if len(sums) == 1 and min(sums) >= 2 and len(first) > 1 and any(cell == "0" for row in numbers for cell in row):
        note = _("Taken as counts, since all rows have one sum; if raters stand in columns, say so by --format wide.")
        return Shape(COUNTS, note)
    note = _("Taken as ratings with raters in columns; if these are counts of labels, say so by --format counts.")
    return Shape(WIDE, note)


def is_table(header: Sequence[str], rows: Sequence[Cells]) -> bool:
    r"""Whether labels of one rater stand in rows and those of the other in columns, as in ``A\B,yes,no``."""
    labels = list(header[1:])
    if len(labels) < 2 or [row[0] or "" for row in rows] != labels:
        return False
    return all(cell is not None and _NUMBER.fullmatch(cell.strip()) for row in rows for cell in row[1:])
