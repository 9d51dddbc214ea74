"""Opinion groups: the dynamic clusterer of the Overton paper, its grid, and the choice in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.distances import UNASSIGNED, share_without_common, silhouette_score
from clustering.stats.eligibility import Selection, select_participants
from clustering.stats.groups import (
    METHOD_VERSION,
    Grid,
    GridRow,
    OpinionGroups,
    SpaceName,
    UnitName,
)
from clustering.stats.growth import State, dissolve_small, grow, in_order_of_first
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.projection import Projection, project
from clustering.stats.spaces import ProjectionSpace, Space, VoteSpace

__all__ = ["METHOD_VERSION", "Grid", "GridRow", "OpinionGroups", "cluster_opinions"]

# Silhouettes that agree to this many digits are tied.
DIGITS = 12
SAME_PLACE = 1e-9


def cluster_opinions(
    matrix: VoteMatrix,
    *,
    seed: int,
    space: SpaceName = "projection",
    unit: UnitName = "spread",
    grid: Grid | None = None,
    authors: Mapping[str, str] | None = None,
    own_votes: Literal["exclude", "include"] = "exclude",
    minimum_votes: int = 1,
    max_rounds: int = 60,
) -> OpinionGroups:
    """Groups of participants who vote alike, their number found from the votes.

    Parameters
    ----------
    matrix : VoteMatrix
    seed : int
        At least 0; start `i` draws from ``SeedSequence(seed, spawn_key=(i,))``.
    space : {"projection", "votes"}, default "projection"
        Where distances are taken: the sparsity-scaled plane, or the votes themselves (root mean
        squared difference over shared statements).
    unit : {"spread", "coordinate"}, default "spread"
        What the thresholds of the grid count in the projection: the root mean squared distance of
        the participants from their middle, or Pol.is' own coordinates, whose length depends on the
        number of statements and of votes. The vote space has its own unit and ignores this.
    grid : Grid, optional
        Settings to try; the published ones by default.
    authors : mapping of statement key to participant key, optional
        Who wrote what; needed to recognise votes on one's own statement.
    own_votes : {"exclude", "include"}, default "exclude"
    minimum_votes : int, default 1
        Participants with fewer votes are not grouped.
    max_rounds : int, default 60
        Cap on rounds of assigning and merging or splitting.

    Returns
    -------
    OpinionGroups
        With ``undefined`` set where the votes cannot be grouped.

    Raises
    ------
    ValueError
        If the space is unknown or a number is out of range.

    Notes
    -----
    Appendix C.1 of the Overton paper [1]_ in the readings listed in ``docs/methods.md``. Two seeded
    centres grow: assign everybody to the nearest centre until stable; merge centres closer than
    the outlier threshold; make the most distal point a centre if it is further than the distance
    threshold and there are fewer than `k_max`; repeat. Then groups under the minimum size are
    dissolved. Of all fits the one with the highest silhouette is chosen; ties go to fewer groups,
    then the lower seed, then grid order. One group, or a group for each person, cannot be chosen.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, appendix C.1.
    """
    _check_options(space, unit, own_votes, seed, minimum_votes, max_rounds)
    grid = grid or Grid()
    own = matrix.own_votes(authors or {}) if own_votes == "exclude" else np.zeros(matrix.values.shape, dtype=bool)
    rated = matrix.without(own)
    taken = select_participants(rated, linked=space == "votes", minimum_votes=minimum_votes)
    # Everything is computed on the rows and columns that count; the rest is filled in at the end.
    used = rated.subset(taken.rows, taken.columns)
    # Threads cost these small products more than they give (fifteenfold on a busy machine with two processors).
    with threadpool_limits(limits=1, user_api="blas"):
        projection = project(used)
        unit_length = _unit_length(projection.coordinates, space, unit)
        undefined = taken.undefined or projection.undefined
        found = _Found((), None, np.zeros(0, dtype=np.int64), undefined)
        if undefined is None:
            points = used.values if space == "votes" else projection.coordinates / unit_length
            found = _search(points, space, grid, seed, max_rounds)
    labels, coordinates = _for_everybody(taken, projection, found)
    return OpinionGroups(
        participants=matrix.participants,
        labels=labels,
        coordinates=coordinates,
        sizes=tuple(np.bincount(found.labels).tolist()),
        silhouette=float("nan") if found.chosen is None else found.rows[found.chosen].silhouette,
        chosen=found.chosen,
        rows=found.rows,
        exclusions=taken.exclusions,
        n_statements=len(used.statements),
        n_own_votes=int(own.sum()),
        share_without_common=share_without_common(rated.values),
        space=space,
        unit=unit,
        unit_length=unit_length,
        seed=seed,
        grid=grid,
        matrix_sha256=matrix.sha256(),
        caution=projection.caution,
        undefined=found.undefined,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Outcome of the search: rows, index of the chosen one, its labels by size, or a reason."""

    rows: tuple[GridRow, ...]
    chosen: int | None
    labels: IntArray
    undefined: str | None


def _for_everybody(taken: Selection, projection: Projection, found: _Found) -> tuple[IntArray, FloatArray]:
    """Labels and coordinates for all participants, read-only."""
    labels = np.full(len(taken.rows), UNASSIGNED, dtype=np.int64)
    coordinates = np.full((len(taken.rows), 2), np.nan)
    coordinates[taken.rows] = projection.coordinates
    if found.chosen is not None:
        labels[taken.rows] = found.labels
    labels.setflags(write=False)
    coordinates.setflags(write=False)
    return labels, coordinates


def _check_options(space: str, unit: str, own_votes: str, seed: int, minimum_votes: int, max_rounds: int) -> None:
    named = (("space", space), ("unit", unit), ("own_votes", own_votes))
    known = {
        "space": ("projection", "votes"),
        "unit": ("spread", "coordinate"),
        "own_votes": ("exclude", "include"),
    }
    for name, value in named:
        if value not in known[name]:
            raise ValueError(f"{name} is one of {', '.join(known[name])}, not {value!r}")
    if seed < 0 or minimum_votes < 1 or max_rounds < 1:
        raise ValueError("seed is at least 0, minimum_votes and max_rounds at least 1")


def _unit_length(coordinates: FloatArray, space: SpaceName, unit: UnitName) -> float:
    """Length on the map that a threshold of 1 stands for; nan where nothing is spread out."""
    if space == "votes" or unit == "coordinate":
        return 1.0
    if not np.isfinite(coordinates).any():
        return float("nan")
    around = coordinates - coordinates.mean(axis=0)
    spread = float(np.sqrt((around**2).sum(axis=1).mean()))
    return spread if spread > SAME_PLACE else float("nan")


def _search(points: FloatArray, space_name: SpaceName, grid: Grid, seed: int, max_rounds: int) -> _Found:
    nobody = np.zeros(0, dtype=np.int64)
    space: Space = ProjectionSpace(points) if space_name == "projection" else VoteSpace(points)
    fits = _Fits(space)
    if fits.all_alike:
        return _Found((), None, nobody, "all participants voted alike")
    paths = _paths(space, grid, seed, max_rounds)
    rows: list[GridRow] = []
    labels_of: list[IntArray] = []
    for k_max, threshold, radius, minimum in product(
        grid.k_max, grid.distance_threshold, grid.outlier_threshold, grid.minimum_size
    ):
        for start in range(grid.n_seeds):
            state = _end(paths[radius, start], max(threshold, radius), k_max)
            labels, score, reason = fits.scored(state.labels, minimum)
            sizes = np.bincount(labels)
            labels_of.append(labels)
            rows.append(
                GridRow(
                    k_max=k_max,
                    distance_threshold=threshold,
                    outlier_threshold=radius,
                    minimum_size=minimum,
                    seed=start,
                    n_groups=len(sizes),
                    n_singletons=int((sizes == 1).sum()),
                    silhouette=score,
                    reason=reason,
                    ended_by=state.last_word,
                )
            )
    chosen = _best(rows)
    if chosen is None:
        reason = "no setting of the grid gave two or more groups to compare"
        return _Found(tuple(rows), None, nobody, reason)
    return _Found(tuple(rows), chosen, _by_size(labels_of[chosen]), None)


def _paths(space: Space, grid: Grid, seed: int, max_rounds: int) -> dict[tuple[float, int], list[State]]:
    """One path of growth for each merge radius and start; it serves all other settings."""
    paths = {}
    for start in range(grid.n_seeds):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(start,)))
        points = rng.choice(space.n_points, size=2, replace=False)
        for radius in grid.outlier_threshold:
            paths[radius, start] = grow(
                space,
                points,
                merge_radius=radius,
                least_distance=min(grid.distance_threshold),
                most_groups=max(grid.k_max),
                max_rounds=max_rounds,
            )
    return paths


def _end(path: list[State], bound: float, k_max: int) -> State:
    """State at which growth ends for one split bound and upper limit (see :func:`grow`)."""
    for state in path:
        if state.most_distal <= bound or state.n_groups >= k_max:
            return state
    return path[-1]


class _Fits:
    """Dissolved and scored partitions, each computed once: most settings lead to the same few."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._distances = space.pairwise()
        self.all_alike = bool(self._distances.max() <= SAME_PLACE)
        self._dissolved: dict[tuple[bytes, int], IntArray] = {}
        self._scores: dict[bytes, tuple[float, str | None]] = {}

    def scored(self, grown: IntArray, minimum_size: int) -> tuple[IntArray, float, str | None]:
        """Labels under a minimum size, their silhouette, and why they cannot be chosen."""
        key = (grown.tobytes(), minimum_size)
        if key not in self._dissolved:
            self._dissolved[key] = dissolve_small(self._space, grown, minimum_size)
        labels = self._dissolved[key]
        if labels.tobytes() not in self._scores:
            self._scores[labels.tobytes()] = self._score(labels)
        return labels, *self._scores[labels.tobytes()]

    def _score(self, labels: IntArray) -> tuple[float, str | None]:
        n_groups = int(labels.max()) + 1
        if n_groups == 1:
            return float("nan"), "one group: nothing to compare it with"
        if n_groups == len(labels):
            return float("nan"), "every participant is a group of one"
        return silhouette_score(self._distances, labels), None


def _best(rows: list[GridRow]) -> int | None:
    eligible = [index for index, row in enumerate(rows) if row.reason is None]
    return min(
        eligible,
        key=lambda i: (-round(rows[i].silhouette, DIGITS), rows[i].n_groups, rows[i].seed, i),
        default=None,
    )


def _by_size(labels: IntArray) -> IntArray:
    """Labels in order of size, largest first, ties by first member."""
    labels = in_order_of_first(labels)
    order = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[labels]
