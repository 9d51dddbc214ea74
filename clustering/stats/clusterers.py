"""One way into every clusterer: the same question, the same kind of answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from clustering.stats.dynamic import cluster_opinions
from clustering.stats.eligibility import Exclusion
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.polis.groups import PolisSettings
from clustering.stats.polis.pipeline import cluster_polis
from clustering.stats.polis.state import PolisState
from clustering.stats.polis.votes import SparseVotes

__all__ = ["DYNAMIC", "METHODS", "METHOD_VERSION", "POLIS", "Grouping", "MethodName", "cluster"]

METHOD_VERSION = "1"

MethodName = Literal["dynamic", "polis"]
DYNAMIC: MethodName = "dynamic"
POLIS: MethodName = "polis"
METHODS: tuple[MethodName, ...] = (DYNAMIC, POLIS)


class Grouping(Protocol):
    """Opinion groups of one question, whichever clusterer found them."""

    @property
    def method(self) -> str:
        """Name of the clusterer, one of `METHODS`."""

    @property
    def participants(self) -> tuple[str, ...]:
        """All rows of the matrix given."""

    @property
    def labels(self) -> IntArray:
        """Group of each participant, shape (n_participants,): 0 is the largest; -1 if in no group."""

    @property
    def coordinates(self) -> FloatArray:
        """Place on the map, shape (n_participants, 2); ``nan`` for those who have none."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Members of group 0, 1, ..."""

    @property
    def n_groups(self) -> int:
        """Number of groups; 0 if undefined."""

    @property
    def silhouette(self) -> float:
        """Silhouette of the chosen candidate in [-1, 1], in the clusterer's own metric; ``nan`` if undefined."""

    @property
    def chosen(self) -> int | None:
        """Index of the chosen candidate in `rows`."""

    @property
    def rows(self) -> tuple[Any, ...]:
        """Every candidate tried, each with at least `n_groups`, `silhouette` and `reason`."""

    @property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """Who is in no group, and why."""

    @property
    def n_statements(self) -> int:
        """Statements that count."""

    @property
    def matrix_sha256(self) -> str:
        """Digest of the matrix given."""

    @property
    def caution(self) -> str | None:
        """What to mind when reading the map or the groups."""

    @property
    def undefined(self) -> str | None:
        """Why there are no groups."""

    def members(self) -> dict[str, int]:
        """Group of each grouped participant, by key."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""


def cluster(
    matrix: VoteMatrix | SparseVotes,
    *,
    method: MethodName,
    seed: int,
    authors: Mapping[str, str] | None = None,
    order: Sequence[str] | None = None,
    previous: PolisState | None = None,
    **options: Any,
) -> Grouping:
    """Opinion groups of one question by the clusterer named.

    Parameters
    ----------
    matrix : VoteMatrix or SparseVotes
        The votes; for the same votes either form gives the same bytes.
    method : {"dynamic", "polis"}
    seed : int
        At least 0.
    authors : mapping of statement key to participant key, optional
        Who wrote what, to recognise votes on one's own statement.
    order : sequence of str, optional
        Participants in the order of their first vote; *polis* alone depends on it.
    previous : PolisState, optional
        State of the run before; *polis* alone continues one.
    **options
        Settings of the clusterer: see :func:`clustering.stats.dynamic.cluster_opinions`; for *polis*
        the fields of :class:`clustering.stats.polis.groups.PolisSettings`, and `hidden` and `meta` of
        :func:`clustering.stats.polis.pipeline.cluster_polis`.

    Returns
    -------
    Grouping

    Raises
    ------
    ValueError
        If the method is unknown, an option is out of range, or *dynamic* is given a state to continue.
    TypeError
        If the clusterer has no such option.
    """
    if method == POLIS:
        votes = SparseVotes.from_matrix(matrix) if isinstance(matrix, VoteMatrix) else matrix
        named = {name: options.pop(name) for name in ("hidden", "meta") if name in options}
        settings = PolisSettings(**options)
        return cluster_polis(
            votes, seed=seed, authors=authors, order=order, previous=previous, settings=settings, **named
        )
    if method != DYNAMIC:
        raise ValueError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if previous is not None:
        raise ValueError("the dynamic clusterer starts anew each time: it continues no state")
    whole = matrix.to_matrix() if isinstance(matrix, SparseVotes) else matrix
    return cluster_opinions(whole, seed=seed, authors=authors, **options)
