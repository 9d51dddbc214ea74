"""What the clusterer is asked and what it answers: the grid, its rows, and opinion groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clustering.stats.distances import UNASSIGNED
from clustering.stats.eligibility import Exclusion
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.plain import plain
from clustering.stats.readings import Readings

__all__ = ["METHOD_VERSION", "Grid", "GridRow", "OpinionGroups"]

METHOD_VERSION = "2"


@dataclass(frozen=True, slots=True)
class Grid:
    """Settings to try; the defaults are the published ones (3 x 3 x 3 x 2 settings, 5 starts).

    Attributes
    ----------
    k_max : tuple of int
        Upper bounds of the number of groups, each at least 2.
    distance_threshold : tuple of float
        A point further than this from its nearest centre becomes a centre. In the projection a
        multiple of the spread of the participants (or of a coordinate, see `unit` of
        :class:`~clustering.stats.readings.Readings`); in the vote space steps of the vote scale, 0 to 2.
    outlier_threshold : tuple of float
        Centres closer than this are merged. Same unit. (The reading `thresholds` can exchange the two.)
    minimum_size : tuple of int
        Smaller groups are dissolved at the end; 1 keeps singletons.
    n_seeds : int
        Starts per setting.

    Raises
    ------
    ValueError
        If a list is empty or a value is out of range.
    """

    k_max: tuple[int, ...] = (10, 20)
    distance_threshold: tuple[float, ...] = (0.5, 0.7, 0.9)
    outlier_threshold: tuple[float, ...] = (0.2, 0.6, 1.0)
    minimum_size: tuple[int, ...] = (1, 3, 5)
    n_seeds: int = 5

    def __post_init__(self) -> None:
        """Refuse a grid that cannot be run."""
        lists = (self.k_max, self.distance_threshold, self.outlier_threshold, self.minimum_size)
        if not all(lists) or self.n_seeds < 1:
            raise ValueError("every list of the grid needs a value, and there must be a seed")
        if min(self.k_max) < 2 or min(self.minimum_size) < 1:
            raise ValueError("k_max is at least 2 and minimum_size at least 1")
        if min(self.distance_threshold + self.outlier_threshold) < 0:
            raise ValueError("thresholds are distances and cannot be negative")

    @property
    def n_fits(self) -> int:
        """Number of rows: settings times starts (270 by default)."""
        settings = len(self.k_max) * len(self.distance_threshold)
        return settings * len(self.outlier_threshold) * len(self.minimum_size) * self.n_seeds


@dataclass(frozen=True, slots=True)
class GridRow:
    """One fit of the grid.

    Attributes
    ----------
    k_max, distance_threshold, outlier_threshold, minimum_size
        The setting, see :class:`Grid`.
    seed : int
        Number of the start, from 0; its generator is spawned from the seed of the run.
    n_groups : int
    n_singletons : int
        Groups of one person.
    n_excluded : int
        People in no group because theirs was under the minimum size (reading `small_groups` "exclude").
    silhouette : float
        In [-1, 1]; ``nan`` if the row cannot be chosen.
    reason : str or None
        Why the row cannot be chosen.
    ended_by : str or None
        ``"cycle"`` or ``"round cap"`` if growth did not end by its thresholds.
    """

    k_max: int
    distance_threshold: float
    outlier_threshold: float
    minimum_size: int
    seed: int
    n_groups: int
    n_singletons: int
    n_excluded: int
    silhouette: float
    reason: str | None
    ended_by: str | None


@dataclass(frozen=True, slots=True, eq=False)
class OpinionGroups:
    """Opinion groups of one question.

    Attributes
    ----------
    participants : tuple of str
        All rows of the matrix given.
    labels : ndarray of int, shape (n_participants,)
        Group of each participant: 0 is the largest, equal sizes in the order of their first
        member; -1 if not grouped.
    coordinates : ndarray of float, shape (n_participants, 2)
        Place on the map (the projection, in either space); ``nan`` if not grouped.
    sizes : tuple of int
        Members of group 0, 1, ...
    silhouette : float
        Mean silhouette in [-1, 1] of the chosen fit, in the metric of the readings.
    chosen : int or None
        Index of the chosen row in `rows`.
    rows : tuple of GridRow
        Every fit of the grid, in grid order.
    exclusions : tuple of Exclusion
        Who is not grouped, and why.
    n_statements : int
        Statements with a vote of a grouped participant (the `d` of the paper).
    n_own_votes : int
        Votes on one's own statement that were left out.
    share_without_common : float
        Share in [0, 1] of the pairs of participants without a common statement.
    readings : Readings
    unit_length : float
        What a threshold of 1 is: a length on the map in the projection; in the vote space 1.
    seed : int
        Seed of the run.
    grid : Grid
    matrix_sha256 : str
        Digest of the matrix given.
    caution : str or None
        Set if the axes of the map are arbitrary.
    undefined : str or None
        Why there are no groups: then labels are -1, numbers ``nan``, `chosen` is None.
    """

    participants: tuple[str, ...]
    labels: IntArray
    coordinates: FloatArray
    sizes: tuple[int, ...]
    silhouette: float
    chosen: int | None
    rows: tuple[GridRow, ...]
    exclusions: tuple[Exclusion, ...]
    n_statements: int
    n_own_votes: int
    share_without_common: float
    readings: Readings
    unit_length: float
    seed: int
    grid: Grid
    matrix_sha256: str
    caution: str | None
    undefined: str | None

    @property
    def method(self) -> str:
        """Name of the clusterer."""
        return "dynamic"

    @property
    def n_groups(self) -> int:
        """Number of groups; 0 if undefined."""
        return len(self.sizes)

    @property
    def row(self) -> GridRow | None:
        """The chosen row of the grid."""
        return None if self.chosen is None else self.rows[self.chosen]

    @property
    def setting(self) -> Grid | None:
        """The chosen setting as a grid of its own with one start: to ask how far it depends on the seed."""
        row = self.row
        if row is None:
            return None
        return Grid((row.k_max,), (row.distance_threshold,), (row.outlier_threshold,), (row.minimum_size,), n_seeds=1)

    def members(self) -> dict[str, int]:
        """Group of each grouped participant, by key."""
        pairs = zip(self.participants, self.labels.tolist(), strict=True)
        return {key: label for key, label in pairs if label != UNASSIGNED}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason in ``undefined`` or the row."""
        result: dict[str, Any] = plain(self)
        return result | {"method": self.method, "n_groups": self.n_groups, "method_version": METHOD_VERSION}
