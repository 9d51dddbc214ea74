"""Growing groups from a few centres: the inner engine of the dynamic clusterer."""

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
    "exclude_small",
    "grow",
    "grow_split_first",
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
    resplit: bool = False,
) -> list[State]:
    """States that growth passes through, for every split threshold at once.

    Parameters
    ----------
    space : Space
    start : ndarray of int, shape (n_starts,)
        Points at which the first centres stand.
    merge_radius : float
        Centres closer than this are merged (the paper's outlier threshold).
    least_distance : float
        The smallest split threshold of interest.
    most_groups : int
        The largest upper bound of interest.
    max_rounds : int
        Rounds of assigning, then merging or splitting, at least 1.
    resplit : bool, default False
        Whether a point nearer to its centre than the merge radius may be split off.

    Returns
    -------
    list of State
        The partition for a split threshold t and an upper bound k is the first state with
        ``most_distal <= max(t, merge_radius)`` (with `resplit` ``<= t``) or ``n_groups >= k``, else the last one.

    Notes
    -----
    A larger threshold or a smaller bound only ends the same path earlier: until then every choice
    is the same. Hence one path serves all of them.

    A split below the merge radius would be merged again at once, so by default it is not made. A split whose
    groups drift back together and merge leads to a partition already seen: growth ends there.
    """
    bound = least_distance if resplit else max(least_distance, merge_radius)
    centres = space.centres(*_at_points(space.n_points, start))
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
        word = "cycle" if labels.tobytes() in seen else None
        word = "round cap" if spent == max_rounds else word
        states.append(_state(labels, distances, word))
        seen.add(labels.tobytes())
        if word or states[-1].most_distal <= bound or states[-1].n_groups >= most_groups:
            break
        centres = space.centres(*_split_off(labels, distances))
    return states


def grow_split_first(
    space: Space, start: IntArray, *, merge_radius: float, bound: float, most_groups: int, max_rounds: int
) -> State:
    """End of growth when every split that is warranted comes before a merge.

    Parameters
    ----------
    space : Space
    start : ndarray of int, shape (n_starts,)
        Points at which the first centres stand.
    merge_radius : float
        Centres closer than this are merged.
    bound : float
        A point further than this from its nearest centre becomes a centre.
    most_groups : int
        Upper bound of the number of groups.
    max_rounds : int
        Rounds of assigning, then splitting or merging, at least 1.

    Returns
    -------
    State
        Where no split and no merge is left, or a partition was seen before, or the rounds are used up.
    """
    centres = space.centres(*_at_points(space.n_points, start))
    seen: set[bytes] = set()
    for spent in range(1, max_rounds + 1):
        labels, centres, distances = _assign_until_stable(space, centres)
        labels = in_order_of_first(labels)
        word = "cycle" if labels.tobytes() in seen else None
        state = _state(labels, distances, "round cap" if spent == max_rounds else word)
        if state.last_word:
            break
        seen.add(labels.tobytes())
        if state.most_distal > bound and state.n_groups < most_groups:
            centres = space.centres(*_split_off(labels, distances))
            continue
        merged = _merge(space, labels, merge_radius)
        if merged is None:
            break
        centres = space.centres(merged, int(merged.max()) + 1)
    return state


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


def exclude_small(labels: IntArray, minimum_size: int) -> IntArray:
    """Groups after the members of those below a minimum size were put into none.

    Parameters
    ----------
    labels : ndarray of int, shape (n_points,)
        Groups 0 to K-1.
    minimum_size : int
        At least 1; 1 excludes nobody.

    Returns
    -------
    ndarray of int, shape (n_points,)
        In the order of each group's first member; -1 for those put into none.
    """
    small = np.bincount(labels)[labels] < minimum_size
    kept = np.where(small, UNASSIGNED, labels)
    kept[~small] = in_order_of_first(labels[~small])
    return kept


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


def _at_points(n_points: int, start: IntArray) -> tuple[IntArray, int]:
    """Labels under which each starting point is a group of its own and the rest is in none."""
    labels = np.full(n_points, UNASSIGNED, dtype=np.int64)
    labels[start] = np.arange(len(start))
    return labels, len(start)


def _state(labels: IntArray, distances: FloatArray, last_word: str | None) -> State:
    return State(labels, int(labels.max()) + 1, float(distances.min(axis=1).max()), last_word)


def _split_off(labels: IntArray, distances: FloatArray) -> tuple[IntArray, int]:
    """Labels after the most distal point left its group and stands for itself; how many groups there are."""
    labels = labels.copy()
    labels[int(distances.min(axis=1).argmax())] = int(labels.max()) + 1
    labels = _without_empty(labels)
    return labels, int(labels.max()) + 1


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
        np.fill_diagonal(apart, np.inf)
        # The distances are symmetric and the first of the smallest is taken: low comes before high.
        low, high = sorted(divmod(int(apart.argmin()), n_groups))
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
