"""Base clusters, and groups of them for every number of groups tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.distances import euclidean_distances, silhouette_score
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.polis.kmeans import first_distinct, k_means

__all__ = [
    "METHOD_VERSION",
    "BaseClusters",
    "Candidate",
    "best_candidate",
    "find_base_clusters",
    "group_base_clusters",
]

METHOD_VERSION = "1"

MAX_BASE = 100
MAX_GROUPS = 5
BASE_ROUNDS = 100
GROUP_ROUNDS = 20
# Another group may be tried for so many base clusters.
BASE_PER_GROUP = 12
# Silhouettes that agree to this many digits are tied.
DIGITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class BaseClusters:
    """People who stand close together, taken as one point.

    Attributes
    ----------
    labels : ndarray of int, shape (n_participants,)
        Base cluster of each participant; -1 if not clustered.
    centres : ndarray of float, shape (n_base, 2)
        Mean place of the members.
    sizes : ndarray of int, shape (n_base,)
        Members.
    groups : ndarray of int, shape (n_base,)
        Group of each base cluster; -1 without groups.
    """

    labels: IntArray
    centres: FloatArray
    sizes: IntArray
    groups: IntArray

    @property
    def n_base(self) -> int:
        """Number of base clusters."""
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Groups for one number of centres.

    Attributes
    ----------
    k : int
        Centres at the start.
    n_groups : int
        Groups at the end: centres without members vanish.
    n_singletons : int
        Groups of one person.
    sizes : tuple of int
        Participants of each group, largest first.
    silhouette : float
        Mean silhouette in [-1, 1] of the base clusters' centres; ``nan`` if the row cannot be chosen.
    reason : str or None
        Why it cannot be chosen.
    """

    k: int
    n_groups: int
    n_singletons: int
    sizes: tuple[int, ...]
    silhouette: float
    reason: str | None


def find_base_clusters(points: FloatArray, *, max_base: int = MAX_BASE) -> tuple[IntArray, FloatArray]:
    """At most 100 clusters of people who stand close together.

    Parameters
    ----------
    points : ndarray of float, shape (n_points, 2)
        Places in the order of first votes.
    max_base : int, default 100

    Returns
    -------
    labels : ndarray of int, shape (n_points,)
    centres : ndarray of float, shape (n_base, 2)

    Notes
    -----
    k-means of at most 100 rounds from the first 100 different places. With no more places than that, each
    place is a base cluster [1]_.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/conversation.clj (base-clusters).
    """
    start = points[first_distinct(points, max_base)]
    return k_means(points, np.ones(len(points)), start, iterations=BASE_ROUNDS)


def group_base_clusters(
    centres: FloatArray, sizes: IntArray, *, max_groups: int = MAX_GROUPS
) -> tuple[tuple[Candidate, ...], tuple[IntArray, ...]]:
    r"""Groups of base clusters for every number of groups that is tried.

    Parameters
    ----------
    centres : ndarray of float, shape (n_base, 2)
    sizes : ndarray of int, shape (n_base,)
    max_groups : int, default 5

    Returns
    -------
    candidates : tuple of Candidate
        One for each number of centres.
    labels : tuple of ndarray of int, shape (n_base,)
        The groups of each candidate.

    Notes
    -----
    k from 2 to :math:`\min(5,\,2+\lfloor n_\text{base}/12\rfloor)`; k-means of at most 20 rounds from the first k
    different centres, each weighted by its members; silhouette of the centres, unweighted, 0 for a group of
    one base cluster [1]_.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/conversation.clj (group-clusterings), clusters.clj (silhouette).
    """
    weights = sizes.astype(np.float64)
    distances = euclidean_distances(centres, centres)
    candidates, partitions = [], []
    for k in range(2, min(max_groups, 2 + len(centres) // BASE_PER_GROUP) + 1):
        start = centres[first_distinct(centres, k)]
        labels, _ = k_means(centres, weights, start, iterations=GROUP_ROUNDS)
        people = np.bincount(labels, weights=weights).astype(np.int64)
        single = len(people) < 2
        candidates.append(
            Candidate(
                k=k,
                n_groups=len(people),
                n_singletons=int((people == 1).sum()),
                sizes=tuple(sorted(people.tolist(), reverse=True)),
                silhouette=float("nan") if single else silhouette_score(distances, labels),
                reason="one group: nothing to compare it with" if single else None,
            )
        )
        partitions.append(labels)
    return tuple(candidates), tuple(partitions)


def best_candidate(candidates: tuple[Candidate, ...]) -> int | None:
    """Index of the candidate with the highest silhouette; of equals the one with more centres.

    Parameters
    ----------
    candidates : tuple of Candidate

    Returns
    -------
    int or None
        None if none can be chosen.
    """
    eligible = [index for index, row in enumerate(candidates) if row.reason is None]
    return max(eligible, key=lambda i: (round(candidates[i].silhouette, DIGITS), candidates[i].k), default=None)
