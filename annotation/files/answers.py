"""Judgements as they are read: small numbers for texts, so that millions fit, each with its place in the file."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from annotation.stats.scales import IntArray


@dataclass(slots=True)
class Answers:
    """Judgements in the order of the file.

    Attributes
    ----------
    items, raters, dimensions, labels : each text and its number, in order of appearance
    rows : item, rater, dimension, label, line and column of each judgement, one after the other
    stratum, unit : what the file says of items
    kinds : "human" or "model", where the file says it
    covered : of items
    """

    items: dict[str, int] = field(default_factory=dict)
    raters: dict[str, int] = field(default_factory=dict)
    dimensions: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    rows: array[int] = field(default_factory=lambda: array("q"))
    stratum: dict[str, str] = field(default_factory=dict)
    unit: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    covered: dict[str, bool] = field(default_factory=dict)

    def add(self, item: str, rater: str, dimension: str, label: str, line: int, column: int) -> None:
        """Take in a judgement."""
        items, raters, dimensions, labels = self.items, self.raters, self.dimensions, self.labels
        self.rows.extend(
            (
                items.setdefault(item, len(items)),
                raters.setdefault(rater, len(raters)),
                dimensions.setdefault(dimension, len(dimensions)),
                labels.setdefault(label, len(labels)),
                line,
                column,
            )
        )

    def table(self) -> IntArray:
        """The judgements, shape (n, 6)."""
        return np.frombuffer(self.rows, dtype=np.int64).reshape(-1, 6) if self.rows else np.zeros((0, 6), np.int64)
