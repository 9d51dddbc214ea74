"""Intraclass correlations of numeric ratings."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from annotation.stats.estimates import Estimate, Interval, undefined
from annotation.stats.scales import FloatArray

__all__ = [
    "ICC_NAMES",
    "METHOD_VERSION",
    "intraclass_correlations",
]

METHOD_VERSION = "1"

ICC_NAMES = ("icc[1,1]", "icc[2,1]", "icc[3,1]", "icc[1,k]", "icc[2,k]", "icc[3,k]")
_NO_VARIANCE = 1e-12


def intraclass_correlations(ratings: ArrayLike, *, level: float = 0.95) -> tuple[Estimate, ...]:
    r"""The six forms of Shrout and Fleiss, of ratings in which every rater judged every item.

    Parameters
    ----------
    ratings : array_like of float, shape (n_items, n_raters)
        ``nan`` where there is none.
    level : float, default 0.95

    Returns
    -------
    tuple of Estimate
        ``icc[1,1]``, ``icc[2,1]``, ``icc[3,1]``, ``icc[1,k]``, ``icc[2,k]``, ``icc[3,k]``; with missing ratings the
        one-way forms alone, over items with two ratings or more, and the others with the reason "incomplete".

    Notes
    -----
    Mean squares of the two-way table; one-way forms take items rated by whoever it was (for crowds). With unequal
    numbers of ratings k is :math:`k_0=(N-\sum k_i^2/N)/(n-1)` [2]_. Intervals by the F distribution [1]_, for complete
    tables.

    References
    ----------
    .. [1] P. Shrout, J. Fleiss, Intraclass correlations: uses in assessing rater reliability, Psychological Bulletin
       86, 1979. For ICC(2,1) the interval of K. McGraw, S. Wong, Psychological Methods 1, 1996, table 7.
    .. [2] G. Snedecor, W. Cochran, Statistical Methods, 8th ed., 1989, section 13.7.
    """
    values = np.asarray(ratings, dtype=np.float64)
    values = values[(~np.isnan(values)).sum(axis=1) >= 2]
    # Who judged nothing here is no rater here.
    values = values[:, ~np.isnan(values).all(axis=0)] if len(values) else values
    if len(values) < 2:
        reason = "no_pairable_items" if not len(values) else "too_few_clusters"
        return tuple(undefined(name, reason) for name in ICC_NAMES)
    if np.isnan(values).any():
        single, mean = _one_way(values)
        others = {name: undefined(name, "incomplete") for name in ICC_NAMES}
        return tuple({**others, single.name: single, mean.name: mean}.values())
    return _two_way(values, level)


def _one_way(values: FloatArray) -> tuple[Estimate, Estimate]:
    given = ~np.isnan(values)
    n_of = given.sum(axis=1)
    total, n = int(n_of.sum()), len(values)
    means = np.nansum(values, axis=1) / n_of
    between = float((n_of * (means - np.nansum(values) / total) ** 2).sum()) / (n - 1)
    within = float(np.nansum((values - means[:, None]) ** 2)) / (total - n)
    size = (total - (n_of**2).sum() / total) / (n - 1)
    if between + (size - 1) * within < _NO_VARIANCE or between < _NO_VARIANCE:
        return undefined("icc[1,1]", "zero_variance"), undefined("icc[1,k]", "zero_variance")
    return (
        Estimate("icc[1,1]", (between - within) / (between + (size - 1) * within)),
        Estimate("icc[1,k]", (between - within) / between),
    )


def _two_way(values: FloatArray, level: float) -> tuple[Estimate, ...]:
    n, k = values.shape
    grand = values.mean()
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    between = k * ((rows - grand) ** 2).sum() / (n - 1)
    raters = n * ((columns - grand) ** 2).sum() / (k - 1)
    within = ((values - rows[:, None]) ** 2).sum() / (n * (k - 1))
    error = ((values - rows[:, None] - columns[None, :] + grand) ** 2).sum() / ((n - 1) * (k - 1))
    if between + within + raters < _NO_VARIANCE:
        return tuple(undefined(name, "zero_variance") for name in ICC_NAMES)
    singles = (
        _ratio(between - within, between + (k - 1) * within),
        _ratio(between - error, between + (k - 1) * error + k * (raters - error) / n),
        _ratio(between - error, between + (k - 1) * error),
    )
    means = (
        _ratio(between - within, between),
        _ratio(between - error, between + (raters - error) / n),
        _ratio(between - error, between),
    )
    ends = _ends(between, raters, within, error, n, k, level, singles[1])
    estimates = []
    for name, value, (low, high) in zip(ICC_NAMES, (*singles, *means), ends, strict=True):
        interval = Interval(low, high, "F", None if np.isfinite(low) else "zero_variance")
        estimates.append(Estimate(name, value, None if np.isfinite(value) else "zero_variance", analytic=interval))
    return tuple(estimates)


def _ends(
    between: float, raters: float, within: float, error: float, n: int, k: int, level: float, absolute: float
) -> list[tuple[float, float]]:
    """Ends of the six intervals; ``nan`` where a mean square is 0."""
    upper = (1 + level) / 2
    one = _by_f(_ratio(between, within), n - 1, n * (k - 1), k, upper)
    three = _by_f(_ratio(between, error), n - 1, (n - 1) * (k - 1), k, upper)
    two = _absolute(between, raters, error, n, k, upper, absolute)
    return [*(each for each, _ in (one, two, three)), *(each for _, each in (one, two, three))]


Ends = tuple[float, float]


def _by_f(f: float, before: int, after: int, k: int, upper: float) -> tuple[Ends, Ends]:
    """Intervals of the single and the mean rating by the ratio of mean squares."""
    if not np.isfinite(f):
        nothing = (float("nan"), float("nan"))
        return nothing, nothing
    low, high = f / special.fdtri(before, after, upper), f * special.fdtri(after, before, upper)
    return ((low - 1) / (low + k - 1), (high - 1) / (high + k - 1)), (1 - 1 / low, 1 - 1 / high)


def _absolute(
    between: float, raters: float, error: float, n: int, k: int, upper: float, value: float
) -> tuple[Ends, Ends]:
    if not np.isfinite(value) or error < _NO_VARIANCE or abs(1 - value) < _NO_VARIANCE:
        nothing = (float("nan"), float("nan"))
        return nothing, nothing
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    v = (a * raters + b * error) ** 2 / ((a * raters) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1)))
    first, second = special.fdtri(n - 1, v, upper), special.fdtri(v, n - 1, upper)
    rest = k * raters + (k * n - k - n) * error
    low = n * (between - first * error) / (first * rest + n * between)
    high = n * (second * between - error) / (rest + n * second * between)
    return (low, high), (_stepped_up(low, k), _stepped_up(high, k))


def _stepped_up(value: float, k: int) -> float:
    return k * value / (1 + (k - 1) * value)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if abs(whole) > _NO_VARIANCE else float("nan")
