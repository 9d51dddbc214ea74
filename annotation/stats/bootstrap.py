"""Replicates of sums: units drawn with replacement within strata, without ever copying a judgement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from annotation.stats.estimates import Interval
from annotation.stats.scales import FloatArray, IntArray

__all__ = ["by_unit", "percentile_interval", "replicate_sums"]

_MOST_DRAWS_AT_ONCE = 4_000_000
_MOST_UNDEFINED = 0.05


def by_unit(features: FloatArray, unit: IntArray, n_units: int) -> FloatArray:
    """Features of items added up within their unit: shape (n_units, n_features)."""
    order = np.argsort(unit, kind="stable")
    added = np.zeros((n_units, features.shape[1]))
    present, starts = np.unique(unit[order], return_index=True)
    if len(present):
        added[present] = np.add.reduceat(features[order], starts, axis=0)
    return added


def replicate_sums(
    features: FloatArray, times: IntArray, strata: IntArray, *, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Sums of features over bootstrap samples of units.

    Parameters
    ----------
    features : ndarray, shape (n_kinds, n_features)
        Of each kind of unit; units of a kind are exchangeable.
    times : ndarray of int, shape (n_kinds,)
        How many units are of that kind.
    strata : ndarray of int, shape (n_kinds,)
        Units are drawn within their stratum, as many as it has.
    replicates : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (replicates, n_features)

    Notes
    -----
    How often each unit is drawn is multinomial, so a replicate is one row of multiplicities times the features
    (B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, section 6.2).
    """
    sums = np.zeros((replicates, features.shape[1]))
    for stratum in np.unique(strata[times > 0]):
        inside = np.flatnonzero((strata == stratum) & (times > 0))
        n = int(times[inside].sum())
        shares = times[inside] / n
        step = max(1, _MOST_DRAWS_AT_ONCE // len(inside))
        for begin in range(0, replicates, step):
            drawn = rng.multinomial(n, shares, size=min(step, replicates - begin))
            sums[begin : begin + step] += drawn @ features[inside]
    return sums


def percentile_interval(values: FloatArray, *, level: float, unit: str, n_units: int) -> Interval:
    """Percentile interval of replicates. Those without a value are counted; above one in twenty it is withheld."""
    method = f"bootstrap over {unit}, percentile"
    nan = float("nan")
    if n_units < 2:
        return Interval(nan, nan, method, "too_few_clusters")
    missing = int(np.isnan(values).sum())
    if missing > _MOST_UNDEFINED * len(values):
        return Interval(nan, nan, method, "too_many_undefined", missing)
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), method, None, missing)


Statistic = Callable[[FloatArray], FloatArray]
