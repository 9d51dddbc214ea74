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
from clustering.stats.intervals import Method
from clustering.stats.matrix import FloatArray
from clustering.stats.panel import VARIANTS, CoveragePanel, Variant
from clustering.stats.plain import plain
from clustering.stats.resampled import people_times, resampled_coverage

__all__ = [
    "METHOD_VERSION",
    "Plan",
    "PlanningTable",
    "VarianceComponents",
    "WithinVariance",
    "expected_width",
    "plan_precision",
    "variance_components",
    "within_variances",
]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class WithinVariance:
    """Variance of the coverage of each question that comes from who happened to take part.

    Attributes
    ----------
    questions : tuple of str
    unweighted, weighted : ndarray of float, shape (n_questions, n_sources)
    n_people : ndarray of float, shape (n_questions,)
        People in groups.
    """

    questions: tuple[str, ...]
    unweighted: FloatArray
    weighted: FloatArray
    n_people: FloatArray

    def values(self, variant: Variant) -> FloatArray:
        """Variances of the variant."""
        return self.unweighted if variant == "unweighted" else self.weighted


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Where the variance of the coverages of one source comes from.

    Attributes
    ----------
    source : str
    variant : {"unweighted", "weighted"}
    total : float
        Variance over questions.
    between : float
        Of true coverages, 0 if the estimate is below.
    within_per_person : float
        Variance from the choice of people, times their number; ``nan`` if it is not known.
    n_questions : int
    n_people : float
        Mean per question; ``nan`` if it is not known.
    undefined : str or None
    """

    source: str
    variant: Variant
    total: float
    between: float
    within_per_person: float
    n_questions: int
    n_people: float
    undefined: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Expected width of an interval.

    Attributes
    ----------
    source : str
    variant : {"unweighted", "weighted"}
    n_questions : int
    n_people : int or None
        Per question; None for as many as in the data.
    standard_error : float
    width : float
        High minus low.
    undefined : str or None
    """

    source: str
    variant: Variant
    n_questions: int
    n_people: int | None
    standard_error: float
    width: float
    undefined: str | None


@dataclass(frozen=True, slots=True)
class PlanningTable:
    """Expected widths for every source, variant, number of questions and number of people.

    Attributes
    ----------
    components : tuple of VarianceComponents
    plans : tuple of Plan
    level : float
    interval : {"percentile", "expanded"}
        Kind of interval that is planned for.
    """

    components: tuple[VarianceComponents, ...]
    plans: tuple[Plan, ...]
    level: float
    interval: Method

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def within_variances(
    questions: Sequence[QuestionInput],
    sources: tuple[str, ...],
    *,
    seed: int,
    replicates: int = 200,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> WithinVariance:
    """Variance of each coverage when the people in groups are drawn anew, groups as they are.

    Parameters
    ----------
    questions : sequence of QuestionInput
    sources : tuple of str
        Columns of the result.
    seed : int
    replicates : int, default 200
        Resamples of a question's people.
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    WithinVariance
        In order of question; ``nan`` where a question has no coverage.
    """
    ordered = sorted(questions, key=lambda question: question.code)
    variances = np.full((2, len(ordered), len(sources)), np.nan)
    people = np.zeros(len(ordered))
    for row, question in enumerate(ordered):
        members = [person for person in question.ratings.participants if person in question.members]
        people[row] = len(question.members)
        if not members:
            continue
        row_of = {person: index for index, person in enumerate(question.ratings.participants)}
        values = question.ratings.values[[row_of[person] for person in members]]
        labels = {label: index for index, label in enumerate(sorted(set(question.members.values())))}
        groups = np.array([labels[question.members[person]] for person in members], dtype=np.int64)
        # A question's draws do not depend on which others there are.
        rng = np.random.default_rng([seed, zlib.crc32(question.code.encode())])
        times = people_times(len(members), rng, replicates)
        with threadpool_limits(limits=1, user_api="blas"):
            drawn = resampled_coverage(values, groups, times, rule=rule, threshold=threshold, tolerance=tolerance)
        columns = [sources.index(source) for source in question.ratings.sources]
        for layer, part in enumerate((drawn.unweighted, drawn.weighted)):
            variances[layer, row, columns] = [_variance(column) for column in part.T]
    names = tuple(question.code for question in ordered)
    return WithinVariance(names, variances[0], variances[1], people)


def variance_components(panel: CoveragePanel, within: WithinVariance | None) -> tuple[VarianceComponents, ...]:
    r"""Split the variance of coverages into true differences of questions and the choice of people.

    Parameters
    ----------
    panel : CoveragePanel
    within : WithinVariance or None
        Of the same questions and sources; None if only coverages are known.

    Returns
    -------
    tuple of VarianceComponents
        For every source and variant.

    Notes
    -----
    :math:`s^2=\tau^2+\overline{v_q}` with :math:`s^2` the variance of coverages over questions and :math:`v_q`
    the variance of one of them by resampling its people; :math:`\hat\tau^2=\max(0,s^2-\overline{v_q})` and
    :math:`\hat\omega^2=\overline{m_qv_q}`.
    """
    return tuple(
        _components(source, variant, panel.values(variant)[:, column], within, column, panel.reasons.get(variant))
        for variant in VARIANTS
        for column, source in enumerate(panel.sources)
    )


def expected_width(
    components: VarianceComponents,
    *,
    n_questions: int,
    n_people: int | None = None,
    level: float = 0.95,
    interval: Method = "percentile",
) -> Plan:
    r"""Width of the interval of a score that is to be expected.

    Parameters
    ----------
    components : VarianceComponents
    n_questions : int
        At least 2.
    n_people : int, optional
        People in groups per question; as many as in the data if not given.
    level : float, default 0.95
    interval : {"percentile", "expanded"}, default "percentile"

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If a number is too small.

    Notes
    -----
    The model: questions are drawn from those alike, people from those alike, and the part of the variance
    that comes from people falls with their number: :math:`\mathrm{SE}=\sqrt{(\tau^2+\omega^2/m)/n}`. The
    expanded interval is :math:`2t_{n-1}` standard errors wide, the percentile interval :math:`2z\sqrt{(n-1)/n}`.
    The number of opinion groups is taken to stay as it is; with more people smaller groups may show, which
    changes the score itself.
    """
    if n_questions < 2 or (n_people is not None and n_people < 1):
        raise ValueError("a plan has at least 2 questions and 1 person")
    reason = components.undefined
    if reason is None and n_people is not None and math.isnan(components.within_per_person):
        reason = "coverages alone do not tell what more people would change"
    if reason:
        return Plan(components.source, components.variant, n_questions, n_people, math.nan, math.nan, reason)
    variance = components.total if n_people is None else components.between + components.within_per_person / n_people
    error = math.sqrt(variance / n_questions)
    if interval == "expanded":
        factor = float(scipy.special.stdtrit(n_questions - 1, (1 + level) / 2))
    else:
        factor = float(scipy.special.ndtri((1 + level) / 2)) * math.sqrt((n_questions - 1) / n_questions)
    return Plan(components.source, components.variant, n_questions, n_people, error, 2 * factor * error, None)


def plan_precision(
    panel: CoveragePanel,
    within: WithinVariance | None,
    *,
    questions: Sequence[int],
    people: Sequence[int],
    level: float = 0.95,
    interval: Method = "percentile",
) -> PlanningTable:
    """Expected widths over a grid of designs, from the data of a pilot or study.

    Parameters
    ----------
    panel : CoveragePanel
    within : WithinVariance or None
    questions, people : sequence of int
        Numbers of questions, and of people per question, to plan with; as many people as in the data are
        planned with too.
    level, interval
        As in :func:`expected_width`.

    Returns
    -------
    PlanningTable

    Raises
    ------
    ValueError
        If a number is too small.
    """
    components = variance_components(panel, within)
    plans = tuple(
        expected_width(part, n_questions=n, n_people=m, level=level, interval=interval)
        for part in components
        for n in questions
        for m in (None, *people)
    )
    return PlanningTable(components, plans, level, interval)


def _variance(column: FloatArray) -> float:
    known = column[~np.isnan(column)]
    return float(known.var(ddof=1)) if len(known) > 1 else math.nan


def _components(
    source: str, variant: Variant, column: FloatArray, within: WithinVariance | None, index: int, reason: str | None
) -> VarianceComponents:
    known = ~np.isnan(column)
    n, nan = int(known.sum()), math.nan
    if n < 2:
        reason = reason or "fewer than two questions with a coverage"
        return VarianceComponents(source, variant, nan, nan, nan, n, nan, reason)
    total = float(column[known].var(ddof=1))
    if within is None:
        return VarianceComponents(source, variant, total, nan, nan, n, nan, None)
    noise, people = within.values(variant)[known, index], within.n_people[known]
    return VarianceComponents(
        source=source,
        variant=variant,
        total=total,
        between=max(0.0, total - float(noise.mean())),
        within_per_person=float((noise * people).mean()),
        n_questions=n,
        n_people=float(people.mean()),
        undefined=None,
    )
