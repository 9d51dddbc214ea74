"""The search of the dynamic clusterer: every fit of the grid, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from clustering.stats.distances import UNASSIGNED
from clustering.stats.fits import Fits
from clustering.stats.groups import Grid, GridRow
from clustering.stats.growth import State, grow, grow_split_first, in_order_of_first
from clustering.stats.matrix import IntArray
from clustering.stats.readings import Readings
from clustering.stats.spaces import Space

__all__ = ["METHOD_VERSION", "Found", "search"]

METHOD_VERSION = "1"

# Silhouettes that agree to this many digits are tied.
DIGITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Outcome of a search.

    Attributes
    ----------
    rows : tuple of GridRow
    chosen : int or None
        Index of the chosen row.
    labels : ndarray of int
        Its labels in order of size, -1 for whoever was put into no group; empty if none was chosen.
    undefined : str or None
    """

    rows: tuple[GridRow, ...]
    chosen: int | None
    labels: IntArray
    undefined: str | None

    @classmethod
    def nothing(cls, reason: str | None, rows: tuple[GridRow, ...] = ()) -> Found:
        """No groups, for a reason."""
        return cls(rows, None, np.zeros(0, dtype=np.int64), reason)


def search(space: Space, fits: Fits, grid: Grid, readings: Readings, seed: int) -> Found:
    """Every fit of the grid, and the best of them.

    Parameters
    ----------
    space : Space
    fits : Fits
    grid : Grid
    readings : Readings
    seed : int
        Start `i` draws from ``SeedSequence(seed, spawn_key=(i,))``.

    Returns
    -------
    Found
        The highest silhouette; ties go to fewer groups, then the lower start, then grid order.
    """
    growth = _Growth(space, grid, readings, seed)
    rows: list[GridRow] = []
    labels_of: list[IntArray] = []
    for k_max, distance, outlier, minimum in product(
        grid.k_max, grid.distance_threshold, grid.outlier_threshold, grid.minimum_size
    ):
        for start in range(grid.n_seeds):
            state = growth.end(k_max, distance, outlier, start)
            labels, score, reason = fits.scored(state.labels, minimum)
            sizes = np.bincount(labels[labels != UNASSIGNED])
            labels_of.append(labels)
            rows.append(
                GridRow(
                    k_max=k_max,
                    distance_threshold=distance,
                    outlier_threshold=outlier,
                    minimum_size=minimum,
                    seed=start,
                    n_groups=len(sizes),
                    n_singletons=int((sizes == 1).sum()),
                    n_excluded=int((labels == UNASSIGNED).sum()),
                    silhouette=score,
                    reason=reason,
                    ended_by=state.last_word,
                )
            )
    chosen = _best(rows)
    if chosen is None:
        return Found.nothing("no setting of the grid gave two or more groups to compare", tuple(rows))
    return Found(tuple(rows), chosen, _by_size(labels_of[chosen]), None)


class _Growth:
    """Ends of growth, with the paths kept that several settings share."""

    def __init__(self, space: Space, grid: Grid, readings: Readings, seed: int) -> None:
        self._space = space
        self._grid = grid
        self._readings = readings
        self._seed = seed
        self._paths: dict[tuple[float, int, int], list[State]] = {}
        self._ends: dict[tuple[float, float, int, int], State] = {}
        swapped = readings.thresholds == "outlier_splits"
        self._least_split = min(grid.outlier_threshold if swapped else grid.distance_threshold)

    def end(self, k_max: int, distance: float, outlier: float, start: int) -> State:
        """State in which growth ends under one setting."""
        swapped = self._readings.thresholds == "outlier_splits"
        split, radius = (outlier, distance) if swapped else (distance, outlier)
        bound = split if self._readings.resplit == "allow" else max(split, radius)
        if self._readings.order == "split_first":
            return self._split_first(k_max, bound, radius, start)
        path = self._path(k_max, radius, start)
        for state in path:
            if state.most_distal <= bound or state.n_groups >= k_max:
                return state
        return path[-1]

    def _path(self, k_max: int, radius: float, start: int) -> list[State]:
        """One path for each merge radius and start; from two points it serves every `k_max`."""
        most = k_max if self._readings.start == "shrink" else max(self._grid.k_max)
        key = (radius, start, most)
        if key not in self._paths:
            self._paths[key] = grow(
                self._space,
                self._start(k_max, start),
                merge_radius=radius,
                least_distance=self._least_split,
                most_groups=most,
                max_rounds=self._readings.max_rounds,
                resplit=self._readings.resplit == "allow",
            )
        return self._paths[key]

    def _split_first(self, k_max: int, bound: float, radius: float, start: int) -> State:
        key = (bound, radius, k_max, start)
        if key not in self._ends:
            self._ends[key] = grow_split_first(
                self._space,
                self._start(k_max, start),
                merge_radius=radius,
                bound=bound,
                most_groups=k_max,
                max_rounds=self._readings.max_rounds,
            )
        return self._ends[key]

    def _start(self, k_max: int, start: int) -> IntArray:
        rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(start,)))
        size = 2 if self._readings.start == "grow" else min(k_max, self._space.n_points)
        return rng.choice(self._space.n_points, size=size, replace=False)


def _best(rows: list[GridRow]) -> int | None:
    eligible = [index for index, row in enumerate(rows) if row.reason is None]
    return min(
        eligible,
        key=lambda i: (-round(rows[i].silhouette, DIGITS), rows[i].n_groups, rows[i].seed, i),
        default=None,
    )


def _by_size(labels: IntArray) -> IntArray:
    """Labels in order of size, largest first, ties by first member; -1 stays."""
    ranked = labels.copy()
    grouped = labels != UNASSIGNED
    in_order = in_order_of_first(labels[grouped])
    order = np.argsort(-np.bincount(in_order), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ranked[grouped] = rank[in_order]
    return ranked
