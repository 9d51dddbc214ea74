"""Several predictions of one rating made into one: the mean, rounded half up to the scale."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import FloatArray

__all__ = ["METHOD_VERSION", "TOLERANCE", "averaged", "on_scale"]

METHOD_VERSION = "1"

# A mean that falls short of a half by less than this is a half: 2.5 is 2.5 however it was summed.
TOLERANCE = 1e-9


def on_scale(values: FloatArray, *, lowest: int = 1, highest: int = 5) -> FloatArray:
    """Round to whole points of the scale, halves up: 2.5 becomes 3, 3.5 becomes 4.

    Parameters
    ----------
    values : ndarray of float
        Points of the scale; ``nan`` where there is no prediction.
    lowest, highest : int, default 1 and 5
        Ends of the scale.

    Returns
    -------
    ndarray of float
        Whole numbers; ``nan`` stays.

    Raises
    ------
    ValueError
        If a value lies outside the scale.

    Notes
    -----
    Rounding half to even, as computers do unless told, would send 2.5 to 2 and 3.5 to 4: predictions would crowd on
    the even points. The Overton paper (section 5) says "rounded" and not how; the mean of its three repeats is never
    half-way, so the rule matters only for an even number of repeats or of other ratings.
    """
    outside = ~np.isnan(values) & ~((values >= lowest - TOLERANCE) & (values <= highest + TOLERANCE))
    if outside.any():
        raise ValueError(f"a prediction lies outside {lowest} to {highest}")
    return np.asarray(np.floor(values + 0.5 + TOLERANCE), dtype=np.float64)


def averaged(repeats: FloatArray, *, lowest: int = 1, highest: int = 5) -> FloatArray:
    """Mean over the repeats that gave a rating, rounded half up.

    Parameters
    ----------
    repeats : ndarray of float, shape (n_points, n_repeats)
        ``nan`` where a repeat gave none: refused, unreadable, not made.
    lowest, highest : int, default 1 and 5

    Returns
    -------
    ndarray of float, shape (n_points,)
        ``nan`` if no repeat gave a rating: a missing prediction stays missing.

    Raises
    ------
    ValueError
        If a value lies outside the scale.
    """
    given = ~np.isnan(repeats)
    counts = given.sum(axis=1)
    sums = np.where(given, repeats, 0.0).sum(axis=1)
    means = np.full(len(repeats), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return on_scale(means, lowest=lowest, highest=highest)
