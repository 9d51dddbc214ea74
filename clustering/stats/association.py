"""Correlations with their number of pairs, and a reason where there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "TIED", "Correlation", "kendall", "mid_ranks", "pearson", "spearman"]

METHOD_VERSION = "1"

# Scores closer than this are tied: sums taken in another order must not decide a rank.
TIED = 1e-9


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation.

    Attributes
    ----------
    value : float
        In [-1, 1]; ``nan`` if undefined.
    n : int
        Pairs of which both are known.
    undefined : str or None
    """

    value: float
    n: int
    undefined: str | None


def pearson(left: FloatArray, right: FloatArray) -> Correlation:
    """Pearson's correlation of the pairs of which both are known.

    Parameters
    ----------
    left, right : ndarray of float, shape (n,)
        ``nan`` where unknown.

    Returns
    -------
    Correlation
        Undefined with fewer than two pairs or if a side does not vary.
    """
    left, right, reason = _pairs(left, right)
    if reason:
        return Correlation(math.nan, len(left), reason)
    return Correlation(_pearson(left, right), len(left), None)


def spearman(left: FloatArray, right: FloatArray) -> Correlation:
    """Spearman's correlation: Pearson's of the mid-ranks.

    Parameters
    ----------
    left, right : ndarray of float, shape (n,)
        ``nan`` where unknown.

    Returns
    -------
    Correlation
        Ties share the mean of their ranks.
    """
    left, right, reason = _pairs(left, right)
    if reason:
        return Correlation(math.nan, len(left), reason)
    return Correlation(_pearson(mid_ranks(left), mid_ranks(right)), len(left), None)


def kendall(left: FloatArray, right: FloatArray) -> Correlation:
    r"""Kendall's :math:`\tau_b`, which corrects for ties.

    Parameters
    ----------
    left, right : ndarray of float, shape (n,)
        ``nan`` where unknown.

    Returns
    -------
    Correlation

    Notes
    -----
    :math:`\tau_b=(C-D)/\sqrt{(P-T_x)(P-T_y)}` of P pairs, C concordant, D discordant, T tied on one side.
    """
    left, right, reason = _pairs(left, right)
    if reason:
        return Correlation(math.nan, len(left), reason)
    signs = [np.sign(ranks[:, None] - ranks[None, :]) for ranks in (mid_ranks(left), mid_ranks(right))]
    together = float((signs[0] * signs[1]).sum())
    value = together / math.sqrt(float((signs[0] ** 2).sum()) * float((signs[1] ** 2).sum()))
    return Correlation(value, len(left), None)


def mid_ranks(values: FloatArray, tolerance: float = TIED) -> FloatArray:
    """Ranks from 1 for the smallest; ties have the mean of their ranks.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    tolerance : float, default 1e-9
        In ascending order, a value within it of the one before is tied with it.

    Returns
    -------
    ndarray of float, shape (n,)
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    block: IntArray = np.concatenate([[0], np.cumsum(np.diff(ascending) > tolerance)]).astype(np.int64)
    sizes = np.bincount(block[: len(values)])
    last = np.cumsum(sizes)
    ranks = np.empty(len(values))
    ranks[order] = (last - (sizes - 1) / 2)[block[: len(values)]]
    return ranks


def _pairs(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray, str | None]:
    known = ~(np.isnan(left) | np.isnan(right))
    left, right = left[known], right[known]
    if len(left) < 2:
        return left, right, "fewer than two pairs"
    if any(float(np.ptp(side)) <= TIED for side in (left, right)):
        return left, right, "one side does not vary"
    return left, right, None


def _pearson(left: FloatArray, right: FloatArray) -> float:
    left, right = left - left.mean(), right - right.mean()
    value = float(left @ right) / math.sqrt(float(left @ left) * float(right @ right))
    return max(-1.0, min(1.0, value))
