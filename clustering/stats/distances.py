"""Distances between participants over the statements both voted on, and the silhouette."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "UNASSIGNED",
    "euclidean_distances",
    "filled",
    "linked_components",
    "membership",
    "share_without_common",
    "shared_rms",
    "shared_squares",
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
    squared, shared = shared_squares(left, left_known, right, right_known)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(shared > 0, np.sqrt(squared / shared), np.inf)


def shared_squares(
    left: FloatArray, left_known: FloatArray, right: FloatArray, right_known: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum of squared differences over the dimensions known on both sides, and their number.

    Parameters
    ----------
    left, left_known, right, right_known
        As for :func:`shared_rms`.

    Returns
    -------
    squared, shared : ndarray of float, shape (n, m)
    """
    shared = left_known @ right_known.T
    squared = (left**2) @ right_known.T - 2.0 * (left @ right.T) + left_known @ (right**2).T
    # Rounding may leave -1e-16 or 1e-16 where both agree everywhere; below 1e-12 is no difference.
    squared[squared < 1e-12] = 0.0
    return squared, shared


def filled(distances: FloatArray, no_overlap: str = "mean") -> FloatArray:
    """Distances between people with something in the place of those that are undefined.

    Parameters
    ----------
    distances : ndarray of float, shape (n, n)
        Symmetric, ``inf`` where undefined.
    no_overlap : {"mean", "skip", "farthest"}, default "mean"
        The mean of the defined distances, ``nan``, or the largest of them.

    Returns
    -------
    ndarray of float, shape (n, n)
        0 on the diagonal. Without any defined distance undefined ones are 0 (or ``nan``).

    Notes
    -----
    A pair without a common statement has no distance. By default it gets the mean of the defined ones in a
    silhouette (and :func:`share_without_common` is reported), because leaving the pair out would let the
    partition choose which distances count.
    """
    distances = distances.copy()
    np.fill_diagonal(distances, np.inf)
    defined = np.isfinite(distances)
    if no_overlap == "skip":
        filler = np.nan
    elif defined.any():
        filler = distances[defined].mean() if no_overlap == "mean" else distances[defined].max()
    else:
        filler = 0.0
    distances[~defined] = filler
    np.fill_diagonal(distances, 0.0)
    return distances


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
    """
    known = (~np.isnan(values)).astype(np.float64)
    votes = np.nan_to_num(values)
    return filled(shared_rms(votes, known, votes, known))


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
        Symmetric, 0 on the diagonal; ``nan`` for a pair that is left out of the means.
    labels : ndarray of int, shape (n,)
        Group 0 to K-1 of each point; every group has a member.

    Returns
    -------
    ndarray of float, shape (n,)
        :math:`(b-a)/\max(a,b)` in [-1, 1], with `a` the mean distance to the others of the own
        group and `b` the smallest mean distance to another group. 0 for a singleton (and if
        ``a = b = 0``, or a point has no distance to its own group or to any other); all ``nan`` with
        fewer than two groups.

    References
    ----------
    .. [1] P. J. Rousseeuw, Silhouettes, J. Comput. Appl. Math. 20, 1987, section 2.
    """
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    if n_groups < 2:
        return np.full(len(labels), np.nan)
    members = membership(labels, n_groups)
    rows = np.arange(len(labels))
    unknown = np.isnan(distances)
    if unknown.any():
        sums, counts = np.where(unknown, 0.0, distances) @ members, (~unknown).astype(np.float64) @ members
    else:
        sums, counts = distances @ members, np.broadcast_to(members.sum(axis=0), members.shape)
    # A point is at distance 0 from itself and does not count among the others.
    others = counts[rows, labels] - 1
    within = sums[rows, labels] / np.maximum(others, 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    means[rows, labels] = np.inf
    between = means.min(axis=1)
    larger = np.maximum(within, between)
    scores: FloatArray = np.zeros(len(labels))
    np.divide(between - within, larger, out=scores, where=(others > 0) & (larger > 0) & np.isfinite(between))
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
