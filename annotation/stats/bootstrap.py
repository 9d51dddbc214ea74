"""Replicates of sums: units drawn with replacement within strata, without ever copying a judgement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.stats.estimates import Interval
from annotation.stats.scales import FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "Replicated",
    "by_unit",
    "replicate_sums",
    "replicated",
]

METHOD_VERSION = "1"

_MOST_DRAWS_AT_ONCE = 4_000_000
_MOST_UNDEFINED = 0.05
_FEW_UNITS = 5


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
        step = max(1, _MOST_DRAWS_AT_ONCE // max(len(inside), min(n, _FEW_UNITS * len(inside))))
        for begin in range(0, replicates, step):
            size = min(step, replicates - begin)
            if n <= _FEW_UNITS * len(inside):
                drawn = _drawn_singly(times[inside], size, rng)
            else:
                drawn = rng.multinomial(n, shares, size=size)
            sums[begin : begin + step] += drawn @ features[inside]
    return sums


def _drawn_singly(times: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Multinomial multiplicities by drawing units one by one, which is faster if there are not many of a kind."""
    kind = np.repeat(np.arange(len(times)), times)
    chosen = kind[rng.integers(0, len(kind), (size, len(kind)))] + np.arange(size)[:, None] * len(times)
    return np.bincount(chosen.reshape(-1), minlength=size * len(times)).reshape(size, len(times))


@dataclass(frozen=True, slots=True, eq=False)
class Replicated:
    """What the replicates of several statistics say: arrays of one shape.

    Attributes
    ----------
    low, high, se : ndarray of float
        ``nan`` where no replicate has a value.
    n_undefined : ndarray of int
    n_replicates : int
    """

    low: FloatArray
    high: FloatArray
    se: FloatArray
    n_undefined: IntArray
    n_replicates: int

    def interval(self, place: int, *, unit: str, n_units: int) -> Interval:
        """The percentile interval of one statistic.

        Replicates without a value are counted; with more than one in twenty of them the interval is withheld.
        """
        method = f"bootstrap over {unit}, percentile"
        nan = float("nan")
        if n_units < 2:
            return Interval(nan, nan, method, "too_few_clusters")
        missing = int(self.n_undefined[place])
        if missing > _MOST_UNDEFINED * self.n_replicates:
            return Interval(nan, nan, method, "too_many_undefined", missing)
        return Interval(float(self.low[place]), float(self.high[place]), method, None, missing)


def replicated(values: FloatArray, level: float) -> Replicated:
    """Percentiles (interpolated linearly) and spread of replicates along the first axis; those without value apart."""
    ordered = np.sort(np.ascontiguousarray(np.moveaxis(values, 0, -1)), axis=-1)
    n = ordered.shape[-1]
    known = n - np.isnan(ordered).sum(axis=-1)
    spread = np.full(known.shape, np.nan)
    if (known == n).all():
        spread = ordered.std(axis=-1, ddof=1) if n > 1 else spread
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            filled = np.nan_to_num(ordered)
            mean = filled.sum(axis=-1) / known
            apart = np.where(np.isnan(ordered), 0.0, ordered - mean[..., None])
            spread = np.where(known > 1, np.sqrt((apart**2).sum(axis=-1) / (known - 1)), np.nan)
    low, high = (_at(ordered, known, share) for share in ((1 - level) / 2, (1 + level) / 2))
    return Replicated(low, high, np.asarray(spread), n - known, n)


def _at(ordered: FloatArray, known: IntArray, share: float) -> FloatArray:
    """The quantile of the first `known` values of each row."""
    if (known == ordered.shape[-1]).all():
        middle = (ordered.shape[-1] - 1) * share
        lower = int(middle)
        first, second = ordered[..., lower], ordered[..., min(lower + 1, ordered.shape[-1] - 1)]
        return np.asarray(first + (second - first) * (middle - lower))
    place = np.maximum(known - 1, 0) * share
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, np.maximum(known - 1, 0))
    first, second = (np.take_along_axis(ordered, each[..., None], axis=-1)[..., 0] for each in (before, after))
    return np.asarray(np.where(known > 0, first + (second - first) * (place - before), np.nan))
