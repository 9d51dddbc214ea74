"""Weighted k-means in the plane, from given centres, with stated ties."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "first_distinct", "k_means", "nearest_centres"]

METHOD_VERSION = "1"

# Places are the same, and squared distances tied, if they differ by less than this: the rounding of
# the last bits must not decide (in Pol.is it does).
DIGITS = 9
TIED = 1e-9
# Centres that all move less than this have settled.
SETTLED = 0.01
CHUNK = 16_384
# A lead beyond any tie.
SURE = 1e-4


def first_distinct(points: FloatArray, n: int) -> IntArray:
    """First points, in their order, that stand at different places.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
    n : int
        How many are wanted; fewer are returned if there are not so many places.

    Returns
    -------
    ndarray of int
        Ascending indices of points.
    """
    rounded = np.round(points, DIGITS) + 0.0
    _, first = np.unique(rounded[:, 0] + 1j * rounded[:, 1], return_index=True)
    return np.sort(first)[:n]


def k_means(
    points: FloatArray, weights: FloatArray, start: FloatArray, *, iterations: int
) -> tuple[IntArray, FloatArray]:
    """Lloyd's iterations from given centres.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
    weights : ndarray of float, shape (n_points,)
        Positive.
    start : ndarray of float, shape (n_centres, 2)
    iterations : int
        At most so many rounds.

    Returns
    -------
    labels : ndarray of int, shape (n_points,)
        Cluster of each point, in the order of `start`, numbered without gaps.
    centres : ndarray of float, shape (n_clusters, 2)
        Weighted means of the members.

    Notes
    -----
    A round assigns every point to the nearest centre, drops centres without a point and moves the others to
    the weighted mean. It is the last if no centre was dropped and none moved by 0.01 or more. Of centres
    that are equally near (squared distances within 1e-9) the last one wins, as in Pol.is [1]_.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/clusters.clj (kmeans).
    """
    centres = start
    labels = np.zeros(len(points), dtype=np.int64)
    # By how much the nearest centre leads, at least: as long as it and the others have not moved that much,
    # a point stays where it is and need not be looked at.
    lead = np.zeros(len(points))
    for _ in range(iterations):
        open_ = np.flatnonzero(lead <= SURE)
        labels[open_], lead[open_] = nearest_centres(points[open_], centres)
        kept = np.bincount(labels, minlength=len(centres)) > 0
        labels = (np.cumsum(kept) - 1)[labels]
        total = np.bincount(labels, weights=weights)
        sums = [np.bincount(labels, weights=weights * axis) for axis in points.T]
        moved_to = np.stack(sums, axis=1) / total[:, None]
        moves = np.sqrt(((moved_to - centres[kept]) ** 2).sum(axis=1))
        centres = moved_to
        if kept.all() and moves.max() < SETTLED:
            break
        lead -= moves[labels] + moves.max()
    return labels, centres


def nearest_centres(points: FloatArray, centres: FloatArray) -> tuple[IntArray, FloatArray]:
    """Nearest centre of every point; the last of those that are equally near.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
    centres : ndarray of float, shape (n_centres, 2)

    Returns
    -------
    labels : ndarray of int, shape (n_points,)
    lead : ndarray of float, shape (n_points,)
        Distance to the second nearest centre less that to the nearest; inf if there is but one.
    """
    labels, lead = np.empty(len(points), dtype=np.int64), np.empty(len(points))
    for start in range(0, len(points), CHUNK):
        part = slice(start, start + CHUNK)
        x, y = points[part].T.copy()
        labels[part], lead[part] = _nearest(x, y, centres)
    return labels, lead


def _nearest(x: FloatArray, y: FloatArray, centres: FloatArray) -> tuple[IntArray, FloatArray]:
    """Label and lead of points that fit into the processor's cache.

    One centre comes after the other: one that is as near as the nearest so far takes over, so the last
    of equals wins.
    """
    labels = np.zeros(len(x), dtype=np.int64)
    nearest, second = np.full((2, len(x)), np.inf)
    squared, other = np.empty((2, len(x)))
    for number, (at_x, at_y) in enumerate(centres.tolist()):
        np.subtract(x, at_x, out=squared)
        np.subtract(y, at_y, out=other)
        squared *= squared
        other *= other
        squared += other
        labels[squared <= nearest + TIED] = number
        np.minimum(second, np.maximum(squared, nearest, out=other), out=second)
        np.minimum(nearest, squared, out=nearest)
    return labels, np.sqrt(second) - np.sqrt(nearest)
