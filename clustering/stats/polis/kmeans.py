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
CHUNK = 2048


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
    for _ in range(iterations):
        labels = nearest_centres(points, centres)
        kept = np.bincount(labels, minlength=len(centres)) > 0
        labels = (np.cumsum(kept) - 1)[labels]
        total = np.bincount(labels, weights=weights)
        sums = [np.bincount(labels, weights=weights * axis) for axis in points.T]
        moved_to = np.stack(sums, axis=1) / total[:, None]
        moved = np.inf if not kept.all() else float(np.sqrt(((moved_to - centres) ** 2).sum(axis=1)).max())
        centres = moved_to
        if moved < SETTLED:
            break
    return labels, centres


def nearest_centres(points: FloatArray, centres: FloatArray) -> IntArray:
    """Nearest centre of every point; the last of those that are equally near.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
    centres : ndarray of float, shape (n_centres, 2)

    Returns
    -------
    ndarray of int, shape (n_points,)
    """
    labels = np.empty(len(points), dtype=np.int64)
    x, y = centres[::-1].T
    for start in range(0, len(points), CHUNK):
        part = points[start : start + CHUNK]
        squared = np.subtract.outer(part[:, 0], x)
        squared *= squared
        other = np.subtract.outer(part[:, 1], y)
        other *= other
        squared += other
        tied = squared <= squared.min(axis=1, keepdims=True) + TIED
        labels[start : start + CHUNK] = len(centres) - 1 - tied.argmax(axis=1)
    return labels
