"""Partitions that growth ended in: their small groups dealt with, and how well they are apart."""

from __future__ import annotations

import numpy as np

from clustering.stats.distances import UNASSIGNED, silhouette_samples
from clustering.stats.growth import dissolve_small, exclude_small
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.readings import Readings
from clustering.stats.spaces import Space

__all__ = ["METHOD_VERSION", "Fits"]

METHOD_VERSION = "1"


class Fits:
    """Finished and scored partitions, each computed once: most settings lead to the same few.

    Parameters
    ----------
    space : Space
    distances : ndarray of float, shape (n_points, n_points)
        Between participants, for the silhouette; ``nan`` for a pair that is left out of it.
    readings : Readings
    """

    def __init__(self, space: Space, distances: FloatArray, readings: Readings) -> None:
        self._space = space
        self._distances = distances
        self._readings = readings
        self._finished: dict[tuple[bytes, int], IntArray] = {}
        self._scores: dict[bytes, tuple[float, str | None]] = {}

    def scored(self, grown: IntArray, minimum_size: int) -> tuple[IntArray, float, str | None]:
        """Labels under a minimum size, their silhouette, and why they cannot be chosen."""
        key = (grown.tobytes(), minimum_size)
        if key not in self._finished:
            if self._readings.small_groups == "exclude":
                self._finished[key] = exclude_small(grown, minimum_size)
            else:
                self._finished[key] = dissolve_small(self._space, grown, minimum_size)
        labels = self._finished[key]
        if labels.tobytes() not in self._scores:
            self._scores[labels.tobytes()] = self._score(labels)
        return labels, *self._scores[labels.tobytes()]

    def _score(self, labels: IntArray) -> tuple[float, str | None]:
        n_groups = int(labels.max()) + 1
        if n_groups == 0:
            return float("nan"), "no group reaches the minimum size"
        if n_groups == 1:
            return float("nan"), "one group: nothing to compare it with"
        if n_groups == len(labels):
            return float("nan"), "every participant is a group of one"
        grouped = labels != UNASSIGNED
        distances = self._distances if grouped.all() else self._distances[np.ix_(grouped, grouped)]
        scores = silhouette_samples(distances, labels[grouped])
        # Those put into no group count 0. Singletons have 0 already: skipping them only takes them from the number.
        n = len(labels)
        if self._readings.singletons == "skip":
            n -= int((np.bincount(labels[grouped]) == 1).sum())
        return float(scores.mean() * len(scores) / n), None
