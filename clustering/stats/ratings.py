"""Representation ratings of one question: who rated which answer how, missing kept missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import FloatArray

__all__ = ["METHOD_VERSION", "Rating", "RatingMatrix"]

METHOD_VERSION = "1"

Rating = tuple[str, str, float]


@dataclass(frozen=True, slots=True, eq=False)
class RatingMatrix:
    """Ratings by participants (rows) of the answers of sources (columns) to one question.

    Attributes
    ----------
    participants : tuple of str
        Row keys in ascending order.
    sources : tuple of str
        Column keys in ascending order.
    values : ndarray of float, shape (n_participants, n_sources)
        Ratings; ``nan`` where there is none. Read-only.
    """

    participants: tuple[str, ...]
    sources: tuple[str, ...]
    values: FloatArray

    @classmethod
    def from_ratings(
        cls,
        ratings: Iterable[Rating],
        *,
        participants: Iterable[str] = (),
        sources: Iterable[str] = (),
        lowest: float = 1.0,
        highest: float = 5.0,
    ) -> RatingMatrix:
        """Matrix of single ratings, given in any order.

        Parameters
        ----------
        ratings : iterable of (participant, source, rating)
        participants, sources : iterable of str, optional
            Further keys, that may have no rating.
        lowest, highest : float, default 1 and 5
            Ends of the scale.

        Returns
        -------
        RatingMatrix

        Raises
        ------
        ValueError
            If a pair occurs twice or a rating lies outside the scale.
        """
        cells: dict[tuple[str, str], float] = {}
        for participant, source, rating in ratings:
            if (participant, source) in cells:
                raise ValueError(f"participant {participant!r} has two ratings of {source!r}")
            # Written so that nan is refused too.
            if not lowest <= rating <= highest:
                raise ValueError(
                    f"rating of {source!r} by {participant!r} is {rating!r}, outside {lowest:g} to {highest:g}"
                )
            cells[participant, source] = float(rating)
        rows = tuple(sorted({pair[0] for pair in cells} | set(participants)))
        columns = tuple(sorted({pair[1] for pair in cells} | set(sources)))
        row_of = {key: index for index, key in enumerate(rows)}
        column_of = {key: index for index, key in enumerate(columns)}
        values = np.full((len(rows), len(columns)), np.nan)
        for (participant, source), rating in cells.items():
            values[row_of[participant], column_of[source]] = rating
        values.setflags(write=False)
        return cls(rows, columns, values)
