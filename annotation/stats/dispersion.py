"""How much raters of one item disagree, and which items are left once outliers or clear ones are set aside."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from annotation.stats.scales import BoolArray, FloatArray

__all__ = ["METHOD_VERSION", "QuantileMethod", "disagreement", "entropy", "top_share", "tukey_fences", "tukey_kept"]

METHOD_VERSION = "1"

QuantileMethod = Literal["linear", "hazen", "weibull", "median_unbiased"]


def entropy(counts: ArrayLike, *, base: float = 2.0) -> FloatArray:
    r"""Shannon entropy of the labels of each item, :math:`-\sum p_k\log p_k`.

    Parameters
    ----------
    counts : array_like, shape (n_items, q)
    base : float, default 2
        2 for bits, as the Artificial Hivemind paper's code has it.

    Returns
    -------
    ndarray, shape (n_items,)
        In [0, log q]; ``nan`` for an item without a judgement.
    """
    rows = np.asarray(counts, dtype=np.float64)
    total = rows.sum(axis=1, keepdims=True)
    share = np.divide(rows, total, out=np.zeros_like(rows), where=total > 0)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    # Plus zero: unanimity is 0, not -0.
    bits = -(share * logs).sum(axis=1) / np.log(base) + 0.0
    return np.where(total[:, 0] > 0, bits, np.nan)


def disagreement(first: ArrayLike, second: ArrayLike, tie: ArrayLike) -> FloatArray:
    r"""Probability that a rater departs from the more frequent preference, a tie counting half to each side.

    :math:`1-(\max(C_1,C_2)+C_{tie}/2)/C` in [0, 1/2] (Artificial Hivemind, section on preferences). Unanimous ties give
    1/2 although nobody disagrees: look at the entropy beside it. ``nan`` without a judgement.
    """
    a, b, t = (np.asarray(each, dtype=np.float64) for each in (first, second, tie))
    total = a + b + t
    share = np.divide(np.maximum(a, b) + t / 2, total, out=np.full_like(total, np.nan), where=total > 0)
    return np.asarray(1 - share)


def tukey_fences(values: ArrayLike, k: float, *, method: QuantileMethod = "linear") -> tuple[float, float]:
    """Quartiles minus and plus `k` interquartile ranges; ``nan`` without values.

    The fences depend on how quartiles are interpolated: ``linear`` is numpy's default and R's type 7.
    """
    data = np.asarray(values, dtype=np.float64)
    data = data[~np.isnan(data)]
    if not len(data):
        return float("nan"), float("nan")
    lower, upper = np.quantile(data, [0.25, 0.75], method=method)
    return float(lower - k * (upper - lower)), float(upper + k * (upper - lower))


def tukey_kept(values: ArrayLike, k: float, *, method: QuantileMethod = "linear") -> BoolArray:
    """Which values lie within the fences, ends included; those that are ``nan`` do not."""
    data = np.asarray(values, dtype=np.float64)
    low, high = tukey_fences(data, k, method=method)
    return np.asarray((data >= low) & (data <= high))


def top_share(values: ArrayLike, share: float) -> BoolArray:
    """The `share` of items with the highest values: at least as high as the quantile 1 - share.

    Items tied at the border are all kept, so that no order of rows decides. ``nan`` is never kept.

    Raises
    ------
    ValueError
        If the share is not in (0, 1].
    """
    if not 0 < share <= 1:
        raise ValueError(f"a share lies above 0 and is at most 1, not {share!r}")
    data = np.asarray(values, dtype=np.float64)
    known = data[~np.isnan(data)]
    if not len(known):
        return np.zeros(len(data), dtype=bool)
    n = max(1, int(np.ceil(share * len(known) - 1e-9)))
    border = np.sort(known)[::-1][n - 1]
    return np.asarray(data >= border)
