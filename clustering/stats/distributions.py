"""How each opinion group rated each answer: the counts behind mean and coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.distances import UNASSIGNED, membership
from clustering.stats.matrix import IntArray
from clustering.stats.plain import plain
from clustering.stats.ratings import RatingMatrix

__all__ = ["METHOD_VERSION", "RatingCounts", "rating_counts"]

METHOD_VERSION = "1"
SCALE = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False)
class RatingCounts:
    """Ratings of the answers to one question by group.

    Attributes
    ----------
    sources : tuple of str
    group_labels : tuple of int, length n_groups
        In ascending order.
    values : tuple of int
        The points of the scale.
    counts : ndarray of int, shape (n_groups, n_sources, n_values)
        Members of the group who gave the answer that rating; people in no group are in none.
    """

    sources: tuple[str, ...]
    group_labels: tuple[int, ...]
    values: tuple[int, ...]
    counts: IntArray

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def rating_counts(ratings: RatingMatrix, groups: Mapping[str, int], *, values: tuple[int, ...] = SCALE) -> RatingCounts:
    """Ratings of the answers by group.

    Parameters
    ----------
    ratings : RatingMatrix
        Whole numbers; ``nan`` where there is none.
    groups : mapping of participant key to group
        Members only (see :meth:`OpinionGroups.members`).
    values : tuple of int, default 1 to 5

    Returns
    -------
    RatingCounts

    Raises
    ------
    ValueError
        If a rating is no point of the scale.
    """
    given = ratings.values[~np.isnan(ratings.values)]
    if not np.isin(given, values).all():
        raise ValueError(f"a rating is not one of {values}")
    labels = tuple(sorted(set(groups.values())))
    place = {label: index for index, label in enumerate(labels)}
    rows = np.array([place[groups[k]] if k in groups else UNASSIGNED for k in ratings.participants], dtype=np.int64)
    members = membership(rows, len(labels)).T
    counts = np.stack([members @ (ratings.values == value).astype(np.float64) for value in values], axis=-1)
    return RatingCounts(ratings.sources, labels, values, np.rint(counts).astype(np.int64))
