"""Everything of OvertonScore in one result: what a study, a command and a page show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clustering.stats.coverage import TOLERANCE, QuestionCoverage, Rule, question_coverage
from clustering.stats.intervals import Method
from clustering.stats.overton import OvertonTable, scores_of_panel
from clustering.stats.panel import CoveragePanel, CoverageRow, panel_of_coverages, panel_of_rows
from clustering.stats.plain import plain
from clustering.stats.ratings import RatingMatrix

__all__ = [
    "METHOD_VERSION",
    "OvertonReport",
    "QuestionInput",
    "ReportSettings",
    "overton_report",
    "report_from_coverages",
]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class QuestionInput:
    """What the report needs of one question.

    Attributes
    ----------
    code : str
        Key of the question.
    domain : str
        Set of questions it belongs to; empty for none.
    ratings : RatingMatrix
        Ratings of the answers.
    members : mapping of participant key to group
        People in a group only (see :meth:`OpinionGroups.members`).
    attributes : mapping of attribute name to mapping of participant key to value
        For subgroup tables; a participant without a value is left out of that attribute's table.
    """

    code: str
    domain: str
    ratings: RatingMatrix
    members: Mapping[str, int]
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


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
    """

    rule: Rule = "mean"
    threshold: float = 4.0
    tolerance: float = TOLERANCE
    replicates: int = 2000
    level: float = 0.95
    interval: Method = "percentile"


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
    scores : OvertonTable
        Raw scores with bootstrap intervals over questions, and the best across sources.
    not_computed : dict of str to str
        Parts that this input cannot give, each with its reason.
    """

    settings: ReportSettings
    seed: int
    coverages: tuple[QuestionCoverage, ...]
    panel: CoveragePanel
    scores: OvertonTable
    not_computed: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it or in `not_computed`."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def overton_report(
    questions: Sequence[QuestionInput], *, seed: int, settings: ReportSettings | None = None
) -> OvertonReport:
    """Everything of OvertonScore from ratings and groups.

    Parameters
    ----------
    questions : sequence of QuestionInput
        In any order.
    seed : int
        Of everything that is drawn, at least 0.
    settings : ReportSettings, optional

    Returns
    -------
    OvertonReport

    Raises
    ------
    ValueError
        If a question occurs twice or a setting is out of range.
    """
    settings = settings or ReportSettings()
    ordered = sorted(questions, key=lambda question: question.code)
    coverages = tuple(
        question_coverage(
            question.ratings,
            question.members,
            question=question.code,
            threshold=settings.threshold,
            rule=settings.rule,
            tolerance=settings.tolerance,
        )
        for question in ordered
    )
    panel = panel_of_coverages(coverages, {question.code: question.domain for question in ordered})
    return _report(panel, coverages, seed=seed, settings=settings, not_computed={})


def report_from_coverages(
    rows: Sequence[CoverageRow], *, seed: int, settings: ReportSettings | None = None
) -> OvertonReport:
    """What can be known from a table of coverages per question and source, as a paper prints it.

    Parameters
    ----------
    rows : sequence of CoverageRow
        In any order.
    seed : int
    settings : ReportSettings, optional
        Rule, threshold and tolerance are those of the table and are only carried along.

    Returns
    -------
    OvertonReport
        What needs ratings or group by group coverage is in `not_computed`.

    Raises
    ------
    ValueError
        If a row is out of range or occurs twice.
    """
    return _report(panel_of_rows(rows), (), seed=seed, settings=settings or ReportSettings(), not_computed={})


def _report(
    panel: CoveragePanel,
    coverages: tuple[QuestionCoverage, ...],
    *,
    seed: int,
    settings: ReportSettings,
    not_computed: dict[str, str],
) -> OvertonReport:
    scores = scores_of_panel(
        panel,
        seed=seed,
        replicates=settings.replicates,
        level=settings.level,
        method=settings.interval,
        left_out={coverage.question: coverage.undefined for coverage in coverages if coverage.undefined is not None},
        rule=settings.rule,
        threshold=settings.threshold,
    )
    return OvertonReport(
        settings=settings, seed=seed, coverages=coverages, panel=panel, scores=scores, not_computed=not_computed
    )
