"""Agreement of two raters: Cohen's kappa with its standard errors."""

from __future__ import annotations

import numpy as np

from annotation.stats.scales import FloatArray, IntArray
from annotation.stats.sums import NO_CHANCE, ratio, times

__all__ = [
    "METHOD_VERSION",
    "cohen_kappa",
    "cohen_standard_errors",
    "pair_table",
]

METHOD_VERSION = "1"


def pair_table(first: IntArray, second: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """Table of two raters' labels, and the cell of each item (-1 where one of them did not judge it).

    Parameters
    ----------
    first, second : ndarray of int, shape (n_items,)
        Label indices; negative is missing.
    size : int
        Number of declared labels.
    """
    both = (first >= 0) & (second >= 0)
    cell = np.where(both, first.astype(np.int64) * size + second, -1)
    return np.bincount(cell[both], minlength=size**2).reshape(size, size).astype(np.float64), cell


def cohen_kappa(table: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Cohen's kappa and chance agreement.

    Parameters
    ----------
    table : ndarray, shape (..., q, q)
        Counts or shares of pairs of labels.
    weights : ndarray, shape (q, q)
        Agreement weights, 1 on the diagonal.

    Notes
    -----
    :math:`\kappa=(p_o-p_e)/(1-p_e)` with :math:`p_o=\sum w_{kl}p_{kl}` and
    :math:`p_e=\sum w_{kl}p_{k.}p_{.l}` (Cohen 1960, 1968). ``nan`` where :math:`p_e=1`.
    """
    size = len(weights)
    flat = table.reshape(*table.shape[:-2], size**2)
    # Products with ones rather than sums: the axes are short and the replicates many.
    one, each = np.ones(size, np.float64), np.eye(size, dtype=np.float64)
    shares = ratio(flat, times(flat, np.ones(size**2))[..., None])
    observed = times(shares, weights.reshape(-1))
    rows, columns = (times(shares, np.asarray(np.kron(*pair).T, np.float64)) for pair in ((each, one), (one, each)))
    chance = times(times(rows, weights) * columns, one)
    room = 1 - chance
    return ratio(observed - chance, np.where(room > NO_CHANCE, room, 0.0)), chance


def cohen_standard_errors(
    table: FloatArray, weights: FloatArray, known: tuple[float, float] | None = None
) -> tuple[float, float]:
    r"""Standard errors of Cohen's kappa: the one for intervals, and the one under no agreement beyond chance.

    Parameters
    ----------
    table : ndarray, shape (q, q)
        Counts.
    known : tuple of float, optional
        Value and chance of kappa, if they are computed already.

    Returns
    -------
    se, se0 : float
        ``nan`` where kappa is undefined.

    References
    ----------
    .. [1] J. Fleiss, J. Cohen, B. Everitt, Large sample standard errors of kappa and weighted kappa,
       Psychological Bulletin 72, 1969.
    """
    n = table.sum()
    value, chance = known or map(float, cohen_kappa(table, weights))
    if not np.isfinite(value):
        return float("nan"), float("nan")
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    mean_weight = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = (shares * (weights - mean_weight * (1 - value)) ** 2).sum() - (value - chance * (1 - value)) ** 2
    null = (np.outer(rows, columns) * (weights - mean_weight) ** 2).sum() - chance**2
    scale = n * (1 - chance) ** 2
    return float(np.sqrt(max(spread, 0.0) / scale)), float(np.sqrt(max(null, 0.0) / scale))
