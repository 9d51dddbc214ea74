"""What the polis clusterer answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clustering.stats.distances import UNASSIGNED
from clustering.stats.eligibility import Exclusion
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.plain import plain
from clustering.stats.polis.candidates import BaseClusters, Candidate
from clustering.stats.polis.state import PolisState
from clustering.stats.profiles import OpinionProfiles

__all__ = ["METHOD_VERSION", "Moderation", "PolisGroups", "PolisSettings", "StatementMap"]

METHOD_VERSION = "1"

Moderation = Literal["missing", "zero"]


@dataclass(frozen=True, slots=True)
class PolisSettings:
    """Settings of the clusterer; the defaults are those of Pol.is.

    Attributes
    ----------
    moderation : {"missing", "zero"}
        Whether a hidden statement is treated as never voted on, or as passed by everybody.
    own_votes : {"exclude", "include"}
        Whether a vote on one's own statement counts.
    minimum_votes : int
        Votes from which somebody is clustered, if there are so many statements.
    fewest_people : int
        If fewer are clustered, the most active are added until there are so many.
    max_base : int
        Base clusters at most.
    max_groups : int
        Groups at most.
    buffer : int
        Runs in a row with the same winner before the number of groups changes.
    limit : int
        Statements selected per group and list.

    Raises
    ------
    ValueError
        If a value is out of range.
    """

    moderation: Moderation = "zero"
    own_votes: Literal["exclude", "include"] = "include"
    minimum_votes: int = 7
    fewest_people: int = 15
    max_base: int = 100
    max_groups: int = 5
    buffer: int = 4
    limit: int = 5

    def __post_init__(self) -> None:
        """Refuse settings that cannot be run."""
        if self.moderation not in ("missing", "zero"):
            raise ValueError(f"moderation is one of missing, zero, not {self.moderation!r}")
        if self.own_votes not in ("exclude", "include"):
            raise ValueError(f"own_votes is one of exclude, include, not {self.own_votes!r}")
        if min(self.minimum_votes, self.buffer) < 1 or min(self.fewest_people, self.limit) < 0:
            raise ValueError("minimum_votes and buffer are at least 1, fewest_people and limit at least 0")
        if min(self.max_base, self.max_groups) < 2:
            raise ValueError("max_base and max_groups are at least 2")


@dataclass(frozen=True, slots=True, eq=False)
class StatementMap:
    """Statements on the map and in the draw.

    Attributes
    ----------
    statements : tuple of str
    means : ndarray of float, shape (n_statements,)
        Mean vote in [-1, 1]; ``nan`` where a statement does not shape the map, 0 where it counts as passed.
    components : ndarray of float, shape (2, n_statements)
        Unit loadings.
    coordinates : ndarray of float, shape (n_statements, 2)
        Where somebody would stand whose one vote agrees with the statement; ``nan`` if not on the map.
    extremity : ndarray of float, shape (n_statements,)
        Length of these coordinates.
    explained : ndarray of float, shape (2,)
        Share in [0, 1] of the variance of the imputed matrix on each axis.
    priorities : ndarray of float, shape (n_statements,)
        Positive weights for the draw of the next statement; ``nan`` without groups.
    """

    statements: tuple[str, ...]
    means: FloatArray
    components: FloatArray
    coordinates: FloatArray
    extremity: FloatArray
    explained: FloatArray
    priorities: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PolisGroups:
    """Opinion groups of one question, as Pol.is finds them.

    Attributes
    ----------
    participants : tuple of str
        All rows of the votes given.
    labels : ndarray of int, shape (n_participants,)
        Group of each participant: 0 is the largest, equal sizes by whose first member voted first; -1 if
        not grouped.
    coordinates : ndarray of float, shape (n_participants, 2)
        Place on the map of everybody with a vote that counts, grouped or not; else ``nan``.
    sizes : tuple of int
        Members of group 0, 1, ...
    silhouette : float
        Mean silhouette in [-1, 1] of the base clusters in the chosen candidate.
    chosen : int or None
        Index in `rows` of the candidate in force.
    best : int or None
        Index in `rows` of the winner of this run, which differs while the smoother holds on to another.
    rows : tuple of Candidate
        Every number of groups tried.
    exclusions : tuple of Exclusion
        Who is not grouped, and why.
    n_statements : int
        Statements that count (the C of the projection).
    n_own_votes : int
        Votes on one's own statement that were left out.
    n_kept, n_filled : int
        Clustered with fewer votes than needed: because an earlier run clustered them; because there were
        too few with enough votes.
    minimum_votes : int
        Votes that were needed.
    bases : BaseClusters
    map : StatementMap
    profiles : OpinionProfiles
        Group votes, group-informed consensus, characteristic and consensus statements.
    hidden, meta : tuple of str
        Statements moderated out; statements about the people themselves.
    settings : PolisSettings
    seed : int
        Carried along; nothing is drawn.
    state : PolisState
        For the next run.
    matrix_sha256 : str
        Digest of the votes given.
    order_sha256 : str
        Digest of the order of first votes that was used.
    caution : str or None
        What to mind when reading map or groups.
    undefined : str or None
        Why there are no groups: then labels are -1, numbers ``nan``, `chosen` is None.
    """

    participants: tuple[str, ...]
    labels: IntArray
    coordinates: FloatArray
    sizes: tuple[int, ...]
    silhouette: float
    chosen: int | None
    best: int | None
    rows: tuple[Candidate, ...]
    exclusions: tuple[Exclusion, ...]
    n_statements: int
    n_own_votes: int
    n_kept: int
    n_filled: int
    minimum_votes: int
    bases: BaseClusters
    map: StatementMap
    profiles: OpinionProfiles
    hidden: tuple[str, ...]
    meta: tuple[str, ...]
    settings: PolisSettings
    seed: int
    state: PolisState
    matrix_sha256: str
    order_sha256: str
    caution: str | None
    undefined: str | None

    @property
    def method(self) -> str:
        """Name of the clusterer."""
        return "polis"

    @property
    def n_groups(self) -> int:
        """Number of groups; 0 if undefined."""
        return len(self.sizes)

    def members(self) -> dict[str, int]:
        """Group of each grouped participant, by key."""
        pairs = zip(self.participants, self.labels.tolist(), strict=True)
        return {key: label for key, label in pairs if label != UNASSIGNED}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason in ``undefined`` or the row."""
        result: dict[str, Any] = plain(self)
        return result | {
            "method": self.method,
            "n_groups": self.n_groups,
            "profiles": self.profiles.to_dict(),
            "state": self.state.to_dict(),
            "method_version": METHOD_VERSION,
        }
