"""Planning: how narrow an interval will be with so many questions and so many people each."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.coverage import TOLERANCE, Rule
from clustering.stats.inputs import QuestionInput
from clustering.stats.intervals import Method, check_bootstrap
from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.panel import VARIANTS, CoveragePanel, Variant
from clustering.stats.plain import plain
from clustering.stats.resampled import people_times, resampled_coverage

__all__ = ["METHOD_VERSION", "DesignMoments", "Plan", "PlanningTable", "design_moments", "plan_precision"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class DesignMoments:
    """Mean and variance of each question's coverage over draws of its people.

    Attributes
    ----------
    n_people : int or None
        People drawn per question; None for as many as it has.
    mean, variance : dict of variant to ndarray of float, shape (n_questions, n_sources)
        ``nan`` where a question has no coverage.
    """

    n_people: int | None
    mean: dict[Variant, FloatArray]
    variance: dict[Variant, FloatArray]


@dataclass(frozen=True, slots=True)
class Plan:
    """Expected width of the interval of one score in one design.

    Attributes
    ----------
    source : str
    variant : {"unweighted", "weighted"}
    n_questions : int
    n_people : int or None
        Per question, in groups and rating; None for as many as in the data.
    standard_error, width : float
        Of the interval over questions: both questions and people are samples. Width is high minus low.
    people_standard_error, people_width : float
        If the questions are all that is of interest: people alone are a sample.
    undefined : str or None
    people_undefined : str or None
        Why the part of the people is not known.
    """

    source: str
    variant: Variant
    n_questions: int
    n_people: int | None
    standard_error: float
    width: float
    people_standard_error: float
    people_width: float
    undefined: str | None
    people_undefined: str | None


@dataclass(frozen=True, slots=True)
class PlanningTable:
    """Expected widths for every source, variant, number of questions and number of people.

    Attributes
    ----------
    plans : tuple of Plan
    level : float
    interval : {"percentile", "expanded"}
        Kind of interval over questions that is planned for.
    """

    plans: tuple[Plan, ...]
    level: float
    interval: Method

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def design_moments(
    questions: Sequence[QuestionInput],
    sources: tuple[str, ...],
    *,
    people: Sequence[int | None],
    seed: int,
    replicates: int = 200,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> tuple[DesignMoments, ...]:
    """Coverage of each question when so many people are drawn from its own, groups as they are.

    Parameters
    ----------
    questions : sequence of QuestionInput
    sources : tuple of str
        Columns of the result.
    people : sequence of int or None
        Designs: people per question; None for as many as a question has.
    seed : int
    replicates : int, default 200
        Draws of a question's people.
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    tuple of DesignMoments
        One for each of `people`; rows in order of question.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    check_bootstrap(seed=seed, replicates=replicates, level=0.5)
    ordered = sorted(questions, key=lambda question: question.code)
    shape = (len(people), len(VARIANTS), len(ordered), len(sources))
    means, variances = np.full((2, *shape), np.nan)
    for row, question in enumerate(ordered):
        values, groups = _grouped_ratings(question)
        columns = [sources.index(source) for source in question.ratings.sources]
        for design, n_people in enumerate(people):
            if not len(groups):
                continue
            # A question's draws do not depend on which others there are.
            rng = np.random.default_rng([seed, n_people or 0, zlib.crc32(question.code.encode())])
            times = people_times(len(groups), rng, replicates, n_people)
            with threadpool_limits(limits=1, user_api="blas"):
                drawn = resampled_coverage(values, groups, times, rule=rule, threshold=threshold, tolerance=tolerance)
            for layer, part in enumerate((drawn.unweighted, drawn.weighted)):
                means[design, layer, row, columns], variances[design, layer, row, columns] = _moments(part)
    return tuple(
        DesignMoments(
            n_people,
            {variant: means[design, layer] for layer, variant in enumerate(VARIANTS)},
            {variant: variances[design, layer] for layer, variant in enumerate(VARIANTS)},
        )
        for design, n_people in enumerate(people)
    )


def plan_precision(
    panel: CoveragePanel,
    moments: Sequence[DesignMoments],
    *,
    questions: Sequence[int],
    people: Sequence[int] = (),
    level: float = 0.95,
    interval: Method = "percentile",
) -> PlanningTable:
    r"""Expected widths over a grid of designs, from the data of a pilot or study.

    Parameters
    ----------
    panel : CoveragePanel
    moments : sequence of DesignMoments
        For None and each of `people`; empty if only coverages are known.
    questions : sequence of int
        Numbers of questions, each at least 2.
    people : sequence of int
        Numbers of people per question; as many as in the data are planned with too.
    level : float, default 0.95
    interval : {"percentile", "expanded"}, default "percentile"

    Returns
    -------
    PlanningTable

    Raises
    ------
    ValueError
        If a number is too small.

    Notes
    -----
    The model: new questions are drawn from those alike, people from those alike, opinion groups keep their
    ratings and shares. With :math:`\mu_{qm},v_{qm}` the mean and variance of a question's coverage over draws
    of m of its people, the variance over questions is :math:`\sigma_m^2=\mathrm{Var}_q(\mu_{qm})
    +\overline{v_{qm}}` and the standard error :math:`\sigma_m/\sqrt n`; with as many people as in the data
    :math:`\sigma` is the standard deviation of the coverages. The expanded interval is :math:`2t_{n-1}` standard
    errors wide, the percentile interval :math:`2z\sqrt{(n-1)/n}`. For people alone the standard error is
    :math:`\sqrt{\overline{v_{qm}}/n}`. A group is covered or not, so more people make :math:`v` smaller and
    true differences between questions stand out instead: the interval over questions hardly gains from them,
    the one over people does. With more people smaller groups may show, which changes the score itself.
    """
    if min(questions, default=2) < 2 or min(people, default=1) < 1:
        raise ValueError("a plan has at least 2 questions and 1 person")
    by_people = {part.n_people: part for part in moments}
    plans = tuple(
        _plan(panel, variant, column, n, m, by_people.get(m), level, interval)
        for variant in VARIANTS
        for column in range(len(panel.sources))
        for n in questions
        for m in (None, *people)
    )
    return PlanningTable(plans, level, interval)


def _grouped_ratings(question: QuestionInput) -> tuple[FloatArray, IntArray]:
    """Ratings and groups of those who are in a group."""
    rows = [row for row, person in enumerate(question.ratings.participants) if person in question.members]
    people = [question.ratings.participants[row] for row in rows]
    place = {label: index for index, label in enumerate(sorted(set(question.members.values())))}
    groups = np.array([place[question.members[person]] for person in people], dtype=np.int64)
    return question.ratings.values[rows], groups


def _moments(drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of each column over the draws that have a coverage."""
    known = ~np.isnan(drawn)
    enough = known.sum(axis=0) > 1
    means, variances = np.full((2, drawn.shape[1]), np.nan)
    for column in np.flatnonzero(enough):
        values = drawn[known[:, column], column]
        means[column], variances[column] = values.mean(), values.var(ddof=1)
    return means, variances


def _plan(
    panel: CoveragePanel,
    variant: Variant,
    column: int,
    n_questions: int,
    n_people: int | None,
    moments: DesignMoments | None,
    level: float,
    interval: Method,
) -> Plan:
    coverage = panel.values(variant)[:, column]
    known = ~np.isnan(coverage)
    people = math.nan
    if moments:
        known &= ~np.isnan(moments.variance[variant][:, column])
        people = float(moments.variance[variant][known, column].mean()) if known.any() else math.nan
    reason = panel.reasons.get(variant) if known.sum() < 2 else None
    if reason is None and known.sum() < 2:
        reason = "fewer than two questions with a coverage"
    no_people = "coverages alone do not tell what other people would change" if moments is None else reason
    variance = math.nan
    if reason is None and n_people is None:
        variance = float(coverage[known].var(ddof=1))
    elif reason is None and moments is not None:
        variance = float(moments.mean[variant][known, column].var(ddof=1)) + people
    elif reason is None:
        reason = no_people
    error = math.sqrt(variance / n_questions)
    people_error = math.sqrt(people / n_questions) if no_people is None else math.nan
    normal = float(scipy.special.ndtri((1 + level) / 2))
    factor = normal * math.sqrt((n_questions - 1) / n_questions)
    if interval == "expanded":
        factor = float(scipy.special.stdtrit(n_questions - 1, (1 + level) / 2))
    return Plan(
        source=panel.sources[column],
        variant=variant,
        n_questions=n_questions,
        n_people=n_people,
        standard_error=error,
        width=2 * factor * error,
        people_standard_error=people_error,
        people_width=2 * normal * people_error,
        undefined=reason,
        people_undefined=no_people,
    )
