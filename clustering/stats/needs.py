"""Which statements, which people and which single votes a question lacks most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import BoolArray, VoteMatrix

__all__ = [
    "METHOD_VERSION",
    "Link",
    "PersonNeed",
    "StatementNeed",
    "links",
    "people_in_need",
    "statements_in_need",
    "without_common",
]

METHOD_VERSION = "1"

MOST_LINKS = 20


@dataclass(frozen=True, slots=True)
class StatementNeed:
    """An under-voted statement.

    Attributes
    ----------
    statement : str
    n_votes : int
    n_more : int
        Votes to the cut-off.
    """

    statement: str
    n_votes: int
    n_more: int


@dataclass(frozen=True, slots=True)
class PersonNeed:
    """A participant whose place rests on little.

    Attributes
    ----------
    participant : str
    n_votes : int
    n_more : int
        Votes to the cut-off, 0 if reached.
    n_without_common : int
        Other voters with whom they share no statement; 0 also where pairs were not looked at.
    """

    participant: str
    n_votes: int
    n_more: int
    n_without_common: int


@dataclass(frozen=True, slots=True)
class Link:
    """A vote that would give pairs a common statement.

    Attributes
    ----------
    participant : str
    statement : str
    n_pairs : int
        Pairs of this participant with others that would get their first common statement.
    """

    participant: str
    statement: str
    n_pairs: int


def statements_in_need(matrix: VoteMatrix, least: int) -> tuple[StatementNeed, ...]:
    """Statements with fewer than `least` votes, the fewest first, ties by key.

    Parameters
    ----------
    matrix : VoteMatrix
    least : int

    Returns
    -------
    tuple of StatementNeed
    """
    counts = matrix.seen.sum(axis=0).tolist()
    needs = [StatementNeed(key, n, least - n) for key, n in zip(matrix.statements, counts, strict=True) if n < least]
    return tuple(sorted(needs, key=lambda need: need.n_votes))


def people_in_need(matrix: VoteMatrix, least: int, *, pairs: bool = True) -> tuple[PersonNeed, ...]:
    """Voters with fewer than `least` votes or without a common statement with another one.

    Parameters
    ----------
    matrix : VoteMatrix
    least : int
    pairs : bool, default True
        Whether to look at pairs, whose number is the square of that of the participants.

    Returns
    -------
    tuple of PersonNeed
        Most pairs lacking first, then fewest votes, then by key.
    """
    counts = matrix.seen.sum(axis=1)
    lacking = without_common(matrix).sum(axis=1) if pairs else np.zeros(len(counts), dtype=np.int64)
    needs = [
        PersonNeed(matrix.participants[row], int(counts[row]), max(least - int(counts[row]), 0), int(lacking[row]))
        for row in np.flatnonzero((counts > 0) & ((counts < least) | (lacking > 0)))
    ]
    return tuple(sorted(needs, key=lambda need: (-need.n_without_common, need.n_votes)))


def without_common(matrix: VoteMatrix) -> BoolArray:
    """Pairs of voters without a common statement.

    Parameters
    ----------
    matrix : VoteMatrix

    Returns
    -------
    ndarray of bool, shape (n_participants, n_participants)
        Symmetric, false on the diagonal and for whoever has no vote.
    """
    known = matrix.seen.astype(np.float64)
    voted = matrix.seen.any(axis=1)
    lacking: BoolArray = (known @ known.T == 0) & np.outer(voted, voted)
    return lacking


def links(matrix: VoteMatrix, authors: Mapping[str, str], most: int = MOST_LINKS) -> tuple[Link, ...]:
    """Votes that would give the most pairs a common statement, one after the other.

    Parameters
    ----------
    matrix : VoteMatrix
    authors : mapping of statement key to participant key
        Nobody is asked to vote on their own statement.
    most : int, default 20

    Returns
    -------
    tuple of Link
        Each the best after those before it; ties go to the first participant, then the first statement, by key.
    """
    lacking = without_common(matrix)
    seen = matrix.seen.copy()
    rows = {key: row for row, key in enumerate(matrix.participants)}
    own = np.zeros(seen.shape, dtype=bool)
    for column, statement in enumerate(matrix.statements):
        if authors.get(statement) in rows:
            own[rows[authors[statement]], column] = True
    gains = lacking.astype(np.float64) @ seen.astype(np.float64)
    found: list[Link] = []
    while len(found) < most:
        possible = np.where(seen | own, 0.0, gains)
        if not possible.size or possible.max() == 0:
            break
        row, column = divmod(int(possible.argmax()), seen.shape[1])
        linked = lacking[row] & seen[:, column]
        found.append(Link(matrix.participants[row], matrix.statements[column], int(linked.sum())))
        seen[row, column] = True
        lacking[row, linked] = lacking[linked, row] = False
        # Only those still lacking the new voter gain from meeting them there, and the linked lack one fewer.
        changed = np.flatnonzero(linked | lacking[row] | (np.arange(len(seen)) == row))
        gains[changed] = lacking[changed].astype(np.float64) @ seen.astype(np.float64)
    return tuple(found)
