"""Who is clustered: those with enough votes, the most active of a small question, and whoever was before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.eligibility import Exclusion
from clustering.stats.matrix import BoolArray, IntArray

__all__ = ["FEWEST_PEOPLE", "METHOD_VERSION", "MINIMUM_VOTES", "Clustered", "who_is_clustered"]

METHOD_VERSION = "1"

MINIMUM_VOTES = 7
FEWEST_PEOPLE = 15


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Who is clustered, and why the others are not.

    Attributes
    ----------
    rows : ndarray of bool, shape (n_participants,)
    exclusions : tuple of Exclusion
    minimum : int
        Votes that were needed.
    n_kept : int
        Taken in with fewer votes because an earlier run clustered them.
    n_filled : int
        Taken in with fewer votes as the most active of too few.
    """

    rows: BoolArray
    exclusions: tuple[Exclusion, ...]
    minimum: int
    n_kept: int
    n_filled: int


def who_is_clustered(
    participants: tuple[str, ...],
    n_votes: IntArray,
    n_columns: int,
    rank: IntArray,
    before: BoolArray,
    *,
    minimum_votes: int = MINIMUM_VOTES,
    fewest_people: int = FEWEST_PEOPLE,
) -> Clustered:
    """Participants to cluster, by Pol.is' rule.

    Parameters
    ----------
    participants : tuple of str, length n_participants
    n_votes : ndarray of int, shape (n_participants,)
        Votes cast.
    n_columns : int
        Statements with a vote.
    rank : ndarray of int, shape (n_participants,)
        Place of each in the order of first votes.
    before : ndarray of bool, shape (n_participants,)
        Who was clustered in an earlier run.
    minimum_votes : int, default 7
    fewest_people : int, default 15

    Returns
    -------
    Clustered

    Notes
    -----
    Everybody with ``min(minimum_votes, n_columns)`` votes, and whoever was clustered before and still has a
    vote; if these are fewer than `fewest_people`, those with most votes are added until they are not, ties
    by the order of first votes [1]_.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/conversation.clj (in-conv).
    """
    minimum = min(minimum_votes, n_columns)
    voted = n_votes > 0
    enough = voted & (n_votes >= minimum)
    rows = enough | (before & voted)
    n_kept = int((rows & ~enough).sum())
    others = np.flatnonzero(voted & ~rows)
    by_votes = others[np.lexsort((rank[others], -n_votes[others]))]
    filled = by_votes[: max(fewest_people - int(rows.sum()), 0)]
    rows[filled] = True
    exclusions = tuple(
        Exclusion(participants[row], "no vote" if not n_votes[row] else _too_few(int(n_votes[row]), minimum))
        for row in np.flatnonzero(~rows).tolist()
    )
    return Clustered(rows, exclusions, minimum, n_kept, len(filled))


def _too_few(count: int, minimum: int) -> str:
    return f"{count} {'vote' if count == 1 else 'votes'}, fewer than the {minimum} needed"
