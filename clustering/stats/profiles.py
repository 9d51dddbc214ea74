"""What opinion groups stand for: their votes on each statement, and the statements that set them apart."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.distances import membership
from clustering.stats.matrix import BoolArray, FloatArray, IntArray, VoteMatrix
from clustering.stats.plain import plain
from clustering.stats.representativeness import representativeness
from clustering.stats.selection import (
    CharacteristicStatement,
    ConsensusStatement,
    consensus_statements,
    representative_statements,
)

__all__ = [
    "METHOD_VERSION",
    "GroupCounts",
    "OpinionProfiles",
    "count_votes",
    "group_informed_consensus",
    "profile_counts",
    "profile_groups",
]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class GroupCounts:
    """Votes of each group on each statement.

    Attributes
    ----------
    agree, disagree, neutral : ndarray of int, shape (n_groups, n_statements)
    seen : ndarray of int, shape (n_groups, n_statements)
        All votes, neutral ones included: the sum of the three.
    """

    agree: IntArray
    disagree: IntArray
    neutral: IntArray
    seen: IntArray

    @property
    def agree_share(self) -> FloatArray:
        """Share in [0, 1] of a group's votes on a statement that agree; ``nan`` without a vote."""
        return _share(self.agree, self.seen)


@dataclass(frozen=True, slots=True, eq=False)
class OpinionProfiles:
    """Portraits of the opinion groups of a question.

    Attributes
    ----------
    statements : tuple of str
    counts : GroupCounts
        Shape (n_groups, n_statements).
    agree_share : ndarray of float, shape (n_groups, n_statements)
        In [0, 1]; ``nan`` where no member voted.
    group_informed_consensus : ndarray of float, shape (n_statements,)
        In (0, 1); ``nan`` without groups.
    characteristic : tuple of tuple of CharacteristicStatement
        For each group at most `limit` statements, agreement first.
    consensus_agree, consensus_disagree : tuple of ConsensusStatement
        What participants at large agree or disagree with.
    undefined : str or None
        Set if there are no groups.
    """

    statements: tuple[str, ...]
    counts: GroupCounts
    agree_share: FloatArray
    group_informed_consensus: FloatArray
    characteristic: tuple[tuple[CharacteristicStatement, ...], ...]
    consensus_agree: tuple[ConsensusStatement, ...]
    consensus_disagree: tuple[ConsensusStatement, ...]
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` (no vote of that group) as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def count_votes(values: FloatArray, labels: IntArray) -> GroupCounts:
    """Votes of each group on each statement.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        1 agree, -1 disagree, 0 neutral, ``nan`` missing.
    labels : ndarray of int, shape (n_participants,)
        Group 0 to K-1; -1 is counted nowhere.

    Returns
    -------
    GroupCounts
    """
    n_groups = int(labels.max()) + 1 if len(labels) else 0
    members = membership(labels, n_groups).T
    agree, disagree, neutral = (
        np.rint(members @ (values == value).astype(np.float64)).astype(np.int64) for value in (1.0, -1.0, 0.0)
    )
    return GroupCounts(agree, disagree, neutral, agree + disagree + neutral)


def group_informed_consensus(counts: GroupCounts) -> FloatArray:
    r"""How much all groups agree with a statement, each group counting alike.

    Parameters
    ----------
    counts : GroupCounts

    Returns
    -------
    ndarray of float, shape (n_statements,)
        In (0, 1); ``nan`` without groups.

    Notes
    -----
    :math:`\prod_g (A_{gc} + 1) / (S_{gc} + 2)` over groups, S counting neutral votes too [1]_. It falls
    with the number of groups, and a unanimous group of two still gives 3/4: compare statements within
    a question, never across questions.

    References
    ----------
    .. [1] C. Small et al., Polis: Scaling deliberation by mapping high dimensional opinion spaces, Recerca
       26(2), 2021; Pol.is, math/src/polismath/math/conversation.clj (group-aware-consensus).
    """
    if not len(counts.agree):
        return np.full(counts.agree.shape[1], np.nan)
    product: FloatArray = ((counts.agree + 1.0) / (counts.seen + 2.0)).prod(axis=0)
    return product


def profile_groups(
    matrix: VoteMatrix, labels: IntArray, *, hidden: Collection[str] = (), limit: int = 5
) -> OpinionProfiles:
    """Portraits of the groups of a question by Pol.is' tests.

    Parameters
    ----------
    matrix : VoteMatrix
    labels : ndarray of int, shape (n_participants,)
        Group 0 to K-1 of each row; -1 for participants in no group.
    hidden : collection of str, optional
        Statements that are counted but never selected (moderated out, say).
    limit : int, default 5
        Statements selected per group and list.

    Returns
    -------
    OpinionProfiles
        Consensus counts every participant of the matrix, grouped or not, as Pol.is does.

    Raises
    ------
    ValueError
        If `labels` does not fit the rows, or a group between 0 and the largest is empty.
    """
    _check_labels(matrix, labels)
    counts = count_votes(matrix.values, labels)
    away = set(hidden)
    shown = np.array([key not in away for key in matrix.statements], dtype=bool)
    agree, disagree, seen = (cells.sum(axis=0) for cells in (matrix.values == 1.0, matrix.values == -1.0, matrix.seen))
    return profile_counts(matrix.statements, counts, (agree, disagree, seen), shown=shown, limit=limit)


def profile_counts(
    statements: tuple[str, ...],
    counts: GroupCounts,
    everybody: tuple[IntArray, IntArray, IntArray],
    *,
    shown: BoolArray,
    limit: int = 5,
) -> OpinionProfiles:
    """Portraits of groups whose votes have been counted.

    Parameters
    ----------
    statements : tuple of str
    counts : GroupCounts
    everybody : three ndarrays of int, shape (n_statements,)
        Agreement, disagreement and all votes of all participants, grouped or not.
    shown : ndarray of bool, shape (n_statements,)
        Statements that may be selected.
    limit : int, default 5

    Returns
    -------
    OpinionProfiles
    """
    tests = representativeness(counts.agree, counts.disagree, counts.seen)
    agree, disagree = consensus_statements(statements, *everybody, shown=shown, limit=limit)
    return OpinionProfiles(
        statements=statements,
        counts=counts,
        agree_share=counts.agree_share,
        group_informed_consensus=group_informed_consensus(counts),
        characteristic=tuple(
            representative_statements(statements, tests, group, shown=shown, limit=limit)
            for group in range(len(counts.agree))
        ),
        consensus_agree=agree,
        consensus_disagree=disagree,
        undefined=None if len(counts.agree) else "there are no groups",
    )


def _share(part: IntArray, whole: IntArray) -> FloatArray:
    share: FloatArray = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share


def _check_labels(matrix: VoteMatrix, labels: IntArray) -> None:
    if labels.shape != (len(matrix.participants),):
        raise ValueError(f"{len(labels)} labels for {len(matrix.participants)} participants")
    grouped = np.unique(labels[labels >= 0])
    if (grouped != np.arange(len(grouped))).any():
        raise ValueError("groups are numbered 0 to K-1 without gaps")
