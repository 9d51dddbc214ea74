"""Distances between participants over the statements both voted on, and the silhouette."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "UNASSIGNED",
    "euclidean_distances",
    "linked_components",
    "membership",
    "share_without_common",
    "shared_rms",
    "shared_vote_distances",
    "silhouette_samples",
    "silhouette_score",
]

METHOD_VERSION = "1"

UNASSIGNED = -1
ROWS_AT_ONCE = 512


def euclidean_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Euclidean distance of every row of `left` to every row of `right`.

    Parameters
    ----------
    left : ndarray of float, shape (n, n_axes)
    right : ndarray of float, shape (m, n_axes)

    Returns
    -------
    ndarray of float, shape (n, m)
        Differences are taken before squaring, so equal points are at exactly 0.
    """
    squared = np.zeros((len(left), len(right)))
    for axis in range(left.shape[1]):
        squared += np.subtract.outer(left[:, axis], right[:, axis]) ** 2
    return np.sqrt(squared, out=squared)


def shared_rms(left: FloatArray, left_known: FloatArray, right: FloatArray, right_known: FloatArray) -> FloatArray:
    r"""Root mean squared difference over the dimensions known on both sides.

    Parameters
    ----------
    left : ndarray of float, shape (n, n_statements)
        Votes or centres, 0 where unknown.
    left_known : ndarray of float, shape (n, n_statements)
        1 where known, else 0.
    right, right_known : ndarray of float, shape (m, n_statements)

    Returns
    -------
    ndarray of float, shape (n, m)
        In [0, 2] for votes; ``inf`` where no dimension is shared: undefined, hence never nearest.

    Notes
    -----
    Three matrix products, since missing entries are stored as 0:
    :math:`\sum (x-y)^2 = \sum x^2 k_y - 2 \sum xy + \sum k_x y^2`.
    """
    shared = left_known @ right_known.T
    squared = (left**2) @ right_known.T - 2.0 * (left @ right.T) + left_known @ (right**2).T
    # Rounding may leave -1e-16 or 1e-16 where both agree everywhere; below 1e-12 is no difference.
    squared[squared < 1e-12] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(shared > 0, np.sqrt(squared / shared), np.inf)


def shared_vote_distances(values: FloatArray) -> FloatArray:
    """Distances between all pairs of participants over the statements both voted on.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        Votes, ``nan`` where missing.

    Returns
    -------
    ndarray of float, shape (n_participants, n_participants)
        Root mean squared difference in [0, 2]; the mean defined distance where a pair shares no
        statement; 0 on the diagonal. All 0 if no pair shares a statement.

    Notes
    -----
    A pair without a common statement has no distance. For the silhouette it gets the mean of the
    defined ones (and :func:`share_without_common` is reported), because leaving the pair out would
    let the partition choose which distances count.
    """
    known = (~np.isnan(values)).astype(np.float64)
    votes = np.nan_to_num(values)
    distances = shared_rms(votes, known, votes, known)
    np.fill_diagonal(distances, np.inf)
    defined = np.isfinite(distances)
    filler = distances[defined].mean() if defined.any() else 0.0
    distances[~defined] = filler
    np.fill_diagonal(distances, 0.0)
    return distances


def share_without_common(values: FloatArray) -> float:
    """Share of the pairs of participants who have no voted statement in common.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        Votes, ``nan`` where missing; participants without any vote do not count.

    Returns
    -------
    float
        In [0, 1]; ``nan`` with fewer than two voters.
    """
    known = (~np.isnan(values)).astype(np.float64)
    known = known[known.any(axis=1)]
    n = len(known)
    if n < 2:
        return float("nan")
    # Some rows at a time: the table of all pairs would grow with the square. A voter shares with themselves.
    without = sum(int(((known[at : at + ROWS_AT_ONCE] @ known.T) == 0).sum()) for at in range(0, n, ROWS_AT_ONCE))
    return without / (n * (n - 1))


def linked_components(values: FloatArray) -> IntArray:
    """Component of each participant when those who share a voted statement are linked.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        Votes, ``nan`` where missing.

    Returns
    -------
    ndarray of int, shape (n_participants,)
        0 for the largest component, then 1, 2, ...; ties by the first participant. Somebody who
        shares nothing with anybody is a component of one.
    """
    seen = ~np.isnan(values)
    component = np.full(len(values), UNASSIGNED)
    for start in range(len(values)):
        if component[start] != UNASSIGNED:
            continue
        members = np.zeros(len(values), dtype=bool)
        members[start] = True
        while True:
            grown = members | seen[:, seen[members].any(axis=0)].any(axis=1)
            if (grown == members).all():
                break
            members = grown
        component[members] = component.max() + 1
    sizes = np.bincount(component) if len(values) else np.zeros(0, dtype=np.int64)
    rank = np.empty_like(sizes)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[component] if len(values) else component


def membership(labels: IntArray, n_groups: int) -> FloatArray:
    """Indicator matrix of groups.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Group 0 to K-1; -1 belongs to none.
    n_groups : int

    Returns
    -------
    ndarray of float, shape (n, n_groups)
        1 where the row belongs to the group, else 0.
    """
    members: FloatArray = (labels[:, None] == np.arange(n_groups)).astype(np.float64)
    return members


def silhouette_samples(distances: FloatArray, labels: IntArray) -> FloatArray:
    r"""Silhouette of each point, from a matrix of distances.

    Parameters
    ----------
    distances : ndarray of float, shape (n, n)
        Symmetric, 0 on the diagonal.
    labels : ndarray of int, shape (n,)
        Group 0 to K-1 of each point; every group has a member.

    Returns
    -------
    ndarray of float, shape (n,)
        :math:`(b-a)/\max(a,b)` in [-1, 1], with `a` the mean distance to the others of the own
        group and `b` the smallest mean distance to another group. 0 for a singleton (and if
        ``a = b = 0``); all ``nan`` with fewer than two groups.

    References
    ----------
    .. [1] P. J. Rousseeuw, Silhouettes, J. Comput. Appl. Math. 20, 1987, section 2.
    """
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    if n_groups < 2:
        return np.full(len(labels), np.nan)
    members = membership(labels, n_groups)
    sizes = members.sum(axis=0)
    sums = distances @ members
    rows = np.arange(len(labels))
    own_size = sizes[labels]
    within = sums[rows, labels] / np.maximum(own_size - 1, 1)
    means = sums / sizes
    means[rows, labels] = np.inf
    between = means.min(axis=1)
    larger = np.maximum(within, between)
    scores: FloatArray = np.zeros(len(labels))
    np.divide(between - within, larger, out=scores, where=(own_size > 1) & (larger > 0))
    return scores


def silhouette_score(distances: FloatArray, labels: IntArray) -> float:
    """Mean silhouette over all points: how well the groups are apart.

    Parameters
    ----------
    distances : ndarray of float, shape (n, n)
    labels : ndarray of int, shape (n,)
        Group 0 to K-1 of each point.

    Returns
    -------
    float
        In [-1, 1]; ``nan`` with fewer than two groups.
    """
    scores = silhouette_samples(distances, labels)
    return float(scores.mean()) if len(scores) else float("nan")
