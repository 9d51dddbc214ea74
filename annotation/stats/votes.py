"""What several raters decide together: by majority, if anybody says so, and in two groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.stats.items import majority
from annotation.stats.scales import IntArray

__all__ = ["METHOD_VERSION", "VoteShares", "any_of", "majority_shares"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class VoteShares:
    """How items are decided.

    Attributes
    ----------
    n_items : int
        Items with a label.
    majority : dict of label to int
        Items in which more than half of the raters chose the label.
    n_without : int
        Items without a majority.
    inclusive : dict of label to int
        Items in which at least one rater chose the label.
    """

    n_items: int
    majority: dict[str, int]
    n_without: int
    inclusive: dict[str, int]


def majority_shares(counts: IntArray, labels: Sequence[str]) -> VoteShares:
    """How many items each label wins, and in how many it occurs."""
    rated = counts[counts.sum(axis=1) > 0]
    winners = majority(rated, labels)
    return VoteShares(
        n_items=len(rated),
        majority={label: winners.count(label) for label in labels},
        n_without=winners.count(None),
        inclusive=dict(zip(labels, (rated > 0).sum(axis=0).tolist(), strict=True)),
    )


def any_of(counts: IntArray, labels: Sequence[str], wanted: Collection[str]) -> tuple[bool | None, ...]:
    """Whether any rater of an item chose one of the wanted labels; None without a label.

    This is the inclusive rule (any "yes"), and with the highest label as the wanted one the grouping in high and low.
    """
    chosen = np.isin(np.asarray(labels), list(wanted))
    some, total = counts[:, chosen].sum(axis=1).tolist(), counts.sum(axis=1).tolist()
    return tuple(found > 0 if n else None for found, n in zip(some, total, strict=True))
