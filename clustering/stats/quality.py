"""How good opinion groups are: separation, singletons, and how groups vote on each other's statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.distances import UNASSIGNED, membership
from clustering.stats.groups import OpinionGroups
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "GroupQuality", "PeerVoting", "group_quality", "peer_voting"]

METHOD_VERSION = "1"

VALUES = (1.0, -1.0, 0.0)


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
    cohesion: float
    n_own: int
    n_unattributed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` (no such vote) as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True)
class GroupQuality:
    """Figures to judge opinion groups by.

    Attributes
    ----------
    silhouette : float
        Mean silhouette of the chosen fit in [-1, 1]; ``nan`` if undefined.
    n_groups : int
    n_grouped : int
        Participants in a group.
    singleton_share : float
        Share in [0, 1] of the groups that have one member; ``nan`` without groups.
    largest_share : float
        Share in [0, 1] of the grouped participants who are in the largest group; ``nan`` without groups.
    share_without_common : float
        Share in [0, 1] of the pairs of participants without a common statement.
    peers : PeerVoting or None
        None if authors are not known.
    undefined : str or None
        Why there are no groups.
    """

    silhouette: float
    n_groups: int
    n_grouped: int
    singleton_share: float
    largest_share: float
    share_without_common: float
    peers: PeerVoting | None
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason in ``undefined``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def group_quality(
    groups: OpinionGroups, matrix: VoteMatrix, *, authors: Mapping[str, str] | None = None
) -> GroupQuality:
    """Figures to judge the opinion groups of a question by.

    Parameters
    ----------
    groups : OpinionGroups
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
    sizes = np.array(groups.sizes)
    return GroupQuality(
        silhouette=groups.silhouette,
        n_groups=groups.n_groups,
        n_grouped=int(sizes.sum()),
        singleton_share=float((sizes == 1).mean()) if len(sizes) else float("nan"),
        largest_share=float(sizes.max() / sizes.sum()) if len(sizes) else float("nan"),
        share_without_common=groups.share_without_common,
        peers=None if authors is None else peer_voting(matrix, groups.labels, authors),
        undefined=groups.undefined,
    )


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
    A group without votes of a kind is skipped, not counted as 0.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, appendix C.3.
    """
    if labels.shape != (len(matrix.participants),):
        raise ValueError(f"{len(labels)} labels for {len(matrix.participants)} participants")
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    own = matrix.own_votes(authors)
    values = np.where(own, np.nan, matrix.values)
    label_of = dict(zip(matrix.participants, labels.tolist(), strict=True))
    by = [label_of.get(authors[key], UNASSIGNED) if key in authors else UNASSIGNED for key in matrix.statements]
    author_group = np.array(by, dtype=np.int64)
    voters, writers = membership(labels, n_groups).T, membership(author_group, n_groups)
    # One table for each value: votes of group g (rows) on statements by group h (columns).
    tables = np.stack([np.rint(voters @ (values == value) @ writers) for value in VALUES], axis=-1)
    within = tables[np.arange(n_groups), np.arange(n_groups)]
    outside = tables.sum(axis=1) - within
    unattributed = ~np.isnan(values) & (labels != UNASSIGNED)[:, None] & (author_group == UNASSIGNED)
    sizes = np.bincount(labels[labels != UNASSIGNED], minlength=n_groups)
    approval = _rates(within)[:, 0][(sizes > 1) & (within.sum(axis=1) > 0)]
    return PeerVoting(
        within=_rates(within),
        outside=_rates(outside),
        n_within=within.sum(axis=1).astype(np.int64),
        n_outside=outside.sum(axis=1).astype(np.int64),
        mean_within=_mean_rates(within),
        mean_outside=_mean_rates(outside),
        cohesion=float(approval.mean()) if len(approval) else float("nan"),
        n_own=int(own.sum()),
        n_unattributed=int(unattributed.sum()),
        undefined=None if tables.sum() else "no grouped participant voted on a statement by another one",
    )


def _rates(counts: FloatArray) -> FloatArray:
    total = counts.sum(axis=1, keepdims=True)
    rates: FloatArray = np.full(counts.shape, np.nan)
    np.divide(counts, total, out=rates, where=total > 0)
    return rates


def _mean_rates(counts: FloatArray) -> FloatArray:
    rates = _rates(counts)[counts.sum(axis=1) > 0]
    return np.asarray(rates.mean(axis=0)) if len(rates) else np.full(len(VALUES), np.nan)
