"""Judgements as integers: item, rater and label, each against a declared list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annotation.stats.scales import IntArray, Scale

__all__ = ["CANNOT_JUDGE", "MISSING", "NOT_APPLICABLE", "SPECIAL", "Codes", "Judgements", "Rated", "patterns"]

MISSING = -1
CANNOT_JUDGE = -2
NOT_APPLICABLE = -3
SPECIAL = 3
"""How many codes stand for no label; added to a code it is an index from 0."""

Rated = tuple[str, str, str]

_LARGEST_MATRIX = 100_000_000
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
        columns = zip(*given, strict=True) if given else ((), (), ())
        item, rater, label = columns
        return cls.from_columns(item, rater, label, scale, items=items, raters=raters)

    @classmethod
    def from_columns(
        cls,
        item: Sequence[str],
        rater: Sequence[str],
        label: Sequence[str],
        scale: Scale,
        *,
        items: Iterable[str] = (),
        raters: Iterable[str] = (),
    ) -> Codes:
        """Judgements given as three columns of equal length, in any order.

        Raises
        ------
        ValueError
            As :meth:`from_rows`.
        """
        found = Judgements.from_columns("", item, rater, label, scale, items=items, raters=raters)
        return cls(found.items, found.raters, scale, found.item, found.rater, found.code)

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


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """All answers on one dimension: labels, and why there is none. What was not answered has no row.

    Attributes
    ----------
    dimension : str
    items, raters : tuple of str
        Keys in canonical (ascending) order.
    scale : Scale
    item, rater, code : ndarray of int, shape (n_answers,)
        Indices; `code` is a label of `scale`, :data:`CANNOT_JUDGE` or :data:`NOT_APPLICABLE`.
    matches : tuple of str
        Labels that count as a match in the strict summary.
    cannot_judge : {"missing", "category"}
        What "cannot judge" counts as in the primary analysis.
    cannot_judge_label : str
        What it is called where it counts as a label.
    knows_raters : bool
        False if only counts of labels are known, and raters are numbered within each item.
    """

    dimension: str
    items: tuple[str, ...]
    raters: tuple[str, ...]
    scale: Scale
    item: IntArray
    rater: IntArray
    code: IntArray
    matches: tuple[str, ...] = ()
    cannot_judge: str = "missing"
    cannot_judge_label: str = "cannot judge"
    knows_raters: bool = True

    @classmethod
    def of(cls, codes: Codes, dimension: str = "", **declared: Any) -> Judgements:
        """Answers that are all labels."""
        return cls(dimension, codes.items, codes.raters, codes.scale, codes.item, codes.rater, codes.code, **declared)

    @classmethod
    def from_columns(
        cls,
        dimension: str,
        item: Sequence[str],
        rater: Sequence[str],
        label: Sequence[str],
        scale: Scale,
        *,
        special: Mapping[str, int] | None = None,
        items: Iterable[str] = (),
        raters: Iterable[str] = (),
        **declared: Any,
    ) -> Judgements:
        """Answers given as three columns of equal length, in any order.

        Parameters
        ----------
        special : mapping of str to int, optional
            What stands for :data:`CANNOT_JUDGE` and :data:`NOT_APPLICABLE` in the column of labels.

        Raises
        ------
        ValueError
            If a label was not declared, or a rater judges an item twice; the row is named.
        """
        code_of = {**(special or {}), **{name: index for index, name in enumerate(scale.labels)}}
        item_keys, items_coded = _coded(item, items)
        rater_keys, raters_coded = _coded(rater, raters)
        code = np.fromiter((code_of.get(name, MISSING) for name in label), np.int64, len(label))
        if (code == MISSING).any():
            row = int((code == MISSING).argmax())
            raise ValueError(f"row {row + 1}: label {label[row]!r} is not one of {', '.join(scale.labels)}")
        second = _second(items_coded * max(1, len(rater_keys)) + raters_coded)
        if second is not None:
            raise ValueError(f"row {second + 1}: rater {rater[second]!r} judges item {item[second]!r} a second time")
        return cls(dimension, item_keys, rater_keys, scale, items_coded, raters_coded, code, **declared)

    @property
    def fits_a_matrix(self) -> bool:
        """Whether items by raters are few enough for a matrix."""
        return len(self.items) * len(self.raters) <= _LARGEST_MATRIX

    def matrix(self) -> IntArray:
        """Codes, items by raters, :data:`MISSING` where there is no answer.

        Raises
        ------
        ValueError
            If there are so many items and raters that the matrix would not fit.
        """
        if not self.fits_a_matrix:
            raise ValueError(f"{len(self.items)} items by {len(self.raters)} raters are too many for a matrix")
        kind = np.int8 if self.scale.size < 2**7 else np.int64
        table = np.full((len(self.items), len(self.raters)), MISSING, dtype=kind)
        table[self.item, self.rater] = self.code
        return table

    def slots(self, raters: ArrayLike) -> IntArray:
        """Codes of some raters (boolean mask), items by the most answers that one has: who gave them is lost."""
        kept = np.asarray(raters, bool)[self.rater]
        item, code = self.item[kept], self.code[kept]
        order = np.argsort(item, kind="stable")
        item, code = item[order], code[order]
        n_of = np.bincount(item, minlength=len(self.items))
        place = np.arange(len(item)) - np.repeat(np.cumsum(n_of) - n_of, n_of)
        table = np.full((len(self.items), max(1, int(n_of.max(initial=0)))), MISSING, dtype=np.int64)
        table[item, place] = code
        return table


def _coded(given: Sequence[str], more: Iterable[str]) -> tuple[tuple[str, ...], IntArray]:
    """The keys in ascending order, and the index of each one given."""
    keys = tuple(sorted(set(given).union(more)))
    index_of = {key: index for index, key in enumerate(keys)}
    return keys, np.fromiter(map(index_of.__getitem__, given), np.int64, len(given))


def _second(keys: IntArray) -> int | None:
    """The first place at which a key stands a second time."""
    order = np.argsort(keys, kind="stable")
    again = keys[order][1:] == keys[order][:-1]
    return int(order[1:][again].min()) if again.any() else None


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
