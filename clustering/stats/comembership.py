"""Counts of who is grouped with whom over replicates, beside reference groups."""

from __future__ import annotations

import numpy as np

from clustering.stats.distances import UNASSIGNED, membership
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.partitions import adjusted_rand

__all__ = ["METHOD_VERSION", "Tally"]

METHOD_VERSION = "1"


class Tally:
    """Counts over replicates.

    Parameters
    ----------
    reference : ndarray of int, shape (n_participants,)
        The groups in question, -1 for none.
    keep_pairs : bool
        Whether to count every pair, in two matrices of the square of the number of participants.
    """

    def __init__(self, reference: IntArray, *, keep_pairs: bool) -> None:
        n = len(reference)
        self.reference = reference
        self.n_groups = int(reference.max()) + 1 if n else 0
        self.n_defined = self.n_undefined = 0
        self.adjusted_rand: list[float] = []
        self.jaccard: list[list[float]] = [[] for _ in range(self.n_groups)]
        self._met, self._could_meet = np.zeros(n), np.zeros(n)
        shape = (n, n) if keep_pairs else (0, 0)
        self._together, self._both = np.zeros(shape), np.zeros(shape)
        self._keeps_pairs = keep_pairs

    def add(self, rows: IntArray, labels: IntArray | None) -> None:
        """Count one replicate: the rows drawn, in order, and their groups (None if undefined)."""
        if labels is None:
            self.n_undefined += 1
            return
        self.n_defined += 1
        everybody = np.full(len(self.reference), UNASSIGNED, dtype=np.int64)
        # From the last to the first: of somebody drawn more than once the first copy speaks.
        everybody[rows[::-1]] = labels[::-1]
        self.adjusted_rand.append(adjusted_rand(self.reference, everybody))
        both = (self.reference != UNASSIGNED) & (everybody != UNASSIGNED)
        own, now = self.reference[both], everybody[both]
        n_now = int(everybody.max()) + 1
        table = membership(own, self.n_groups).T @ membership(now, n_now)
        self._met[both] += table[own, now] - 1
        self._could_meet[both] += table.sum(axis=1)[own] - 1
        union = table.sum(axis=1, keepdims=True) + table.sum(axis=0, keepdims=True) - table
        for label in np.flatnonzero(table.any(axis=1)):
            self.jaccard[label].append(float((table[label] / np.maximum(union[label], 1)).max()))
        if self._keeps_pairs:
            members = membership(everybody, n_now)
            self._together += members @ members.T
            grouped = members.sum(axis=1)
            self._both += np.outer(grouped, grouped)

    def person(self) -> FloatArray:
        """Share of meetings that took place, of each person with their group."""
        return _ratio(self._met, self._could_meet)

    def pair_shares(self) -> FloatArray | None:
        """Share of replicates together, of each pair."""
        if not self._keeps_pairs:
            return None
        shares = _ratio(self._together, self._both)
        np.fill_diagonal(shares, np.nan)
        return shares


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    ratio: FloatArray = np.full(part.shape, np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio
