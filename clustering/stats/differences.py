"""Differences of sources on the same questions, all pairs at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.special

from clustering.stats.intervals import check_bootstrap, question_times, replicate_means
from clustering.stats.matrix import FloatArray
from clustering.stats.multiplicity import holm, holm_steps
from clustering.stats.panel import CoveragePanel, Variant
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "DifferenceTable", "PairDifference", "paired_differences"]

METHOD_VERSION = "1"

SMALLEST_ERROR = 1e-12


@dataclass(frozen=True, slots=True)
class PairDifference:
    """Mean difference of two sources over the questions both have a coverage of.

    Attributes
    ----------
    left, right : str
    difference : float
        Left minus right.
    standard_error : float
    degrees_of_freedom : int
        Questions minus 1.
    low, high : float
        Interval for this pair alone (t).
    bootstrap_low, bootstrap_high : float
        Percentile bootstrap over questions, for this pair alone.
    p_value : float
        Two-sided paired t test.
    p_holm : float
        The same, adjusted by Holm for all pairs.
    holm_low, holm_high : float
        Interval at the level of the pair's step in Holm's procedure: it leaves out 0 exactly if the pair is
        significant after adjustment.
    simultaneous_low, simultaneous_high : float
        Interval that holds for all pairs together (Bonferroni).
    n_questions : int
    undefined : str or None
        Why there is no difference.
    interval_undefined : str or None
        Why there is no interval and no p value.
    """

    left: str
    right: str
    difference: float
    standard_error: float
    degrees_of_freedom: int
    low: float
    high: float
    bootstrap_low: float
    bootstrap_high: float
    p_value: float
    p_holm: float
    holm_low: float
    holm_high: float
    simultaneous_low: float
    simultaneous_high: float
    n_questions: int
    undefined: str | None
    interval_undefined: str | None


@dataclass(frozen=True, slots=True)
class DifferenceTable:
    """Differences of all pairs of sources.

    Attributes
    ----------
    variant : {"unweighted", "weighted"}
    level : float
    pairs : tuple of PairDifference
        In order of sources.
    n_tests : int
        Pairs that could be tested: what Holm and Bonferroni reckon with.
    undefined : str or None
    """

    variant: Variant
    level: float
    pairs: tuple[PairDifference, ...]
    n_tests: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def paired_differences(
    panel: CoveragePanel, *, variant: Variant, seed: int, replicates: int = 2000, level: float = 0.95
) -> DifferenceTable:
    r"""All pairs of sources, compared question by question.

    Parameters
    ----------
    panel : CoveragePanel
    variant : {"unweighted", "weighted"}
    seed, replicates : int
        Of the bootstrap, whose draws are those of the scores.
    level : float, default 0.95

    Returns
    -------
    DifferenceTable

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    With differences :math:`d_q` of n questions: :math:`\bar d\pm t_{n-1}\,s_d/\sqrt n` and the paired t test.
    *Holm* [1]_: errs in any of the pairs at most 1 - level of the time. Its intervals go with its decisions,
    the one of the i-th smallest p value at level :math:`1-\alpha/(m-i+1)` and all from the first that is not
    rejected on at that step's level; together they hold less often than `level` if many differences are real.
    *Simultaneous*: all at :math:`1-\alpha/m` (Bonferroni), which do hold together. The questions are taken as
    a sample, people and groups as they are.

    References
    ----------
    .. [1] S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 6, 1979.
    """
    check_bootstrap(seed=seed, replicates=replicates, level=level)
    values = panel.values(variant)
    pairs = list(combinations(range(len(panel.sources)), 2))
    gaps = np.array([values[:, i] - values[:, j] for i, j in pairs]).reshape(len(pairs), len(values)).T
    n = (~np.isnan(gaps)).sum(axis=0)
    mean = np.array([float(gap[~np.isnan(gap)].mean()) if k else math.nan for gap, k in zip(gaps.T, n, strict=True)])
    error = np.array([_standard_error(gap[~np.isnan(gap)]) for gap in gaps.T])
    df = np.maximum(n - 1, 1).astype(np.float64)
    p_values = np.asarray(2 * scipy.special.stdtr(df, -np.abs(mean) / error), dtype=np.float64)
    tested = int((~np.isnan(p_values)).sum())
    drawn = replicate_means(gaps, question_times(len(values), seed=seed, replicates=replicates))
    alpha = 1 - level
    widths = {
        "single": np.full(len(pairs), alpha),
        "holm": alpha / np.maximum(holm_steps(p_values, alpha), 1),
        "simultaneous": np.full(len(pairs), alpha / max(tested, 1)),
    }
    half = {name: scipy.special.stdtrit(df, 1 - tail / 2) * error for name, tail in widths.items()}
    adjusted = holm(p_values)
    rows = tuple(
        _row(
            (panel.sources[i], panel.sources[j]),
            n_questions=int(n[k]),
            numbers={"difference": mean[k], "standard_error": error[k], "p_value": p_values[k], "p_holm": adjusted[k]},
            half={name: float(width[k]) for name, width in half.items()},
            drawn=drawn[:, k],
            level=level,
            reason=panel.reasons.get(variant),
        )
        for k, (i, j) in enumerate(pairs)
    )
    undefined = None if pairs else "fewer than two sources"
    return DifferenceTable(variant, level, rows, tested, undefined)


def _standard_error(gap: FloatArray) -> float:
    """Of the mean; ``nan`` with fewer than two questions or without spread."""
    if len(gap) < 2:
        return math.nan
    error = float(gap.std(ddof=1)) / math.sqrt(len(gap))
    return error if error > SMALLEST_ERROR else math.nan


def _row(
    names: tuple[str, str],
    *,
    n_questions: int,
    numbers: dict[str, float],
    half: dict[str, float],
    drawn: FloatArray,
    level: float,
    reason: str | None,
) -> PairDifference:
    none = None if n_questions else (reason or "no question has a coverage of both")
    no_interval = none
    if n_questions == 1:
        no_interval = "one question: no spread between questions"
    elif n_questions > 1 and math.isnan(numbers["standard_error"]):
        no_interval = "the difference is the same on every question"
    middle = numbers["difference"]
    used = drawn[~np.isnan(drawn)] if no_interval is None else drawn[:0]
    ends = np.quantile(used, [(1 - level) / 2, (1 + level) / 2]) if len(used) else (math.nan, math.nan)
    bounds = {"low": middle - half["single"], "high": middle + half["single"]}
    for name in ("holm", "simultaneous"):
        bounds |= {f"{name}_low": middle - half[name], f"{name}_high": middle + half[name]}
    return PairDifference(
        left=names[0],
        right=names[1],
        degrees_of_freedom=max(n_questions - 1, 0),
        bootstrap_low=float(ends[0]),
        bootstrap_high=float(ends[1]),
        n_questions=n_questions,
        undefined=none,
        interval_undefined=no_interval,
        **{name: float(value) for name, value in (numbers | bounds).items()},
    )
