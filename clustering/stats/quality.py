"""How good opinion groups are: separation, singletons, and how groups vote on each other's statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from clustering.stats.distances import (
    UNASSIGNED,
    euclidean_distances,
    share_without_common,
    silhouette_samples,
)
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.partitions import Labelled
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "GroupQuality", "Judged", "PeerVoting", "group_quality", "peer_voting"]

METHOD_VERSION = "2"

# Columns of the rates.
VALUES = (1.0, -1.0, 0.0)
# Distances between all pairs of more people than this are not computed: their number grows with the square.
MOST_PEOPLE = 5_000
TOO_MANY = "more than 5,000 participants: distances between all pairs are not computed"


class Judged(Labelled, Protocol):
    """What any clusterer returns, as far as it is judged here."""

    @property
    def coordinates(self) -> FloatArray:
        """Place on the map."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Members of group 0, 1, ..."""

    @property
    def silhouette(self) -> float:
        """Mean silhouette by which the groups were chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class PeerVoting:
    """How groups vote on statements by their own members and by members of other groups.

    Attributes
    ----------
    within, outside : ndarray of float, shape (n_groups, 3)
        Shares in [0, 1] of approval, disapproval and neutral among the votes of a group; ``nan`` in a row
        without such a vote.
    n_within, n_outside : ndarray of int, shape (n_groups,)
        Votes that count.
    mean_within, mean_outside : ndarray of float, shape (3,)
        Mean over the groups that have such votes; ``nan`` if none has.
    n_groups_within, n_groups_outside : int
        Groups that have such votes: those the means are over.
    pooled_within, pooled_outside : ndarray of float, shape (3,)
        Shares among the votes of all groups together: large groups count more; ``nan`` without such a vote.
    cohesion : float
        Mean of ``within`` approval over the groups of two and more; ``nan`` if none has such votes.
    n_own : int
        Votes on one's own statement, which never count.
    n_unattributed : int
        Votes on statements whose author is in no group (seeds, say), which do not count.
    undefined : str or None
        Set if no vote counts.
    """

    within: FloatArray
    outside: FloatArray
    n_within: IntArray
    n_outside: IntArray
    mean_within: FloatArray
    mean_outside: FloatArray
    n_groups_within: int
    n_groups_outside: int
    pooled_within: FloatArray
    pooled_outside: FloatArray
    cohesion: float
    n_own: int
    n_unattributed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` (no such vote) as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True, eq=False)
class GroupQuality:
    """Figures to judge opinion groups by, whatever found them.

    Attributes
    ----------
    silhouette : float
        Mean silhouette in [-1, 1] by which the clusterer chose, in its own metric; ``nan`` if undefined.
    map_silhouette : float
        Mean silhouette in [-1, 1] of the grouped participants on the map: the same for any clusterer.
    group_silhouettes : ndarray of float, shape (n_groups,)
        Its mean over the members of each group; 0 for a group of one.
    n_groups : int
    n_grouped : int
        Participants in a group.
    n_ungrouped : int
        Participants in none.
    singleton_share : float
        Share in [0, 1] of the groups that have one member; ``nan`` without groups.
    largest_share : float
        Share in [0, 1] of the grouped participants who are in the largest group; ``nan`` without groups.
    share_without_common : float
        Share in [0, 1] of the pairs of participants without a common statement, votes on one's own statement
        left out; ``nan`` with fewer than two voters.
    peers : PeerVoting or None
        None if authors are not known.
    pairs_undefined : str or None
        Why figures over all pairs (both on the map, and the share without a common statement) are ``nan``.
    undefined : str or None
        Why there are no groups.
    """

    silhouette: float
    map_silhouette: float
    group_silhouettes: FloatArray
    n_groups: int
    n_grouped: int
    n_ungrouped: int
    singleton_share: float
    largest_share: float
    share_without_common: float
    peers: PeerVoting | None
    pairs_undefined: str | None
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason in ``undefined`` or ``pairs_undefined``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def group_quality(groups: Judged, matrix: VoteMatrix, *, authors: Mapping[str, str] | None = None) -> GroupQuality:
    """Figures to judge the opinion groups of a question by.

    Parameters
    ----------
    groups : Judged
        Groups by any clusterer.
    matrix : VoteMatrix
        The matrix the groups were made from.
    authors : mapping of statement key to participant key, optional
        Needed for `peers`.

    Returns
    -------
    GroupQuality

    Raises
    ------
    ValueError
        If the groups were not made from `matrix`.
    """
    if groups.participants != matrix.participants:
        raise ValueError("the groups were made from another matrix")
    sizes = np.array(groups.sizes, dtype=np.int64)
    too_many = TOO_MANY if len(matrix.participants) > MOST_PEOPLE else None
    whole, by_group = _on_the_map(groups, len(sizes)) if too_many is None else (np.nan, np.full(len(sizes), np.nan))
    rated = matrix.without(matrix.own_votes(authors or {}))
    return GroupQuality(
        silhouette=groups.silhouette,
        map_silhouette=whole,
        group_silhouettes=by_group,
        n_groups=len(sizes),
        n_grouped=int(sizes.sum()),
        n_ungrouped=int((groups.labels == UNASSIGNED).sum()),
        singleton_share=float((sizes == 1).mean()) if len(sizes) else float("nan"),
        largest_share=float(sizes.max() / sizes.sum()) if len(sizes) else float("nan"),
        share_without_common=float("nan") if too_many else share_without_common(rated.values),
        peers=None if authors is None else peer_voting(matrix, groups.labels, authors),
        pairs_undefined=too_many,
        undefined=groups.undefined,
    )


def _on_the_map(groups: Judged, n_groups: int) -> tuple[float, FloatArray]:
    """Mean silhouette of all who are grouped, and of each group, by places on the map."""
    grouped = groups.labels != UNASSIGNED
    places, labels = groups.coordinates[grouped], groups.labels[grouped]
    scores = silhouette_samples(euclidean_distances(places, places), labels)
    means = [float(scores[labels == label].mean()) for label in range(n_groups)]
    return float(scores.mean()) if len(scores) else float("nan"), np.array(means)


def peer_voting(matrix: VoteMatrix, labels: IntArray, authors: Mapping[str, str]) -> PeerVoting:
    """Votes of groups on statements by their own members, and by members of other groups.

    Parameters
    ----------
    matrix : VoteMatrix
    labels : ndarray of int, shape (n_participants,)
        Group 0 to K-1 of each row; -1 for participants in no group.
    authors : mapping of statement key to participant key
        Statements by nobody in the matrix may be left out.

    Returns
    -------
    PeerVoting

    Raises
    ------
    ValueError
        If `labels` does not fit the rows.

    Notes
    -----
    Cohesion and rates of the Overton paper [1]_. Within a group the votes are pooled; means are over groups.
    A group without votes of a kind is skipped, not counted as 0. The paper does not say whether its averages over
    clusters weigh them by votes, so the pooled rates stand beside the means.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, appendix C.3.
    """
    if labels.shape != (len(matrix.participants),):
        raise ValueError(f"{len(labels)} labels for {len(matrix.participants)} participants")
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    own = matrix.own_votes(authors)
    label_of = dict(zip(matrix.participants, labels.tolist(), strict=True))
    by = [label_of.get(authors[key], UNASSIGNED) if key in authors else UNASSIGNED for key in matrix.statements]
    rows, columns = np.nonzero(matrix.seen & ~own)
    voter, author = labels[rows], np.array(by, dtype=np.int64)[columns]
    counts = (voter != UNASSIGNED) & (author != UNASSIGNED)
    tables = _tables(voter[counts], author[counts], matrix.values[rows[counts], columns[counts]], n_groups)
    within = tables[np.arange(n_groups), np.arange(n_groups)]
    outside = tables.sum(axis=1) - within
    n_within, n_outside = within.sum(axis=1), outside.sum(axis=1)
    sizes = np.bincount(labels[labels != UNASSIGNED], minlength=n_groups)
    approval = _rates(within)[:, 0][(sizes > 1) & (n_within > 0)]
    return PeerVoting(
        within=_rates(within),
        outside=_rates(outside),
        n_within=n_within,
        n_outside=n_outside,
        mean_within=_mean_rates(within),
        mean_outside=_mean_rates(outside),
        n_groups_within=int((n_within > 0).sum()),
        n_groups_outside=int((n_outside > 0).sum()),
        pooled_within=_rates(within.sum(axis=0, keepdims=True))[0],
        pooled_outside=_rates(outside.sum(axis=0, keepdims=True))[0],
        cohesion=float(approval.mean()) if len(approval) else float("nan"),
        n_own=int(own.sum()),
        n_unattributed=int(((voter != UNASSIGNED) & (author == UNASSIGNED)).sum()),
        undefined=None if tables.sum() else "no grouped participant voted on a statement by another one",
    )


def _tables(voter: IntArray, author: IntArray, values: FloatArray, n_groups: int) -> IntArray:
    """Votes by group of the voter, group of the author and value, shape (n_groups, n_groups, 3)."""
    place = np.select([values == value for value in VALUES], range(len(VALUES)))
    flat = (voter * n_groups + author) * len(VALUES) + place
    n_cells = n_groups * n_groups * len(VALUES)
    return np.bincount(flat, minlength=n_cells).reshape(n_groups, n_groups, len(VALUES))


def _rates(counts: IntArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    rates: FloatArray = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=rates, where=total > 0)
    return rates


def _mean_rates(counts: IntArray) -> FloatArray:
    rates = _rates(counts)[counts.sum(axis=1) > 0]
    return np.asarray(rates.mean(axis=0)) if len(rates) else np.full(len(VALUES), np.nan)
