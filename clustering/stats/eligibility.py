"""Who can be grouped: exclusions with reasons, and questions that cannot be answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.distances import linked_components
from clustering.stats.matrix import BoolArray, VoteMatrix

__all__ = ["METHOD_VERSION", "Exclusion", "Selection", "select_participants"]

METHOD_VERSION = "1"

VALUE_NAMES = {1.0: "agree", -1.0: "disagree", 0.0: "neutral"}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A participant who is not grouped.

    Attributes
    ----------
    participant : str
    reason : str
    """

    participant: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The part of a matrix that is clustered.

    Attributes
    ----------
    rows : ndarray of bool, shape (n_participants,)
    columns : ndarray of bool, shape (n_statements,)
        Statements with a vote of a selected participant.
    exclusions : tuple of Exclusion
        The participants left out, in order.
    undefined : str or None
        Why even the selected part cannot be clustered.
    """

    rows: BoolArray
    columns: BoolArray
    exclusions: tuple[Exclusion, ...]
    undefined: str | None


def select_participants(matrix: VoteMatrix, *, linked: bool, minimum_votes: int = 1) -> Selection:
    """Rows and columns that can be clustered, and the reason for every row that cannot.

    Parameters
    ----------
    matrix : VoteMatrix
    linked : bool
        Whether participants must be linked with each other by chains of shared statements, as
        distances between votes need it; else sharing a statement with anybody is enough.
    minimum_votes : int, default 1

    Returns
    -------
    Selection

    Notes
    -----
    Somebody who shares no statement with anybody would stand in the middle of the map whatever
    they think, so they are not placed.
    """
    seen = matrix.seen
    n_votes = seen.sum(axis=1)
    rows = n_votes >= max(minimum_votes, 1)
    reasons = np.full(len(rows), "", dtype=object)
    reasons[n_votes == 0] = "no vote"
    few = (n_votes > 0) & ~rows
    reasons[few] = [f"{count} votes, fewer than the {minimum_votes} needed" for count in n_votes[few]]
    undefined = "no votes" if not n_votes.any() else None
    if undefined is None and not rows.any():
        undefined = f"nobody has the {minimum_votes} votes needed"
    component = np.full(len(rows), -1)
    component[rows] = linked_components(matrix.values[rows])
    sizes = np.bincount(component[rows]) if rows.any() else np.zeros(0, dtype=np.int64)
    alone = rows & np.isin(component, np.flatnonzero(sizes == 1))
    if undefined is None and rows.sum() > 1 and alone.sum() == rows.sum():
        undefined = "no two participants voted on a common statement"
    reasons[alone] = "shares no voted statement with anybody"
    if undefined is None and rows.sum() == 1:
        undefined = "only one participant voted"
        reasons[alone] = undefined
    apart = rows & ~alone & (component > 0) if linked else np.zeros(len(rows), dtype=bool)
    reasons[apart] = "not linked with the others by shared statements"
    rows = rows & ~alone & ~apart
    columns = seen[rows].any(axis=0)
    if undefined is None:
        undefined = _unclusterable(matrix.subset(rows, columns))
    pairs = zip(matrix.participants, reasons, strict=True)
    exclusions = tuple(Exclusion(key, reason) for key, reason in pairs if reason)
    return Selection(rows, columns, exclusions, undefined)


def _unclusterable(matrix: VoteMatrix) -> str | None:
    """Reason why linked participants cannot be clustered."""
    values = np.unique(matrix.values[matrix.seen])
    if len(matrix.participants) < 3:
        return "only two participants can be compared: a silhouette needs at least three"
    if len(matrix.statements) < 2:
        return "only one statement has votes: groups need at least two"
    if len(values) == 1:
        return f"every vote is the same ({VALUE_NAMES[float(values[0])]})"
    spread = np.nanmax(matrix.values, axis=0) - np.nanmin(matrix.values, axis=0)
    if not spread.any():
        return "all participants voted alike on every statement they share"
    return None
