"""Correlations with their number of pairs, an interval, and the reason where there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from annotation.stats.estimates import Interval
from annotation.stats.scales import BoolArray, FloatArray

__all__ = ["METHOD_VERSION", "Auc", "Correlation", "auc", "mid_ranks", "pearson", "spearman"]

METHOD_VERSION = "1"

_NO_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation.

    Attributes
    ----------
    value : float
        In [-1, 1]; ``nan`` with a reason.
    n, n_excluded : int
        Pairs of which both are known, and the others.
    interval : Interval
        By Fisher's z; for Spearman's with the variance of Bonett and Wright (2000).
    reason : str or None
    """

    value: float
    n: int
    n_excluded: int
    interval: Interval
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Auc:
    """Area under the ROC curve: the chance that a positive scores higher than a negative, ties counting half.

    Attributes
    ----------
    value : float
    n_positive, n_negative : int
    interval : Interval
        Normal with the variance of DeLong, DeLong and Clarke-Pearson (1988), cut at 0 and 1.
    reason : str or None
    """

    value: float
    n_positive: int
    n_negative: int
    interval: Interval
    reason: str | None = None


def pearson(left: FloatArray, right: FloatArray, *, level: float = 0.95) -> Correlation:
    """Pearson's correlation of the pairs of which both are known (``nan`` is unknown)."""
    return _correlation(left, right, level, ranked=False)


def spearman(left: FloatArray, right: FloatArray, *, level: float = 0.95) -> Correlation:
    """Spearman's correlation: Pearson's of the mid-ranks."""
    return _correlation(left, right, level, ranked=True)


def _correlation(left: FloatArray, right: FloatArray, level: float, *, ranked: bool) -> Correlation:
    nan = math.nan
    known = np.isfinite(left) & np.isfinite(right)
    n, n_excluded = int(known.sum()), int((~known).sum())
    method = "Bonett and Wright" if ranked else "Fisher z"
    left, right = (mid_ranks(side[known]) if ranked else side[known].astype(np.float64) for side in (left, right))
    reason = None
    if n < 2:
        reason = "no_items" if not n else "too_few_clusters"
    elif any(float(np.ptp(side)) <= _NO_VARIANCE * max(1.0, float(np.abs(side).max())) for side in (left, right)):
        reason = "zero_variance"
    if reason:
        return Correlation(nan, n, n_excluded, Interval(nan, nan, method, reason), reason)
    left, right = left - left.mean(), right - right.mean()
    value = float(left @ right) / math.sqrt(float(left @ left) * float(right @ right))
    value = max(-1.0, min(1.0, value))
    if n < 4 or abs(value) == 1.0:
        return Correlation(value, n, n_excluded, Interval(nan, nan, method, "too_few_clusters" if n < 4 else None))
    spread = math.sqrt((1 + value**2 / 2) / (n - 3)) if ranked else 1 / math.sqrt(n - 3)
    reach = float(special.ndtri((1 + level) / 2)) * spread
    middle = math.atanh(value)
    return Correlation(value, n, n_excluded, Interval(math.tanh(middle - reach), math.tanh(middle + reach), method))


def mid_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1 for the smallest; ties have the mean of their ranks."""
    _, index, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[index.reshape(-1)], np.float64)


def auc(scores: FloatArray, positive: BoolArray, *, level: float = 0.95) -> Auc:
    """How well scores tell positives from negatives; ``nan`` scores are left out."""
    known = np.isfinite(scores)
    scores, positive = scores[known], positive[known]
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    nan = math.nan
    if not n_positive or not n_negative:
        reason = "no_items" if not len(scores) else "single_category"
        return Auc(nan, n_positive, n_negative, Interval(nan, nan, "DeLong", reason), reason)
    ranks = mid_ranks(scores)
    above = (ranks[positive] - mid_ranks(scores[positive])) / n_negative
    below = 1 - (ranks[~positive] - mid_ranks(scores[~positive])) / n_positive
    value = float(above.mean())
    if min(n_positive, n_negative) < 2:
        return Auc(value, n_positive, n_negative, Interval(nan, nan, "DeLong", "too_few_clusters"))
    spread = math.sqrt(above.var(ddof=1) / n_positive + below.var(ddof=1) / n_negative)
    reach = float(special.ndtri((1 + level) / 2)) * spread
    interval = Interval(max(0.0, value - reach), min(1.0, value + reach), "DeLong")
    return Auc(value, n_positive, n_negative, interval)
