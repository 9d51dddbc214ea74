"""What is known of each item: how often each label was chosen, by whom in the end, and how much raters disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE, Judgements
from annotation.stats.dispersion import entropy
from annotation.stats.scales import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "ItemTable", "item_table", "label_values", "majority", "mean_values"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class ItemTable:
    """Items of one dimension, one entry each.

    Attributes
    ----------
    items : tuple of str
    labels : tuple of str
    counts : ndarray of int, shape (n_items, q)
    cannot_judge, not_applicable : ndarray of int, shape (n_items,)
    mean : ndarray of float
        Mean of the labels' values; ``nan`` without a label, or where labels stand for nothing in order.
    entropy : ndarray of float
    majority : tuple of str or None
        The label of more than half of the raters who gave one; None without one.
    """

    items: tuple[str, ...]
    labels: tuple[str, ...]
    counts: IntArray
    cannot_judge: IntArray
    not_applicable: IntArray
    mean: FloatArray
    entropy: FloatArray
    majority: tuple[str | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        return {
            "items": list(self.items),
            "labels": list(self.labels),
            "counts": self.counts.tolist(),
            "cannot_judge": self.cannot_judge.tolist(),
            "not_applicable": self.not_applicable.tolist(),
            "mean": [float(value) if np.isfinite(value) else None for value in self.mean],
            "entropy": [float(value) if np.isfinite(value) else None for value in self.entropy],
            "majority": list(self.majority),
        }


def label_values(judgements: Judgements) -> FloatArray | None:
    """The numbers that labels stand for: declared values, or ranks from 0 in declared order; None without order."""
    scale = judgements.scale
    if scale.values is not None:
        return np.asarray(scale.values, np.float64)
    return None if scale.level == "nominal" else np.arange(scale.size, dtype=np.float64)


def mean_values(counts: IntArray, values: FloatArray | None) -> FloatArray:
    """Mean value of the labels of each item; ``nan`` without a label or without values."""
    total = counts.sum(axis=1)
    if values is None:
        return np.full(len(counts), np.nan)
    result = np.full(len(counts), np.nan)
    np.divide(counts @ values, total, out=result, where=total > 0)
    return result


def majority(counts: IntArray, labels: Sequence[str]) -> tuple[str | None, ...]:
    """The label that more than half of the raters of each item chose; None where none has so many."""
    total = counts.sum(axis=1)
    top = counts.argmax(axis=1) if counts.shape[1] else np.zeros(len(counts), np.int64)
    wins = 2 * counts.max(axis=1, initial=0) > total
    return tuple(labels[k] if won else None for k, won in zip(top.tolist(), wins.tolist(), strict=True))


def counts_of(judgements: Judgements, raters: Sequence[int] | None = None) -> IntArray:
    """How many of some raters put each item in each label: shape (n_items, q)."""
    kept = judgements.code >= 0
    if raters is not None:
        kept &= np.isin(judgements.rater, np.asarray(raters, np.int64))
    size, n = judgements.scale.size, len(judgements.items)
    flat = judgements.item[kept] * size + judgements.code[kept]
    return np.bincount(flat, minlength=n * size).reshape(n, size)


def item_table(judgements: Judgements, *, base: float = 2.0, raters: Sequence[int] | None = None) -> ItemTable:
    """The table of all items of a dimension, over all or some raters."""
    counts = counts_of(judgements, raters)
    n = len(judgements.items)
    special = [
        np.bincount(judgements.item[judgements.code == code], minlength=n) for code in (CANNOT_JUDGE, NOT_APPLICABLE)
    ]
    return ItemTable(
        items=judgements.items,
        labels=judgements.scale.labels,
        counts=counts,
        cannot_judge=special[0],
        not_applicable=special[1],
        mean=mean_values(counts, label_values(judgements)),
        entropy=entropy(counts, base=base),
        majority=majority(counts, judgements.scale.labels),
    )
