"""OvertonScore: mean coverage over questions, with a bootstrap interval over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.coverage import QuestionCoverage
from clustering.stats.matrix import FloatArray
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "Estimate", "OvertonScore", "OvertonTable", "mean_over_questions", "overton_scores"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions with its uncertainty.

    Attributes
    ----------
    value : float
        In [0, 1]; ``nan`` if undefined.
    low, high : float
        Percentile bootstrap interval; ``nan`` if there is none.
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


@dataclass(frozen=True, slots=True)
class OvertonScore:
    """The OvertonScore of one source.

    Attributes
    ----------
    source : str
    unweighted : Estimate
        Every group counts alike.
    weighted : Estimate
        Every group counts by its size.
    """

    source: str
    unweighted: Estimate
    weighted: Estimate


@dataclass(frozen=True, slots=True)
class OvertonTable:
    """OvertonScores of all sources over the same questions.

    Attributes
    ----------
    scores : tuple of OvertonScore
        In order of source key.
    best : OvertonScore
        Best across sources: a group is covered if any answer covers it.
    questions : tuple of str
        Questions that entered, in order.
    left_out : tuple of (str, str)
        Questions without any coverage, each with its reason.
    rule : str or None
    threshold : float
        ``nan`` (and `rule` None) if no question was given.
    replicates : int
    level : float
        Confidence level in (0, 1).
    seed : int
    undefined : str or None
    """

    scores: tuple[OvertonScore, ...]
    best: OvertonScore
    questions: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    rule: str | None
    threshold: float
    replicates: int
    level: float
    seed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def overton_scores(
    coverages: Sequence[QuestionCoverage], *, seed: int, replicates: int = 2000, level: float = 0.95
) -> OvertonTable:
    """OvertonScores, unweighted and weighted, of every source.

    Parameters
    ----------
    coverages : sequence of QuestionCoverage
        One for each question, in any order, all by the same rule and threshold.
    seed : int
        Of the bootstrap, at least 0.
    replicates : int, default 2000
    level : float, default 0.95

    Returns
    -------
    OvertonTable

    Raises
    ------
    ValueError
        If a question occurs twice, rules or thresholds differ, or an option is out of range.

    Notes
    -----
    Equation 2 of the Overton paper [1]_. A source is averaged over the questions on which it has a
    coverage, which are counted; sources may therefore rest on different questions. The draws of the
    bootstrap are the same for all sources and both variants, so differences can be taken replicate by
    replicate by whoever repeats them with the seed.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, section 2.
    """
    ordered = sorted(coverages, key=lambda coverage: coverage.question)
    names = [coverage.question for coverage in ordered]
    if len(set(names)) < len(names):
        raise ValueError("a question occurs twice")
    if len({(coverage.rule, coverage.threshold, coverage.tolerance) for coverage in ordered}) > 1:
        raise ValueError("coverages by different rules or thresholds cannot be averaged")
    used = [coverage for coverage in ordered if coverage.undefined is None]
    sources = tuple(sorted({source for coverage in ordered for source in coverage.sources}))
    plain_rows, weighted_rows = _by_source(used, sources)
    unweighted, weighted = (
        mean_over_questions(rows, seed=seed, replicates=replicates, level=level) for rows in (plain_rows, weighted_rows)
    )
    scores = tuple(map(OvertonScore, (*sources, "best across sources"), unweighted, weighted))
    return OvertonTable(
        scores=scores[:-1],
        best=scores[-1],
        questions=tuple(coverage.question for coverage in used),
        left_out=tuple((c.question, c.undefined) for c in ordered if c.undefined is not None),
        rule=ordered[0].rule if ordered else None,
        threshold=ordered[0].threshold if ordered else float("nan"),
        replicates=replicates,
        level=level,
        seed=seed,
        undefined=None if used else "no question has a coverage",
    )


def mean_over_questions(
    coverage: FloatArray, *, seed: int, replicates: int = 2000, level: float = 0.95
) -> tuple[Estimate, ...]:
    """Mean of each column over questions, with a percentile bootstrap interval over questions.

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
    drawn [1]_ (collapsing repeated draws, as is sometimes done, makes intervals about a fifth too narrow).
    The interval takes the questions as a sample of questions; people and groups are taken as they are.
    With one question there is nothing to draw from, so there is no interval.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall, 1993, section 13.3.
    """
    if seed < 0 or replicates < 1 or not 0 < level < 1:
        raise ValueError("seed is at least 0, replicates at least 1, and level lies between 0 and 1")
    n_questions = len(coverage)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, max(n_questions, 1), size=(replicates, n_questions))
    times = np.zeros((replicates, n_questions))
    np.add.at(times, (np.arange(replicates)[:, None], drawn), 1.0)
    return tuple(_estimate(column, times, level) for column in coverage.T)


def _estimate(column: FloatArray, times: FloatArray, level: float) -> Estimate:
    counts = ~np.isnan(column)
    n_questions = int(counts.sum())
    nan = float("nan")
    if n_questions == 0:
        reason = "no question has a coverage"
        return Estimate(nan, nan, nan, nan, 0, 0, reason, reason)
    value = float(column[counts].mean())
    if n_questions == 1:
        return Estimate(value, nan, nan, nan, 1, 0, None, "one question: nothing to resample")
    weight = times[:, counts].sum(axis=1)
    means = (times[:, counts] @ column[counts])[weight > 0] / weight[weight > 0]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    error = float(means.std(ddof=1)) if len(means) > 1 else nan
    return Estimate(value, float(low), float(high), error, n_questions, len(means), None, None)


def _by_source(used: list[QuestionCoverage], sources: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Coverage of questions by sources, and in the last column the best; unweighted and weighted."""
    unweighted, weighted = np.full((2, len(used), len(sources) + 1), np.nan)
    place = {source: column for column, source in enumerate(sources)}
    for row, coverage in enumerate(used):
        columns = [place[source] for source in coverage.sources]
        unweighted[row, columns] = coverage.coverage
        weighted[row, columns] = coverage.coverage_weighted
        unweighted[row, -1] = coverage.best_coverage
        weighted[row, -1] = coverage.best_coverage_weighted
    return unweighted, weighted
