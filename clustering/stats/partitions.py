"""Groupings of the same people beside each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from clustering.stats.distances import UNASSIGNED
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix

__all__ = ["METHOD_VERSION", "Clusterer", "Labelled", "adjusted_rand", "numbered_by_first"]

METHOD_VERSION = "1"


class Labelled(Protocol):
    """What any clusterer returns."""

    @property
    def participants(self) -> tuple[str, ...]:
        """Keys of all rows of the matrix."""

    @property
    def labels(self) -> IntArray:
        """Group of each, -1 for none."""

    @property
    def undefined(self) -> str | None:
        """Why there are no groups."""


Clusterer = Callable[[VoteMatrix, int], Labelled]


def adjusted_rand(left: IntArray, right: IntArray) -> float:
    r"""Adjusted Rand index of two groupings of the same people.

    Parameters
    ----------
    left, right : ndarray of int, shape (n,)
        Groups from 0; who is in no group (-1) in either is left out.

    Returns
    -------
    float
        1 for equal groups, 0 on average for random ones with these sizes, down to -1. ``nan`` if both consist of
        one group, or both of groups of one: then any two groupings with these sizes are equal.

    Raises
    ------
    ValueError
        If the lengths differ.

    References
    ----------
    .. [1] L. Hubert, P. Arabie, Comparing partitions, Journal of Classification 2, 1985, equation 5.
    """
    if left.shape != right.shape:
        raise ValueError(f"{len(left)} labels beside {len(right)}")
    both = (left != UNASSIGNED) & (right != UNASSIGNED)
    table = _contingency(left[both], right[both])
    n_pairs = _pairs(both.sum())
    together = _pairs(table).sum()
    rows, columns = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    expected = rows * columns / n_pairs if n_pairs else 0.0
    largest = (rows + columns) / 2
    if largest == expected:
        return float("nan")
    return float((together - expected) / (largest - expected))


def numbered_by_first(labels: IntArray) -> IntArray:
    """Labels numbered by first member: equal for equal groups.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Any numbers, -1 for none.

    Returns
    -------
    ndarray of int, shape (n,)
        From 0; -1 stays.
    """
    numbers: dict[int, int] = {UNASSIGNED: UNASSIGNED}
    for label in labels.tolist():
        numbers.setdefault(label, len(numbers) - 1)
    return np.array([numbers[label] for label in labels.tolist()], dtype=np.int64)


def _contingency(left: IntArray, right: IntArray) -> FloatArray:
    if not len(left):
        return np.zeros((0, 0))
    table: FloatArray = np.zeros((int(left.max()) + 1, int(right.max()) + 1))
    np.add.at(table, (left, right), 1.0)
    return table


def _pairs(counts: Any) -> Any:
    return counts * (counts - 1) / 2
