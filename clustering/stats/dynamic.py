"""Opinion groups: the dynamic clusterer of the Overton paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.distances import UNASSIGNED, filled, share_without_common
from clustering.stats.eligibility import Exclusion, Selection, select_participants
from clustering.stats.fits import Fits
from clustering.stats.groups import METHOD_VERSION, Grid, GridRow, OpinionGroups
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.projection import Projection, project
from clustering.stats.readings import Readings
from clustering.stats.search import Found, search
from clustering.stats.spaces import ProjectionSpace, Space, VoteSpace, places_on_axes

__all__ = ["METHOD_VERSION", "Grid", "GridRow", "OpinionGroups", "Readings", "cluster_opinions"]

SAME_PLACE = 1e-9
TOO_SMALL = "in a group under the minimum size"


def cluster_opinions(
    matrix: VoteMatrix,
    *,
    seed: int,
    grid: Grid | None = None,
    authors: Mapping[str, str] | None = None,
    **readings: Any,
) -> OpinionGroups:
    """Groups of participants who vote alike, their number found from the votes.

    Parameters
    ----------
    matrix : VoteMatrix
    seed : int
        At least 0; start `i` draws from ``SeedSequence(seed, spawn_key=(i,))``.
    grid : Grid, optional
        Settings to try; the published ones by default.
    authors : mapping of statement key to participant key, optional
        Who wrote what; needed to recognise votes on one's own statement.
    **readings
        How the text is read where it leaves something open (`space`, `unit`, `own_votes`, ...): the fields of
        :class:`~clustering.stats.readings.Readings`, with its defaults.

    Returns
    -------
    OpinionGroups
        With ``undefined`` set where the votes cannot be grouped.

    Raises
    ------
    ValueError
        If a reading is unknown or a number is out of range.
    TypeError
        If there is no reading of that name.

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
    if seed < 0:
        raise ValueError(f"seed is at least 0, not {seed}")
    read = Readings(**readings)
    grid = grid or Grid()
    own = matrix.own_votes(authors or {}) if read.own_votes == "exclude" else np.zeros(matrix.values.shape, dtype=bool)
    rated = matrix.without(own)
    taken = select_participants(rated, linked=read.space == "votes", minimum_votes=read.minimum_votes)
    # Everything is computed on the rows and columns that count; the rest is filled in at the end.
    used = rated.subset(taken.rows, taken.columns)
    n_dimensions = len(used.statements) if read.dimensions == "voted" else len(matrix.statements)
    # Threads cost these small products more than they give (fifteenfold on a busy machine with two processors).
    with threadpool_limits(limits=1, user_api="blas"):
        projection = project(used)
        places = _places(used, projection, read, n_dimensions)
        unit_length = _unit_length(places, read)
        found = Found.nothing(taken.undefined or projection.undefined)
        if found.undefined is None:
            found = _found(used, places / unit_length, n_dimensions, read, grid, seed)
        share = share_without_common(rated.values)
    labels, coordinates = _for_everybody(taken, projection, found)
    return OpinionGroups(
        participants=matrix.participants,
        labels=labels,
        coordinates=coordinates,
        sizes=tuple(np.bincount(labels[labels != UNASSIGNED]).tolist()),
        silhouette=float("nan") if found.chosen is None else found.rows[found.chosen].silhouette,
        chosen=found.chosen,
        rows=found.rows,
        exclusions=_exclusions(matrix, taken, found),
        n_statements=len(used.statements),
        n_own_votes=int(own.sum()),
        share_without_common=share,
        readings=read,
        unit_length=unit_length,
        seed=seed,
        grid=grid,
        matrix_sha256=matrix.sha256(),
        caution=projection.caution,
        undefined=found.undefined,
    )


def _places(used: VoteMatrix, projection: Projection, read: Readings, n_dimensions: int) -> FloatArray:
    """Places in the projection as the readings have them (the map shows the usual ones)."""
    places: FloatArray = projection.coordinates
    if read.axes != places.shape[1] and projection.undefined is None:
        places = places_on_axes(used.values, read.axes)
    if read.scaling == "none" and read.space == "projection":
        factor = np.sqrt(len(used.statements) / np.maximum(used.seen.sum(axis=1, keepdims=True), 1))
        places = places / factor
    if n_dimensions != len(used.statements) and used.statements:
        places = places * np.sqrt(n_dimensions / len(used.statements))
    return places


def _unit_length(places: FloatArray, read: Readings) -> float:
    """Length in the plane that a threshold of 1 stands for; nan where nothing is spread out."""
    if read.space == "votes" or read.unit == "coordinate":
        return 1.0
    if not np.isfinite(places).any():
        return float("nan")
    around = places - places.mean(axis=0)
    spread = float(np.sqrt((around**2).sum(axis=1).mean()))
    return spread if spread > SAME_PLACE else float("nan")


def _found(used: VoteMatrix, points: FloatArray, n_dimensions: int, read: Readings, grid: Grid, seed: int) -> Found:
    plane = ProjectionSpace(points)
    votes = VoteSpace(used.values, read.vote_scaling, n_dimensions)
    space: Space = plane if read.space == "projection" else votes
    between = filled(space.pairwise())
    if not between.max() > SAME_PLACE:
        return Found.nothing("all participants voted alike")
    distances = plane.pairwise() if read.metric == "projection" else filled(votes.pairwise(), read.no_overlap)
    return search(space, Fits(space, distances, read), grid, read, seed)


def _for_everybody(taken: Selection, projection: Projection, found: Found) -> tuple[IntArray, FloatArray]:
    """Labels and coordinates for all participants, read-only."""
    labels = np.full(len(taken.rows), UNASSIGNED, dtype=np.int64)
    coordinates = np.full((len(taken.rows), 2), np.nan)
    coordinates[taken.rows] = projection.coordinates
    if found.chosen is not None:
        labels[taken.rows] = found.labels
    labels.setflags(write=False)
    coordinates.setflags(write=False)
    return labels, coordinates


def _exclusions(matrix: VoteMatrix, taken: Selection, found: Found) -> tuple[Exclusion, ...]:
    """Who is not grouped and why, in the order of the participants."""
    if found.chosen is None or (found.labels != UNASSIGNED).all():
        return taken.exclusions
    rows = np.flatnonzero(taken.rows)[found.labels == UNASSIGNED]
    small = [Exclusion(matrix.participants[row], TOO_SMALL) for row in rows]
    return tuple(sorted([*taken.exclusions, *small], key=lambda exclusion: exclusion.participant))
