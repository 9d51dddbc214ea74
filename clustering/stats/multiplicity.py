"""Many tests at once: Holm's adjustment of p values."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "holm", "holm_steps"]

METHOD_VERSION = "1"


def holm(p_values: FloatArray) -> FloatArray:
    r"""P values adjusted so that rejecting those up to :math:`\alpha` errs anywhere at most that often.

    Parameters
    ----------
    p_values : ndarray of float, shape (n,)
        In [0, 1]; ``nan`` for a test that could not be done, which does not count.

    Returns
    -------
    ndarray of float, shape (n,)
        ``nan`` where the p value is.

    Notes
    -----
    In ascending order, :math:`\tilde p_{(i)}=\max_{j\le i}\min\{1,(m-j+1)p_{(j)}\}` [1]_.

    References
    ----------
    .. [1] S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6, 1979.
    """
    adjusted: FloatArray = np.full(p_values.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return adjusted


def holm_steps(p_values: FloatArray, alpha: float) -> IntArray:
    r"""By how many tests Holm's procedure divides :math:`\alpha` when it decides on each.

    Parameters
    ----------
    p_values : ndarray of float, shape (n,)
    alpha : float
        In (0, 1).

    Returns
    -------
    ndarray of int, shape (n,)
        m for the smallest p value, then m - 1 and so on; from the first that is not rejected on, all have
        the number of that step. 0 where there was no test.
    """
    steps: IntArray = np.zeros(p_values.shape, dtype=np.int64)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = len(order) - np.arange(len(order))
    kept = np.flatnonzero(factors * p_values[order] > alpha)
    if len(kept):
        factors = np.maximum(factors, factors[kept[0]])
    steps[order] = factors
    return steps
