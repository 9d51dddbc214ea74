"""Why votes cannot be grouped, and what to mind where they can."""

from __future__ import annotations

import numpy as np

from clustering.stats.eligibility import VALUE_NAMES
from clustering.stats.matrix import BoolArray
from clustering.stats.polis.axes import Axes
from clustering.stats.polis.candidates import BaseClusters
from clustering.stats.polis.people import Clustered
from clustering.stats.polis.votes import SparseVotes

__all__ = ["METHOD_VERSION", "NO_CANDIDATE", "ONE_PLACE", "cannot_be_grouped", "cautions"]

METHOD_VERSION = "1"

NO_CANDIDATE = "no number of centres gave two or more groups to compare"
ONE_PLACE = "everybody who is clustered stands at one place on the map"


def cannot_be_grouped(votes: SparseVotes, hidden: BoolArray, clustered: BoolArray) -> str | None:
    """Reason why votes cannot be grouped, before anything is computed.

    Parameters
    ----------
    votes : SparseVotes
    hidden : ndarray of bool, shape (n_statements,)
    clustered : ndarray of bool, shape (n_participants,)

    Returns
    -------
    str or None
    """
    if not votes.n_votes:
        return "no votes"
    shown = ~hidden[votes.columns]
    columns = np.unique(votes.columns[shown])
    if not len(columns):
        return "every statement with a vote is hidden by moderation"
    n_voters = len(np.unique(votes.rows[shown]))
    if n_voters == 1:
        return "only one participant voted"
    if not clustered.any():
        return "nobody has the votes needed"
    if clustered.sum() < 3:
        return "only two participants can be compared: groups need at least three"
    if len(columns) == 1:
        return "only one statement has votes: groups need at least two"
    values = np.unique(votes.values[shown])
    if len(values) == 1:
        return f"every vote is the same ({VALUE_NAMES[float(values[0])]})"
    return None


def cautions(axes: Axes, taken: Clustered, bases: BaseClusters) -> str | None:
    """What to mind when reading map or groups.

    Parameters
    ----------
    axes : Axes
    taken : Clustered
    bases : BaseClusters

    Returns
    -------
    str or None
        Sentences, parted by semicolons.
    """
    found = [axes.caution] if axes.caution is not None else []
    grouped = bases.groups[bases.groups >= 0]
    if len(grouped) and (np.bincount(grouped) == 1).all():
        found.append("each group stands at one place, so that the silhouette is 0 by rule and says nothing")
    if taken.n_filled:
        needed = f"{taken.minimum} votes" if taken.minimum > 1 else "1 vote"
        found.append(f"too few people cast {needed}: the {taken.n_filled} most active of the others were added")
    return "; ".join(found) or None
