"""Portraits of groups from votes alone."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import BoolArray, IntArray
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.profiles import GroupCounts, OpinionProfiles, profile_counts

__all__ = ["METHOD_VERSION", "count_group_votes", "portraits"]

METHOD_VERSION = "1"


def count_group_votes(votes: SparseVotes, labels: IntArray) -> GroupCounts:
    """Votes of each group on each statement, as :func:`clustering.stats.profiles.count_votes` counts them.

    Parameters
    ----------
    votes : SparseVotes
    labels : ndarray of int, shape (n_participants,)
        Group 0 to K-1; -1 is counted nowhere.

    Returns
    -------
    GroupCounts
    """
    n_groups, n_statements = int(labels.max(initial=-1)) + 1, len(votes.statements)
    group = labels[votes.rows]
    grouped = group >= 0
    cell = group[grouped] * n_statements + votes.columns[grouped]
    values = votes.values[grouped]
    agree, disagree, neutral = (
        np.bincount(cell[values == value], minlength=n_groups * n_statements).reshape(n_groups, n_statements)
        for value in (1, -1, 0)
    )
    return GroupCounts(agree, disagree, neutral, agree + disagree + neutral)


def portraits(votes: SparseVotes, labels: IntArray, shown: BoolArray, *, limit: int = 5) -> OpinionProfiles:
    """Portraits of the groups, and consensus over all participants, grouped or not.

    Parameters
    ----------
    votes : SparseVotes
    labels : ndarray of int, shape (n_participants,)
        Group 0 to K-1; -1 for participants in no group.
    shown : ndarray of bool, shape (n_statements,)
        Statements that may be selected.
    limit : int, default 5

    Returns
    -------
    OpinionProfiles
    """
    everybody = (votes.votes_on(1), votes.votes_on(-1), votes.votes_on())
    return profile_counts(votes.statements, count_group_votes(votes, labels), everybody, shown=shown, limit=limit)
