"""Everything of OvertonScore in one result: what a study, a command and a page show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clustering.stats.correlates import CorrelateTable, by_group_size
from clustering.stats.coverage import TOLERANCE, QuestionCoverage, Rule
from clustering.stats.external import ExternalRow, external_correlation
from clustering.stats.inputs import QuestionInput, coverages_of
from clustering.stats.intervals import Method
from clustering.stats.overton import OvertonTable
from clustering.stats.panel import CoveragePanel, CoverageRow, panel_of_coverages, panel_of_rows
from clustering.stats.plain import plain
from clustering.stats.planning import DesignMoments, PlanningTable, design_moments, plan_precision
from clustering.stats.sensitivity import (
    SIZES,
    THRESHOLDS,
    Sensitivity,
    rule_sensitivity,
    size_sensitivity,
    threshold_sensitivity,
)
from clustering.stats.subgroups import MINIMUM_PEOPLE, SubgroupTable, subgroup_tables
from clustering.stats.summary import PanelSummary, summarise

__all__ = [
    "METHOD_VERSION",
    "CoverageRow",
    "OvertonReport",
    "QuestionInput",
    "ReportSettings",
    "overton_report",
    "report_from_coverages",
]

METHOD_VERSION = "1"

NEEDS_RATINGS = "a table of coverages does not hold the ratings of the groups"


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """How the numbers of a report come about; every one is stored with it.

    Attributes
    ----------
    rule : {"mean", "majority"}
    threshold : float
        Rating from which an answer represents somebody.
    tolerance : float
        By how much a rating or mean may fall short of the threshold and still reach it.
    replicates : int
        Of the bootstrap over questions.
    level : float
        Confidence level of all intervals, in (0, 1).
    interval : {"percentile", "expanded"}
        Kind of the bootstrap intervals over questions.
    thresholds : tuple of float
        Tried beside `threshold`, which is the reference.
    minimum_sizes : tuple of int
        Smallest groups tried; 2 leaves out singletons. The smallest is the reference.
    minimum_people : int
        Of a subgroup.
    plan_questions, plan_people : tuple of int
        Designs whose precision is planned.
    plan_replicates : int
        Resamples of the people of a question, for planning.
    recover : bool
        Put fractions back where a table gives rounded shares (see `panel.panel_of_rows`).
    """

    rule: Rule = "mean"
    threshold: float = 4.0
    tolerance: float = TOLERANCE
    replicates: int = 2000
    level: float = 0.95
    interval: Method = "percentile"
    thresholds: tuple[float, ...] = THRESHOLDS
    minimum_sizes: tuple[int, ...] = SIZES
    minimum_people: int = MINIMUM_PEOPLE
    plan_questions: tuple[int, ...] = (15, 30, 60, 120)
    plan_people: tuple[int, ...] = (30, 60, 120, 240)
    plan_replicates: int = 200
    recover: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class OvertonReport:
    """All statistics of OvertonScore over the same questions.

    Attributes
    ----------
    settings : ReportSettings
    seed : int
    coverages : tuple of QuestionCoverage
        In order of question; empty if the report was made of a table of coverages.
    panel : CoveragePanel
        Coverage of questions by sources.
    overall : PanelSummary
        Scores, ranks, adjusted scores and differences over all questions.
    domains : tuple of PanelSummary
        The same for each domain, if there are at least two.
    by_group_size : CorrelateTable or None
    rules, thresholds, sizes : tuple of Sensitivity
        Each unweighted and weighted.
    thresholds_by_domain : dict of str to tuple of Sensitivity
        Thresholds within each domain (table 11 of the paper), if there are at least two.
    subgroups : tuple of SubgroupTable
        One for each attribute of the participants.
    external : tuple of ExternalRow
        For each external score, with raw and adjusted scores, unweighted and weighted.
    planning : PlanningTable
    not_computed : dict of str to str
        Parts that this input cannot give, each with its reason.
    """

    settings: ReportSettings
    seed: int
    coverages: tuple[QuestionCoverage, ...]
    panel: CoveragePanel
    overall: PanelSummary
    domains: tuple[PanelSummary, ...]
    by_group_size: CorrelateTable | None
    rules: tuple[Sensitivity, ...]
    thresholds: tuple[Sensitivity, ...]
    sizes: tuple[Sensitivity, ...]
    thresholds_by_domain: dict[str, tuple[Sensitivity, ...]]
    subgroups: tuple[SubgroupTable, ...]
    external: tuple[ExternalRow, ...]
    planning: PlanningTable
    not_computed: dict[str, str] = field(default_factory=dict)

    @property
    def scores(self) -> OvertonTable:
        """Raw scores over all questions."""
        return self.overall.scores

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it or in `not_computed`."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def overton_report(
    questions: Sequence[QuestionInput],
    *,
    seed: int,
    settings: ReportSettings | None = None,
    external: Mapping[str, Mapping[str, float]] | None = None,
) -> OvertonReport:
    """Everything of OvertonScore from ratings and groups.

    Parameters
    ----------
    questions : sequence of QuestionInput
        In any order.
    seed : int
        Of everything that is drawn, at least 0.
    settings : ReportSettings, optional
    external : mapping of name to (mapping of model to score), optional
        Scores of the same models from elsewhere.

    Returns
    -------
    OvertonReport

    Raises
    ------
    ValueError
        If a question occurs twice or a setting is out of range.
    """
    settings = settings or ReportSettings()
    how: dict[str, Any] = {"rule": settings.rule, "threshold": settings.threshold, "tolerance": settings.tolerance}
    coverages = coverages_of(questions, **how)
    panel = panel_of_coverages(coverages, {question.code: question.domain for question in questions})
    left_out = {coverage.question: coverage.undefined for coverage in coverages if coverage.undefined is not None}
    moments = design_moments(
        questions,
        panel.sources,
        people=(None, *settings.plan_people),
        seed=seed,
        replicates=settings.plan_replicates,
        **how,
    )
    overall, domains = _summaries(panel, seed, settings, left_out)
    return OvertonReport(
        settings=settings,
        seed=seed,
        coverages=coverages,
        panel=panel,
        overall=overall,
        domains=domains,
        by_group_size=by_group_size(coverages),
        rules=rule_sensitivity(
            questions, threshold=settings.threshold, tolerance=settings.tolerance, reference=settings.rule
        ),
        thresholds=_thresholds(questions, settings),
        sizes=size_sensitivity(questions, sizes=settings.minimum_sizes, **how),
        thresholds_by_domain={
            part.domain or "": _thresholds([q for q in questions if q.domain == part.domain], settings)
            for part in domains
        },
        subgroups=subgroup_tables(
            questions,
            seed=seed,
            minimum_people=settings.minimum_people,
            replicates=settings.replicates,
            level=settings.level,
            **how,
        ),
        external=_external(overall, external or {}),
        planning=_planning(panel, moments, settings),
        not_computed={} if domains else {"domains": "the questions are of one domain"},
    )


def report_from_coverages(
    rows: Sequence[CoverageRow],
    *,
    seed: int,
    settings: ReportSettings | None = None,
    external: Mapping[str, Mapping[str, float]] | None = None,
) -> OvertonReport:
    """What can be known from a table of coverages per question and source, as a paper prints it.

    Parameters
    ----------
    rows : sequence of CoverageRow
        In any order.
    seed : int
    settings : ReportSettings, optional
        Rule, threshold and tolerance are those of the table and are only carried along.
    external : mapping of name to (mapping of model to score), optional

    Returns
    -------
    OvertonReport
        What needs ratings is in `not_computed`.

    Raises
    ------
    ValueError
        If a row is out of range or occurs twice.
    """
    settings = settings or ReportSettings()
    panel = panel_of_rows(rows, recover=settings.recover)
    overall, domains = _summaries(panel, seed, settings, {})
    missing = dict.fromkeys(
        ("by_group_size", "rules", "thresholds", "thresholds_by_domain", "sizes", "subgroups"), NEEDS_RATINGS
    )
    return OvertonReport(
        settings=settings,
        seed=seed,
        coverages=(),
        panel=panel,
        overall=overall,
        domains=domains,
        by_group_size=None,
        rules=(),
        thresholds=(),
        sizes=(),
        thresholds_by_domain={},
        subgroups=(),
        external=_external(overall, external or {}),
        planning=_planning(panel, (), settings),
        not_computed=missing | ({} if domains else {"domains": "the questions are of one domain"}),
    )


def _summaries(
    panel: CoveragePanel, seed: int, settings: ReportSettings, left_out: dict[str, str]
) -> tuple[PanelSummary, tuple[PanelSummary, ...]]:
    """Of all questions, and of each domain if there are two or more."""
    options: dict[str, Any] = {
        "seed": seed,
        "replicates": settings.replicates,
        "level": settings.level,
        "method": settings.interval,
        "rule": settings.rule,
        "threshold": settings.threshold,
    }
    overall = summarise(panel, left_out=left_out, **options)
    names = sorted(set(panel.domains))
    if len(names) < 2:
        return overall, ()
    parts = []
    for name in names:
        part = panel.of_domain(name)
        reasons = {question: reason for question, reason in left_out.items() if question in part.questions}
        parts.append(summarise(part, domain=name, left_out=reasons, **options))
    return overall, tuple(parts)


def _thresholds(questions: Sequence[QuestionInput], settings: ReportSettings) -> tuple[Sensitivity, ...]:
    return threshold_sensitivity(
        questions,
        thresholds=settings.thresholds,
        reference=settings.threshold,
        rule=settings.rule,
        tolerance=settings.tolerance,
    )


def _planning(panel: CoveragePanel, moments: Sequence[DesignMoments], settings: ReportSettings) -> PlanningTable:
    return plan_precision(
        panel,
        moments,
        questions=settings.plan_questions,
        people=settings.plan_people,
        level=settings.level,
        interval=settings.interval,
    )


def _external(overall: PanelSummary, external: Mapping[str, Mapping[str, float]]) -> tuple[ExternalRow, ...]:
    """Correlations of every external score with every score of ours."""
    ours = {
        "raw, unweighted": {score.source: score.unweighted.value for score in overall.scores.scores},
        "raw, weighted": {score.source: score.weighted.value for score in overall.scores.scores},
    }
    for table in overall.adjusted:
        ours[f"adjusted ({table.mode}), {table.variant}"] = {score.source: score.adjusted for score in table.scores}
    return tuple(
        external_correlation(scores, external[name], name=name, score=label)
        for name in sorted(external)
        for label, scores in ours.items()
    )
