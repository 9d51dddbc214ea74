"""Measured ratings and what each method predicted for them, point by point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "N_POINTS_OF_SCALE", "Point", "PredictionTable", "Unit"]

METHOD_VERSION = "1"

N_POINTS_OF_SCALE = 5

Point = tuple[str, str, str]
"""Participant, question, source."""

Unit = str
UNITS: tuple[Unit, ...] = ("rating", "participant", "question")


@dataclass(frozen=True, slots=True, eq=False)
class PredictionTable:
    """Measured ratings (rows, in order of their keys) and predictions (columns).

    Attributes
    ----------
    points : tuple of (participant, question, source), ascending
    methods : tuple of str, ascending
    actual : ndarray of int, shape (n_points,)
        Measured ratings, 1 to 5. Read-only.
    predicted : ndarray of float, shape (n_points, n_methods)
        Whole points, 1 to 5; ``nan`` where a method predicted nothing. Read-only.
    """

    points: tuple[Point, ...]
    methods: tuple[str, ...]
    actual: IntArray
    predicted: FloatArray

    @classmethod
    def from_ratings(
        cls, actual: Mapping[Point, float], predicted: Mapping[str, Mapping[Point, float]]
    ) -> PredictionTable:
        """Table of measured ratings and of each method's predictions; predictions of other points are left out.

        Raises
        ------
        ValueError
            If a rating or prediction is no whole number from 1 to 5.
        """
        points = tuple(sorted(actual))
        methods = tuple(sorted(predicted))
        measured = np.array([actual[point] for point in points], dtype=np.float64)
        values = np.array(
            [[predicted[method].get(point, np.nan) for method in methods] for point in points], dtype=np.float64
        ).reshape(len(points), len(methods))
        for numbers in (measured, values[~np.isnan(values)]):
            if not np.isin(numbers, np.arange(1, N_POINTS_OF_SCALE + 1)).all():
                raise ValueError("a rating is a whole number from 1 to 5")
        whole = measured.astype(np.int64)
        whole.setflags(write=False)
        values.setflags(write=False)
        return cls(points, methods, whole, values)

    def units(self, unit: Unit) -> tuple[IntArray, int]:
        """Which unit of resampling each point belongs to (0, 1, ...), and how many there are.

        Parameters
        ----------
        unit : {"rating", "participant", "question"}
        """
        if unit not in UNITS:
            raise ValueError(f"unknown unit {unit!r}")
        if unit == "rating":
            return np.arange(len(self.points)), len(self.points)
        keys = [point[0 if unit == "participant" else 1] for point in self.points]
        place = {key: index for index, key in enumerate(sorted(set(keys)))}
        return np.array([place[key] for key in keys], dtype=np.int64), len(place)

    def keep(self, rows: Iterable[bool]) -> PredictionTable:
        """The table of some of the points."""
        mask = np.asarray(list(rows), dtype=bool)
        kept = tuple(point for point, is_kept in zip(self.points, mask, strict=True) if is_kept)
        return PredictionTable(kept, self.methods, self.actual[mask], self.predicted[mask])
