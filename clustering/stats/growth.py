"""Growing groups from two centres: the inner engine of the dynamic clusterer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.distances import UNASSIGNED
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.spaces import Space

__all__ = [
    "METHOD_VERSION",
    "State",
    "dissolve_small",
    "grow",
    "in_order_of_first",
]

METHOD_VERSION = "1"

# Distances are compared after rounding to this many digits: rounding of the last bits must not
# decide between two centres that are equally near (Pol.is' warm chains are chaotic at 1e-16).
DIGITS = 9
MAX_LLOYD = 100


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Groups at the end of a round, when nothing is left to merge.

    Attributes
    ----------
    labels : ndarray of int, shape (n_points,)
        Groups 0 to K-1 in the order of their first member.
    n_groups : int
    most_distal : float
        Distance of the point that is furthest from its nearest centre.
    last_word : str or None
        Why growth ends here whatever the thresholds: ``"cycle"`` or ``"round cap"``.
    """

    labels: IntArray
    n_groups: int
    most_distal: float
    last_word: str | None


def grow(
    space: Space,
    start: IntArray,
    *,
    merge_radius: float,
    least_distance: float,
    most_groups: int,
    max_rounds: int,
) -> list[State]:
    """States that growth from two points passes through, for every split threshold at once.

    Parameters
    ----------
    space : Space
    start : ndarray of int, shape (2,)
        Points at which the two first centres stand.
    merge_radius : float
        Centres closer than this are merged (the paper's outlier threshold).
    least_distance : float
        The smallest split threshold of interest.
    most_groups : int
        The largest upper bound of interest.
    max_rounds : int
        Rounds of assigning, then merging or splitting, at least 1.

    Returns
    -------
    list of State
        The partition for a split threshold t and an upper bound k is the first state with
        ``most_distal <= max(t, merge_radius)`` or ``n_groups >= k``, else the last one.

    Notes
    -----
    A larger threshold or a smaller bound only ends the same path earlier: until then every choice
    is the same. Hence one path serves all of them.

    A split below the merge radius would be merged again at once, so it is not made. A split whose
    groups drift back together and merge leads to a partition already seen: growth ends there.
    """
    centres = space.centres(_two_points(space.n_points, start), 2)
    states: list[State] = []
    seen: set[bytes] = set()
    for spent in range(1, max_rounds + 1):
        labels, centres, distances = _assign_until_stable(space, centres)
        merged = _merge(space, labels, merge_radius)
        if merged is not None and spent < max_rounds:
            labels = merged
            centres = space.centres(labels, int(labels.max()) + 1)
            continue
        labels = in_order_of_first(labels)
        nearest = distances.min(axis=1)
        distal = int(nearest.argmax())
        word = "cycle" if labels.tobytes() in seen else None
        word = "round cap" if spent == max_rounds else word
        states.append(State(labels, int(labels.max()) + 1, float(nearest[distal]), word))
        seen.add(labels.tobytes())
        bound = max(least_distance, merge_radius)
        if word or nearest[distal] <= bound or states[-1].n_groups >= most_groups:
            break
        # The point leaves its group and stands as a centre of its own.
        labels = labels.copy()
        labels[distal] = states[-1].n_groups
        labels = _without_empty(labels)
        centres = space.centres(labels, int(labels.max()) + 1)
    return states


def dissolve_small(space: Space, labels: IntArray, minimum_size: int) -> IntArray:
    """Groups after those below a minimum size are dissolved, the smallest first.

    Parameters
    ----------
    space : Space
    labels : ndarray of int, shape (n_points,)
        Groups 0 to K-1.
    minimum_size : int
        At least 1; 1 dissolves nothing.

    Returns
    -------
    ndarray of int, shape (n_points,)
        Members go to the nearest centre that remains; equal sizes are taken in the order of their
        first member. The last group stays, however small.
    """
    labels = in_order_of_first(labels)
    while True:
        sizes = np.bincount(labels)
        smallest = int(sizes.argmin())
        if len(sizes) == 1 or sizes[smallest] >= minimum_size:
            return labels
        labels = labels.copy()
        labels[labels == smallest] = UNASSIGNED
        labels[labels > smallest] -= 1
        labels = in_order_of_first(_absorb(space, labels, len(sizes) - 1))


def in_order_of_first(labels: IntArray) -> IntArray:
    """Labels 0 to K-1 in the order of each group's first member.

    Parameters
    ----------
    labels : ndarray of int, shape (n_points,)

    Returns
    -------
    ndarray of int, shape (n_points,)
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _two_points(n_points: int, start: IntArray) -> IntArray:
    labels = np.full(n_points, UNASSIGNED, dtype=np.int64)
    labels[start] = (0, 1)
    return labels


def _assign_until_stable(
    space: Space, centres: tuple[FloatArray, FloatArray]
) -> tuple[IntArray, tuple[FloatArray, FloatArray], FloatArray]:
    """Lloyd's k-means: labels, centres and distances once no label changes, or after 100 turns.

    Means over missing votes need not descend, so the turns are bounded. Each turn reaches the
    neighbours of those reached before, and the participants are linked: the bound of at least
    n_points turns leaves nobody unassigned.
    """
    labels = np.full(space.n_points, UNASSIGNED, dtype=np.int64)
    distances = np.round(space.to_centres(centres), DIGITS)
    for _ in range(max(MAX_LLOYD, space.n_points)):
        nearest = distances.argmin(axis=1)
        nearest[np.isinf(distances.min(axis=1))] = UNASSIGNED
        nearest = _without_empty(nearest)
        if (nearest == labels).all():
            break
        labels = nearest
        centres = space.centres(labels, int(labels.max()) + 1)
        distances = np.round(space.to_centres(centres), DIGITS)
    return labels, centres, distances


def _without_empty(labels: IntArray) -> IntArray:
    """Labels closed up over groups that lost their last member; the order is kept."""
    used = np.zeros(int(labels.max()) + 1, dtype=bool)
    used[labels[labels != UNASSIGNED]] = True
    if used.all():
        return labels
    return np.where(labels == UNASSIGNED, UNASSIGNED, (np.cumsum(used) - 1)[labels])


def _merge(space: Space, labels: IntArray, radius: float) -> IntArray | None:
    """Labels after merging the closest pair of centres until none is within; None if none was."""
    merged: IntArray | None = None
    n_groups = int(labels.max()) + 1
    while n_groups > 1:
        apart = np.round(space.between(space.centres(labels, n_groups)), DIGITS)
        apart[np.tril_indices(n_groups)] = np.inf
        low, high = divmod(int(apart.argmin()), n_groups)
        if not apart[low, high] < radius:
            break
        labels = np.where(labels == high, low, labels)
        labels = np.where(labels > high, labels - 1, labels)
        n_groups -= 1
        merged = labels
    return merged


def _absorb(space: Space, labels: IntArray, n_groups: int) -> IntArray:
    """Labels with everybody unassigned at the nearest centre; those out of reach a turn later."""
    labels = labels.copy()
    while (homeless := labels == UNASSIGNED).any():
        distances = np.round(space.to_centres(space.centres(labels, n_groups)), DIGITS)[homeless]
        reached = np.isfinite(distances.min(axis=1))
        if not reached.any():
            raise ValueError("participants are not linked by shared statements")
        labels[homeless] = np.where(reached, distances.argmin(axis=1), UNASSIGNED)
    return labels
