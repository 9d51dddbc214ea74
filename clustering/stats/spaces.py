"""The two spaces in which opinion groups are sought: the projection, and the votes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from clustering.stats.distances import (
    euclidean_distances,
    membership,
    shared_squares,
)
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.projection import participant_coordinates

__all__ = ["METHOD_VERSION", "ProjectionSpace", "Space", "VoteSpace", "places_on_axes"]

METHOD_VERSION = "1"

# An axis that holds less than this part of the first one's singular value is no dimension.
TOLERANCE = 1e-9


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
        """Distance between all points, for the silhouette; inf where undefined."""


def places_on_axes(values: FloatArray, n_axes: int) -> FloatArray:
    """Places of participants on any number of axes, by the formula of :func:`clustering.stats.projection.project`.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        Votes, ``nan`` where missing; somebody voted on each statement.
    n_axes : int

    Returns
    -------
    ndarray of float, shape (n_participants, n_axes)
        0 on axes that the votes do not have. Signs are arbitrary and change no distance.
    """
    means = np.nanmean(values, axis=0)
    centred = np.where(np.isnan(values), 0.0, values - means)
    _, singular, right = np.linalg.svd(centred, full_matrices=False)
    components = np.zeros((n_axes, values.shape[1]))
    kept = singular[:n_axes] > TOLERANCE * singular[0]
    components[: len(kept)][kept] = right[: len(kept)][kept]
    return participant_coordinates(values, means, components)


class ProjectionSpace:
    """The sparsity-scaled projection, Euclidean.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, n_axes)
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
    """The raw votes: distances over the statements known on both sides.

    Parameters
    ----------
    values : ndarray of float, shape (n_points, n_statements)
        Votes, ``nan`` where missing.
    scaling : {"shared", "total", "participant", "none"}, default "shared"
        What the sum of squared differences is multiplied by: see :class:`clustering.stats.readings.Readings`.
    n_dimensions : int, optional
        The `d` of the scaling; by default the number of columns.
    """

    def __init__(self, values: FloatArray, scaling: str = "shared", n_dimensions: int | None = None) -> None:
        self._known = (~np.isnan(values)).astype(np.float64)
        self._votes = np.nan_to_num(values)
        self._scaling = scaling
        self._d = float(values.shape[1] if n_dimensions is None else n_dimensions)
        # d / d_i of each participant.
        self._factor = self._d / np.maximum(self._known.sum(axis=1, keepdims=True), 1.0)
        self.n_points = len(values)

    def centres(self, labels: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Mean vote of each group, known wherever some member voted."""
        members = membership(labels, n_groups).T
        counts = members @ self._known
        means = (members @ self._votes) / np.maximum(counts, 1.0)
        return means, (counts > 0).astype(np.float64)

    def to_centres(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance over a participant's votes that the centre knows."""
        return self._distances((self._votes, self._known), centres, self._factor)

    def between(self, centres: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Distance between centres over the statements both know."""
        return self._distances(centres, centres, None)

    def pairwise(self) -> FloatArray:
        """Distance between participants; inf where undefined."""
        people = (self._votes, self._known)
        return self._distances(people, people, np.sqrt(self._factor * self._factor.T))

    def _distances(
        self, left: tuple[FloatArray, FloatArray], right: tuple[FloatArray, FloatArray], factor: FloatArray | None
    ) -> FloatArray:
        squared, shared = shared_squares(*left, *right)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self._scaling == "shared":
                squared = squared / shared
            elif self._scaling == "participant" and factor is not None:
                squared = squared * factor
            elif self._scaling != "none":
                squared = squared * self._d / shared
            return np.where(shared > 0, np.sqrt(squared), np.inf)
