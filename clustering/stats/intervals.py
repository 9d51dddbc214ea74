"""Bootstrap over questions: draws, means of replicates, and the interval of an estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.special

from clustering.stats.matrix import FloatArray

__all__ = [
    "METHOD_VERSION",
    "Estimate",
    "Method",
    "Repeats",
    "check_bootstrap",
    "estimate_of",
    "mean_over_questions",
    "question_times",
    "replicate_means",
]

METHOD_VERSION = "1"

Repeats = Literal["counted", "collapsed"]
Method = Literal["percentile", "expanded"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions with its uncertainty.

    Attributes
    ----------
    value : float
        In [0, 1]; ``nan`` if undefined.
    low, high : float
        Bootstrap interval; ``nan`` if there is none.
    standard_error : float
        Standard deviation of the bootstrap replicates; ``nan`` if there is none.
    n_questions : int
        Questions that count: those with a coverage.
    n_replicates : int
        Replicates used: those in which a question that counts was drawn.
    undefined : str or None
        Why there is no value.
    interval_undefined : str or None
        Why there is no interval.
    """

    value: float
    low: float
    high: float
    standard_error: float
    n_questions: int
    n_replicates: int
    undefined: str | None
    interval_undefined: str | None


def check_bootstrap(*, seed: int, replicates: int, level: float) -> None:
    """Refuse options out of range.

    Raises
    ------
    ValueError
        If the seed is negative, there is no replicate, or the level lies outside (0, 1).
    """
    if seed < 0 or replicates < 1 or not 0 < level < 1:
        raise ValueError("seed is at least 0, replicates at least 1, and level lies between 0 and 1")


def question_times(n_questions: int, *, seed: int, replicates: int, repeats: Repeats = "counted") -> FloatArray:
    """How often each replicate counts each question.

    Parameters
    ----------
    n_questions, seed, replicates : int
    repeats : {"counted", "collapsed"}, default "counted"
        A question drawn twice counts twice (the bootstrap), or once (what the paper's site shows; its
        intervals are about a fifth too narrow).

    Returns
    -------
    ndarray of float, shape (replicates, n_questions)
        Each row is drawn with replacement, as many questions as there are.

    Raises
    ------
    ValueError
        If `repeats` is unknown.
    """
    if repeats not in ("counted", "collapsed"):
        raise ValueError(f"unknown treatment of repeated draws {repeats!r}")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, max(n_questions, 1), size=(replicates, n_questions))
    cells = drawn + np.arange(replicates)[:, None] * n_questions
    times = np.bincount(cells.ravel(), minlength=replicates * n_questions).reshape(replicates, n_questions)
    return (times > 0 if repeats == "collapsed" else times).astype(np.float64)


def replicate_means(coverage: FloatArray, times: FloatArray) -> FloatArray:
    """Mean coverage of every column in every replicate, over the questions on which it has one.

    Parameters
    ----------
    coverage : ndarray of float, shape (n_questions, n_columns)
        ``nan`` where there is no coverage.
    times : ndarray of float, shape (replicates, n_questions)

    Returns
    -------
    ndarray of float, shape (replicates, n_columns)
        ``nan`` where no question of the column was drawn.
    """
    weight = times @ (~np.isnan(coverage)).astype(np.float64)
    means: FloatArray = np.full(weight.shape, np.nan)
    np.divide(times @ np.nan_to_num(coverage), weight, out=means, where=weight > 0)
    return means


def estimate_of(
    value: float, replicates: FloatArray, *, n_questions: int, level: float, method: Method = "percentile"
) -> Estimate:
    r"""Interval of a value from its bootstrap replicates.

    Parameters
    ----------
    value : float
        ``nan`` if no question has a coverage.
    replicates : ndarray of float, shape (n_replicates,)
        ``nan`` where a replicate has no value; those are left out.
    n_questions : int
        Questions the value rests on.
    level : float
    method : {"percentile", "expanded"}, default "percentile"
        *expanded* takes the quantiles at :math:`\Phi(-\sqrt{n/(n-1)}\,t_{n-1})` instead of :math:`\alpha/2`,
        which undoes most of the shortness of percentile intervals with few questions [1]_.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If the method is unknown.

    References
    ----------
    .. [1] T. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69(4),
       2015, section 3.3 (expanded percentile interval).
    """
    if method not in ("percentile", "expanded"):
        raise ValueError(f"unknown interval {method!r}")
    nan = float("nan")
    if math.isnan(value):
        reason = "no question has a coverage"
        return Estimate(nan, nan, nan, nan, 0, 0, reason, reason)
    if n_questions == 1:
        return Estimate(value, nan, nan, nan, 1, 0, None, "one question: nothing to resample")
    used = replicates[~np.isnan(replicates)]
    tail = (1 - level) / 2
    if method == "expanded":
        quantile = math.sqrt(n_questions / (n_questions - 1)) * scipy.special.stdtrit(n_questions - 1, tail)
        tail = float(scipy.special.ndtr(quantile))
    low, high = np.quantile(used, [tail, 1 - tail]) if len(used) else (nan, nan)
    error = float(used.std(ddof=1)) if len(used) > 1 else nan
    reason_of_none = None if len(used) else "no replicate drew a question that counts"
    return Estimate(value, float(low), float(high), error, n_questions, len(used), None, reason_of_none)


def mean_over_questions(
    coverage: FloatArray,
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
    repeats: Repeats = "counted",
    method: Method = "percentile",
) -> tuple[Estimate, ...]:
    """Mean of each column over questions, with a bootstrap interval over questions.

    Parameters
    ----------
    coverage : ndarray of float, shape (n_questions, n_columns)
        In [0, 1]; ``nan`` where a column has no coverage of a question.
    seed : int
        At least 0.
    replicates : int, default 2000
        At least 1.
    level : float, default 0.95
        In (0, 1).
    repeats : {"counted", "collapsed"}, default "counted"
        See :func:`question_times`.
    method : {"percentile", "expanded"}, default "percentile"
        See :func:`estimate_of`.

    Returns
    -------
    tuple of Estimate, length n_columns

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    A replicate draws n_questions questions with replacement and counts a question as often as it was
    drawn [1]_. The interval takes the questions as a sample of questions; people and groups are taken as
    they are. With one question there is nothing to draw from, so there is no interval.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall, 1993, section 13.3.
    """
    check_bootstrap(seed=seed, replicates=replicates, level=level)
    times = question_times(len(coverage), seed=seed, replicates=replicates, repeats=repeats)
    counts = (~np.isnan(coverage)).sum(axis=0)
    drawn = replicate_means(coverage, times)
    return tuple(
        estimate_of(
            float(column[~np.isnan(column)].mean()) if n else float("nan"),
            means,
            n_questions=int(n),
            level=level,
            method=method,
        )
        for column, means, n in zip(coverage.T, drawn.T, counts, strict=True)
    )
