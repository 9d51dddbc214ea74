"""The matrix behind every number: items in rows, raters in columns, and whether the item was used."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE, Judgements
from annotation.stats.material import Material

ABOUT = ("dimension", "item", "stratum", "unit", "is_repetition", "n_labels", "is_pairable", "is_complete")
WORDS = {CANNOT_JUDGE: "(cannot judge)", NOT_APPLICABLE: "(not applicable)"}


def write_matrix(material: Material, file: IO[str]) -> int:
    """Write the matrix as CSV and return its number of rows.

    `is_pairable` is used by agreement, `is_complete` by the listwise policy. An empty cell is no answer; cannot judge
    and not applicable stand in brackets. Repetitions count for test-retest alone.
    """
    raters = sorted({rater for each in material.dimensions for rater in each.raters})
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*ABOUT, *(_column(rater) for rater in raters)])
    n = 0
    for judgements in material.dimensions:
        for row in _rows(judgements, material, raters):
            writer.writerow(row)
            n += 1
    return n


def _column(rater: str) -> str:
    return f"rater {rater}" if rater in ABOUT else rater


def _rows(judgements: Judgements, material: Material, raters: list[str]) -> Iterator[list[Any]]:
    place_of = {rater: place for place, rater in enumerate(raters)}
    order = np.lexsort((judgements.rater, judgements.item))
    begins = np.searchsorted(judgements.item[order], np.arange(len(judgements.items) + 1))
    for number, item in enumerate(judgements.items):
        cells = [""] * len(raters)
        n_labels = 0
        for index in order[begins[number] : begins[number + 1]].tolist():
            code = int(judgements.code[index])
            n_labels += code >= 0
            label = judgements.scale.labels[code] if code >= 0 else WORDS.get(code, "")
            cells[place_of[judgements.raters[judgements.rater[index]]]] = label
        yield [
            judgements.dimension,
            item,
            material.stratum.get(item, ""),
            material.unit.get(item, item),
            _truth(item in material.repeats),
            n_labels,
            _truth(n_labels >= 2),
            _truth(n_labels == len(judgements.raters)),
            *cells,
        ]


def _truth(value: bool) -> str:
    return "true" if value else "false"
