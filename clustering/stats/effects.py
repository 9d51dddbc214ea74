"""Least squares with an effect of every source and every question, closed form where cells are balanced."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.matrix import FloatArray

__all__ = ["METHOD_VERSION", "Effects", "fit_effects", "linked", "refit_effects"]

METHOD_VERSION = "1"

# Relative to the largest eigenvalue: below it two sets of sources have no question in common.
SMALLEST_EIGENVALUE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """Effects of sources and questions.

    Attributes
    ----------
    deviation : ndarray of float, shape (n_sources,)
        Effect of each source minus the mean of these effects.
    baseline : ndarray of float, shape (n_questions,)
        Effect of each question at the mean source effect.
    influence : ndarray of float, shape (n_questions, n_sources)
        What each question adds to the error of each deviation: the robust variance is the sum of squares.
    """

    deviation: FloatArray
    baseline: FloatArray
    influence: FloatArray


def linked(weights: FloatArray) -> bool:
    """Whether all sources can be compared, directly or by way of others.

    Parameters
    ----------
    weights : ndarray of float, shape (n_questions, n_sources)
        Above 0 where there is a cell; every question and source has one.

    Returns
    -------
    bool
    """
    has = weights > 0
    reached = np.zeros(has.shape[1], dtype=bool)
    reached[:1] = True
    while True:
        wider = reached | has[(has & reached).any(axis=1)].any(axis=0)
        if (wider == reached).all():
            return bool(reached.all())
        reached = wider


def fit_effects(values: FloatArray, weights: FloatArray) -> Effects:
    r"""Weighted least squares of the cells on source and question effects.

    Parameters
    ----------
    values : ndarray of float, shape (n_questions, n_sources)
        Ignored where the weight is 0.
    weights : ndarray of float, shape (n_questions, n_sources)
        At least 0; every question and source has a cell above 0 and all are linked (:func:`linked`).

    Returns
    -------
    Effects

    Notes
    -----
    Questions are swept out. With :math:`W_q=\sum_m w_{qm}`, :math:`A=\sum_q
    \mathrm{diag}(w_q)-w_qw_q^\top/W_q` and :math:`b_m=\sum_q w_{qm}(y_{qm}-\bar y_q)`, the deviations
    solve :math:`Ad=b` with :math:`\sum d=0`. If all weights of a question are alike this is
    :math:`d_m=\sum_q w_q(y_{qm}-\bar y_q)/\sum_q w_q`. Rows that repeat a cell (groups of a question, people
    of a group) give the same estimates and the same sums of scores by question as one cell with their number
    as its weight.
    """
    values = np.where(weights > 0, values, 0.0)
    totals = weights.sum(axis=1)
    means = (weights * values).sum(axis=1) / totals
    gap = weights * (values - means[:, None])
    inverse = _inverse(weights)
    deviation = gap.sum(axis=0) @ inverse
    baseline = means - (weights @ deviation) / totals
    residual = weights * (values - baseline[:, None] - deviation)
    return Effects(deviation, baseline, residual @ inverse)


def refit_effects(values: FloatArray, weights: FloatArray, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Deviations and mean baseline in many resamples of the questions.

    Parameters
    ----------
    values, weights : ndarray of float, shape (n_questions, n_sources)
        As in :func:`fit_effects`.
    times : ndarray of float, shape (replicates, n_questions)
        How often each replicate counts each question.

    Returns
    -------
    deviation : ndarray of float, shape (replicates, n_sources)
        ``nan`` in a replicate whose questions do not link all sources.
    baseline : ndarray of float, shape (replicates,)
        Mean over the questions of the replicate, each as often as it counts.
    """
    values = np.where(weights > 0, values, 0.0)
    totals = weights.sum(axis=1)
    means = (weights * values).sum(axis=1) / totals
    gap = weights * (values - means[:, None])
    with threadpool_limits(limits=1, user_api="blas"):
        if (weights == weights[:, :1]).all():
            deviation = (times @ gap) / (times @ weights[:, 0])[:, None]
        else:
            deviation = _solved(weights, gap, totals, times)
        shift = deviation @ (weights / totals[:, None]).T
        baseline = ((means - shift) * times).sum(axis=1) / times.sum(axis=1)
    return np.asarray(deviation), np.asarray(baseline)


def _inverse(weights: FloatArray) -> FloatArray:
    """Inverse of the swept normal matrix on vectors that sum to 0, shape (n_sources, n_sources)."""
    n_sources = weights.shape[1]
    centring = np.eye(n_sources) - 1.0 / n_sources
    if (weights == weights[:, :1]).all():
        return np.asarray(centring / weights[:, 0].sum())
    with threadpool_limits(limits=1, user_api="blas"):
        inverse: FloatArray = centring @ np.linalg.inv(_anchored(_normal(weights).sum(axis=0))) @ centring
    return inverse


def _normal(weights: FloatArray) -> FloatArray:
    """What each question adds to the normal matrix, shape (n_questions, n_sources, n_sources)."""
    diagonal = weights[:, :, None] * np.eye(weights.shape[1])
    return np.asarray(diagonal - weights[:, :, None] * weights[:, None, :] / weights.sum(axis=1)[:, None, None])


def _anchored(normal: FloatArray) -> FloatArray:
    """The matrix made regular along the vector of ones, which a right side that sums to 0 does not see."""
    scale = np.trace(normal, axis1=-2, axis2=-1) / normal.shape[-1] ** 2
    return np.asarray(normal + scale[..., None, None])


def _solved(weights: FloatArray, gap: FloatArray, totals: FloatArray, times: FloatArray) -> FloatArray:
    n_sources = weights.shape[1]
    pieces = _normal(weights).reshape(len(totals), -1)
    normal = (times @ pieces).reshape(-1, n_sources, n_sources)
    eigenvalues = np.linalg.eigvalsh(normal)
    # The vector of ones always has eigenvalue 0; a second one means that sources are not linked.
    fits = eigenvalues[:, 1] > SMALLEST_EIGENVALUE * eigenvalues[:, -1]
    deviation: FloatArray = np.full((len(times), n_sources), np.nan)
    deviation[fits] = np.linalg.solve(_anchored(normal[fits]), (times[fits] @ gap)[:, :, None])[:, :, 0]
    return deviation
