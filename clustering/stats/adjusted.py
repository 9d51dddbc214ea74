"""Adjusted scores: a linear probability model with question and model effects, robust by question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.special

from clustering.stats.effects import fit_effects, linked, refit_effects
from clustering.stats.intervals import Estimate, Method, Repeats, check_bootstrap, estimate_of, question_times
from clustering.stats.matrix import BoolArray, FloatArray
from clustering.stats.multiplicity import holm
from clustering.stats.panel import CoveragePanel, Variant
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "AdjustedScore",
    "AdjustedTable",
    "Distribution",
    "FactorKind",
    "Mode",
    "adjusted_bootstrap",
    "adjusted_scores",
]

METHOD_VERSION = "1"

Mode = Literal["paper", "ordinary"]
Distribution = Literal["normal", "t"]
FactorKind = Literal["full", "questions"]

SMALLEST_ERROR = 1e-12
NO_SPREAD = "its deviation is the same on every question: no standard error"


@dataclass(frozen=True, slots=True)
class AdjustedScore:
    """One source in the regression.

    Attributes
    ----------
    source : str
    raw : float
        Mean coverage over its questions.
    pooled : float
        Mean over the rows of the regression: in mode *paper* of groups (unweighted) or people (weighted).
    adjusted : float
        Its effect at the mean of the question effects: the score it would have on all questions.
    deviation : float
        Its effect minus the grand mean of the effects of all sources.
    standard_error : float
        Of the deviation.
    low, high : float
        Interval of the *deviation*, not of the adjusted score.
    p_value : float
        Two-sided, against deviation 0.
    p_holm : float
        The same, adjusted by Holm for all sources of the table.
    undefined : str or None
        Why there is no adjusted score.
    interval_undefined : str or None
        Why there is no standard error, interval and p value.
    """

    source: str
    raw: float
    pooled: float
    adjusted: float
    deviation: float
    standard_error: float
    low: float
    high: float
    p_value: float
    p_holm: float
    undefined: str | None
    interval_undefined: str | None


@dataclass(frozen=True, slots=True)
class AdjustedTable:
    """Adjusted scores of all sources.

    Attributes
    ----------
    mode : {"paper", "ordinary"}
        Rows are (question, group, model) as in the paper's tables, or (question, model).
    variant : {"unweighted", "weighted"}
    distribution : {"normal", "t"}
        Quantiles of interval and p value.
    degrees_of_freedom : int or None
        Questions minus 1 for *t*.
    level : float
    scores : tuple of AdjustedScore
        In order of source.
    n_questions, n_rows, n_parameters : int
        Of the regression.
    factor_kind : {"full", "questions"}
    factor : float
        Small-sample factor of the covariance.
    grand_mean : float
        Mean of the adjusted scores.
    undefined : str or None
        Why there is no regression.
    """

    mode: Mode
    variant: Variant
    distribution: Distribution
    degrees_of_freedom: int | None
    level: float
    scores: tuple[AdjustedScore, ...]
    n_questions: int
    n_rows: int
    n_parameters: int
    factor_kind: FactorKind
    factor: float
    grand_mean: float
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells that enter: values and weights of the questions and sources that have any."""

    values: FloatArray
    weights: FloatArray
    questions: BoolArray
    sources: BoolArray
    n_rows: int
    undefined: str | None


def adjusted_scores(
    panel: CoveragePanel,
    *,
    variant: Variant,
    mode: Mode = "ordinary",
    distribution: Distribution = "normal",
    factor: FactorKind = "full",
    level: float = 0.95,
) -> AdjustedTable:
    r"""Scores of sources at the same questions, each against the grand mean of all.

    Parameters
    ----------
    panel : CoveragePanel
    variant : {"unweighted", "weighted"}
    mode : {"paper", "ordinary"}, default "ordinary"
        *ordinary*: a row is a question and a source, its value the coverage; all rows weigh alike. *paper*: a
        row is a question, a group and a source, covered or not (0/1); unweighted all rows weigh alike, so a
        question weighs as many groups as it has; weighted a row weighs the size of its group.
    distribution : {"normal", "t"}, default "normal"
        *normal*, as the paper's numbers are, or *t* with one degree of freedom less than questions.
    factor : {"full", "questions"}, default "full"
        Small-sample factor of the covariance: *full* counts the question effects among the coefficients, as
        the paper and statsmodels do; *questions* does not, since they lie within the units of the robust
        covariance [2]_.
    level : float, default 0.95

    Returns
    -------
    AdjustedTable

    Raises
    ------
    ValueError
        If an option is unknown or out of range.

    Notes
    -----
    ``Coverage ~ 0 + C(model) + C(question)`` (appendix A of the Overton paper [1]_), by (weighted) least
    squares. With effects :math:`\alpha_m,\beta_q` the adjusted score is :math:`\alpha_m+\bar\beta`, every
    question counting once, and the deviation :math:`\alpha_m-\bar\alpha`. Its variance is robust to
    dependence within a question, with the factor :math:`\frac{G}{G-1}\frac{N-1}{N-K}` of G questions, N rows
    and K coefficients, or :math:`\frac{G}{G-1}` alone (*questions*); for equal weights within questions, with
    :math:`D_{qm}=w_q(y_{qm}-\bar y_q-d_m)`, it is :math:`c\sum_q D_{qm}^2/(\sum_q w_q)^2`. In the paper the
    bracket beside an adjusted score is the interval of the deviation, and in its weighted table N counts
    groups, not people.

    *Which to report*: mode *ordinary* with *t* and *questions* is, with balanced cells, the exact t test of a
    model's differences from the question means; *full* makes intervals wider than they need be.

    *Unbalanced*: a source without coverage of a question has no row there; what the others show about the
    question adjusts for it. Sources that no chain of common questions links cannot be compared.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, section 4.1 and appendix A.
    .. [2] A. C. Cameron, D. L. Miller, A Practitioner's Guide to Cluster-Robust Inference, Journal of Human
       Resources 50(2), 2015, section III.B.
    """
    if mode not in ("paper", "ordinary") or distribution not in ("normal", "t") or factor not in ("full", "questions"):
        raise ValueError(f"unknown mode {mode!r}, distribution {distribution!r} or factor {factor!r}")
    if not 0 < level < 1:
        raise ValueError(f"unknown level {level!r}: it lies between 0 and 1")
    cells = _cells(panel, variant, mode)
    n_questions, n_sources = cells.values.shape
    df = n_questions - 1 if distribution == "t" else None
    number, reason = _factor(n_questions, n_sources, cells.n_rows, factor)
    scores, grand_mean = _fitted(panel.sources, cells, number, reason, level, df)
    return AdjustedTable(
        mode=mode,
        variant=variant,
        distribution=distribution,
        degrees_of_freedom=df or None,
        level=level,
        scores=scores,
        n_questions=n_questions,
        n_rows=cells.n_rows,
        n_parameters=n_questions + n_sources - 1,
        factor_kind=factor,
        factor=number,
        grand_mean=grand_mean,
        undefined=cells.undefined,
    )


def _fitted(
    sources: tuple[str, ...], cells: _Cells, factor: float, reason: str | None, level: float, df: int | None
) -> tuple[tuple[AdjustedScore, ...], float]:
    """Scores of all sources, and their grand mean; `reason` says why nothing has a standard error."""
    if cells.undefined:
        return tuple(_without(source, cells.undefined) for source in sources), float("nan")
    effects = fit_effects(cells.values, cells.weights)
    error = np.sqrt(factor * (effects.influence**2).sum(axis=0))
    quantile, p_values = _tests(effects.deviation, error, level, df)
    adjusted = effects.deviation + effects.baseline.mean()
    columns = {
        "raw": _mean(cells.values, cells.weights > 0),
        "pooled": _mean(cells.values, cells.weights),
        "adjusted": adjusted,
        "deviation": effects.deviation,
        "standard_error": error,
        "low": effects.deviation - quantile * error,
        "high": effects.deviation + quantile * error,
        "p_value": p_values,
        "p_holm": holm(p_values),
    }
    return _scores(sources, cells.sources, columns, reason), float(adjusted.mean())


def adjusted_bootstrap(
    panel: CoveragePanel,
    *,
    variant: Variant,
    seed: int,
    mode: Mode = "ordinary",
    replicates: int = 2000,
    level: float = 0.95,
    repeats: Repeats = "counted",
    method: Method = "percentile",
) -> tuple[Estimate, ...]:
    """Adjusted scores with bootstrap intervals over questions.

    Parameters
    ----------
    panel : CoveragePanel
    variant, mode
        As in :func:`adjusted_scores`.
    seed, replicates, level, repeats, method
        As in :func:`clustering.stats.intervals.mean_over_questions`.

    Returns
    -------
    tuple of Estimate, length n_sources
        In order of source. The regression is fitted anew in each replicate; one whose questions do not link
        all sources is left out.

    Raises
    ------
    ValueError
        If an option is unknown or out of range.
    """
    check_bootstrap(seed=seed, replicates=replicates, level=level)
    table = adjusted_scores(panel, variant=variant, mode=mode, level=level)
    cells = _cells(panel, variant, mode)
    nan = float("nan")
    if cells.undefined:
        return tuple(Estimate(nan, nan, nan, nan, 0, 0, cells.undefined, cells.undefined) for _ in panel.sources)
    times = question_times(len(cells.values), seed=seed, replicates=replicates, repeats=repeats)
    deviation, baseline = refit_effects(cells.values, cells.weights, times)
    column_of = np.cumsum(cells.sources) - 1
    n_questions = len(cells.values)
    return tuple(
        estimate_of(
            score.adjusted,
            deviation[:, column_of[index]] + baseline,
            n_questions=n_questions,
            level=level,
            method=method,
        )
        if score.undefined is None
        else Estimate(nan, nan, nan, nan, 0, 0, score.undefined, score.undefined)
        for index, score in enumerate(table.scores)
    )


def _cells(panel: CoveragePanel, variant: Variant, mode: Mode) -> _Cells:
    values = panel.values(variant)
    has = ~np.isnan(values)
    reason = panel.reasons.get(variant) or (None if has.any() else "no question has a coverage")
    questions, sources = np.asarray(has.any(axis=1), dtype=bool), np.asarray(has.any(axis=0), dtype=bool)
    weights = np.where(has, panel.weights(variant) if mode == "paper" else 1.0, 0.0)
    n_rows = int(np.where(has, panel.n_groups, 0).sum() if mode == "paper" else has.sum())
    values, weights = values[np.ix_(questions, sources)], weights[np.ix_(questions, sources)]
    if reason is None and sources.sum() < 2:
        reason = "one source: nothing to compare it with"
    if reason is None and not linked(weights):
        reason = "the sources are not linked by common questions"
    return _Cells(values, weights, questions, sources, n_rows, reason)


def _factor(n_questions: int, n_sources: int, n_rows: int, kind: FactorKind) -> tuple[float, str | None]:
    """Small-sample factor, and why there is none."""
    n_parameters = n_questions + n_sources - 1
    if n_questions < 2:
        return float("nan"), "one question: no spread between questions"
    if n_rows <= n_parameters:
        return float("nan"), "as many coefficients as rows: no residual"
    rows = (n_rows - 1) / (n_rows - n_parameters) if kind == "full" else 1.0
    return n_questions / (n_questions - 1) * rows, None


def _tests(deviation: FloatArray, error: FloatArray, level: float, df: int | None) -> tuple[float, FloatArray]:
    """Quantile for the intervals, and two-sided p values; ``nan`` where there is no standard error."""
    error[error < SMALLEST_ERROR] = np.nan
    size = np.abs(deviation) / error
    if df == 0:
        return float("nan"), np.full_like(deviation, np.nan)
    if df is None:
        return float(scipy.special.ndtri((1 + level) / 2)), np.asarray(2 * scipy.special.ndtr(-size))
    return float(scipy.special.stdtrit(df, (1 + level) / 2)), np.asarray(2 * scipy.special.stdtr(df, -size))


def _mean(values: FloatArray, weights: FloatArray | BoolArray) -> FloatArray:
    return np.asarray((np.where(weights > 0, values, 0.0) * weights).sum(axis=0) / weights.sum(axis=0))


def _scores(
    sources: tuple[str, ...], kept: BoolArray, columns: dict[str, FloatArray], reason: str | None
) -> tuple[AdjustedScore, ...]:
    scores = []
    place = np.cumsum(kept) - 1
    for index, source in enumerate(sources):
        if not kept[index]:
            scores.append(_without(source, "no question has a coverage"))
            continue
        numbers = {name: float(column[place[index]]) for name, column in columns.items()}
        none = reason or (NO_SPREAD if np.isnan(numbers["standard_error"]) else None)
        scores.append(AdjustedScore(source=source, **numbers, undefined=None, interval_undefined=none))
    return tuple(scores)


def _without(source: str, reason: str) -> AdjustedScore:
    nan = float("nan")
    return AdjustedScore(source, nan, nan, nan, nan, nan, nan, nan, nan, nan, reason, reason)
