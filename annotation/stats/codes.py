"""Judgements as integers: item, rater and label, each against a declared list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation.stats.scales import IntArray, Scale

__all__ = ["MISSING", "Codes", "Rated", "patterns"]

MISSING = -1
Rated = tuple[str, str, str]

_LARGEST_MATRIX = 200_000_000
_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """Judgements of one dimension in long form. What was not judged has no row.

    Attributes
    ----------
    items, raters : tuple of str
        Keys in canonical (ascending) order.
    scale : Scale
    item, rater, code : ndarray of int, shape (n_ratings,)
        Indices into `items`, `raters` and the labels of `scale`; no pair of item and rater occurs twice.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    scale: Scale
    item: IntArray
    rater: IntArray
    code: IntArray

    @classmethod
    def from_rows(
        cls, rows: Iterable[Rated], scale: Scale, *, items: Iterable[str] = (), raters: Iterable[str] = ()
    ) -> Codes:
        """Judgements given as (item, rater, label) in any order.

        Raises
        ------
        ValueError
            If a label was not declared, or a rater judges an item twice; the row is named.
        """
        given = list(rows)
        item_keys = tuple(sorted({row[0] for row in given} | set(items)))
        rater_keys = tuple(sorted({row[1] for row in given} | set(raters)))
        item_of = {key: index for index, key in enumerate(item_keys)}
        rater_of = {key: index for index, key in enumerate(rater_keys)}
        label_of = {label: index for index, label in enumerate(scale.labels)}
        seen: set[tuple[str, str]] = set()
        coded = np.empty((len(given), 3), dtype=np.int64)
        for number, (item, rater, label) in enumerate(given, 1):
            if label not in label_of:
                raise ValueError(f"row {number}: label {label!r} is not one of {', '.join(scale.labels)}")
            if (item, rater) in seen:
                raise ValueError(f"row {number}: rater {rater!r} judges item {item!r} a second time")
            seen.add((item, rater))
            coded[number - 1] = item_of[item], rater_of[rater], label_of[label]
        return cls(item_keys, rater_keys, scale, *np.ascontiguousarray(coded.T))

    @classmethod
    def from_matrix(
        cls, matrix: ArrayLike, scale: Scale, *, items: Sequence[str] | None = None, raters: Sequence[str] | None = None
    ) -> Codes:
        """Judgements as a matrix of label indices, items by raters, :data:`MISSING` where there is none.

        Raises
        ------
        ValueError
            If the matrix is not two-dimensional or holds an index outside the scale.
        """
        values = np.asarray(matrix)
        if values.ndim != 2:
            raise ValueError(f"a matrix of items by raters has two dimensions, not {values.ndim}")
        if values.size and (values.min() < MISSING or values.max() >= scale.size):
            raise ValueError(f"label indices lie between 0 and {scale.size - 1}, or are {MISSING} for missing")
        item, rater = np.nonzero(values != MISSING)
        names = (
            tuple(items) if items is not None else tuple(f"{i:09d}" for i in range(len(values))),
            tuple(raters) if raters is not None else tuple(f"{r:06d}" for r in range(values.shape[1])),
        )
        if (len(names[0]), len(names[1])) != values.shape:
            raise ValueError(f"{len(names[0])} items and {len(names[1])} raters do not fit a matrix of {values.shape}")
        return cls(*names, scale, item, rater, values[item, rater].astype(np.int64))

    @property
    def n_ratings(self) -> int:
        """How many judgements there are."""
        return len(self.code)

    def counts(self) -> IntArray:
        """How many raters put each item in each label: shape (n_items, n_labels)."""
        size = self.scale.size
        flat = np.bincount(self.item * size + self.code, minlength=len(self.items) * size)
        return flat.reshape(len(self.items), size)

    def matrix(self) -> IntArray:
        """Label indices, items by raters, :data:`MISSING` where there is none.

        Raises
        ------
        ValueError
            If there are so many items and raters that the matrix would not fit.
        """
        if len(self.items) * len(self.raters) > _LARGEST_MATRIX:
            raise ValueError(f"{len(self.items)} items by {len(self.raters)} raters are too many for a matrix")
        kind = np.int16 if self.scale.size < 2**15 else np.int64
        table = np.full((len(self.items), len(self.raters)), MISSING, dtype=kind)
        table[self.item, self.rater] = self.code
        return table

    def among(self, *, items: ArrayLike | None = None, raters: ArrayLike | None = None) -> Codes:
        """The judgements of some items by some raters (boolean masks); keys that are left out are gone."""
        keep_item = np.ones(len(self.items), bool) if items is None else np.asarray(items, bool)
        keep_rater = np.ones(len(self.raters), bool) if raters is None else np.asarray(raters, bool)
        rows = keep_item[self.item] & keep_rater[self.rater]
        new_item, new_rater = np.cumsum(keep_item) - 1, np.cumsum(keep_rater) - 1
        return Codes(
            tuple(key for key, kept in zip(self.items, keep_item, strict=True) if kept),
            tuple(key for key, kept in zip(self.raters, keep_rater, strict=True) if kept),
            self.scale,
            new_item[self.item[rows]],
            new_rater[self.rater[rows]],
            self.code[rows],
        )


def patterns(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct rows of counts, and which of them each item has.

    Items with equal rows are exchangeable for every statistic that looks at counts alone, so statistics and their
    bootstrap cost as much as there are patterns: with 5 raters and 4 labels at most 56, however many items.

    Returns
    -------
    rows : ndarray of int, shape (n_patterns, n_labels)
    index : ndarray of int, shape (n_items,)
    """
    base = int(counts.max(initial=0)) + 1
    if base ** counts.shape[1] < _LARGEST_KEY:
        keys = counts @ (base ** np.arange(counts.shape[1], dtype=np.int64))
        _, first, index = np.unique(keys, return_index=True, return_inverse=True)
        return counts[first], index.reshape(-1)
    rows, index = np.unique(counts, axis=0, return_inverse=True)
    return rows, index.reshape(-1)
