"""The two spaces in which opinion groups are sought: the plane of the projection, and the votes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from clustering.stats.distances import (
    euclidean_distances,
    membership,
    shared_rms,
    shared_vote_distances,
)
from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "ProjectionSpace", "Space", "VoteSpace"]

METHOD_VERSION = "1"


class Space(Protocol):
    """Where participants and centres live, and how far apart they are."""

    n_points: int

    def centres(self, labels: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Mean and known dimensions of each group."""

    def to_centres(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance of every point to every centre; inf where undefined."""

    def between(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance between all centres; inf where undefined."""

    def pairwise(self) -> FloatArray:
        """Distance between all points, for the silhouette."""


class ProjectionSpace:
    """The plane of the sparsity-scaled projection, Euclidean.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
    """

    def __init__(self, points: FloatArray) -> None:
        self._points = points
        self.n_points = len(points)

    def centres(self, labels: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Mean of each group; every dimension is known."""
        members = membership(labels, n_groups).T
        means = (members @ self._points) / members.sum(axis=1, keepdims=True)
        return means, np.ones_like(means)

    def to_centres(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Euclidean distance of points to centres."""
        return euclidean_distances(self._points, centres[0])

    def between(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Euclidean distance between centres."""
        return euclidean_distances(centres[0], centres[0])

    def pairwise(self) -> FloatArray:
        """Euclidean distance between points."""
        return euclidean_distances(self._points, self._points)


class VoteSpace:
    """The raw votes: root mean squared difference over the statements known on both sides.

    Parameters
    ----------
    values : ndarray of float, shape (n_points, n_statements)
        Votes, ``nan`` where missing.
    """

    def __init__(self, values: FloatArray) -> None:
        self._values = values
        self._known = (~np.isnan(values)).astype(np.float64)
        self._votes = np.nan_to_num(values)
        self.n_points = len(values)

    def centres(self, labels: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Mean vote of each group, known wherever some member voted."""
        members = membership(labels, n_groups).T
        counts = members @ self._known
        means = (members @ self._votes) / np.maximum(counts, 1.0)
        return means, (counts > 0).astype(np.float64)

    def to_centres(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance over a participant's votes that the centre knows."""
        return shared_rms(self._votes, self._known, *centres)

    def between(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance between centres over the statements both know."""
        return shared_rms(*centres, *centres)

    def pairwise(self) -> FloatArray:
        """Distance between participants; undefined pairs at the mean distance."""
        return shared_vote_distances(self._values)
