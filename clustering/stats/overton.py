"""OvertonScore: mean coverage over questions, with a bootstrap interval over questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clustering.stats.coverage import QuestionCoverage
from clustering.stats.intervals import Estimate, Method, Repeats, mean_over_questions
from clustering.stats.panel import CoveragePanel, panel_of_coverages
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "Estimate",
    "OvertonScore",
    "OvertonTable",
    "mean_over_questions",
    "overton_scores",
    "scores_of_panel",
]

METHOD_VERSION = "1"


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
    panel = panel_of_coverages(coverages)
    first = coverages[0] if coverages else None
    left_out = {coverage.question: coverage.undefined for coverage in coverages if coverage.undefined is not None}
    return scores_of_panel(
        panel,
        seed=seed,
        replicates=replicates,
        level=level,
        left_out=left_out,
        rule=first.rule if first else None,
        threshold=first.threshold if first else float("nan"),
    )


def scores_of_panel(
    panel: CoveragePanel,
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
    repeats: Repeats = "counted",
    method: Method = "percentile",
    left_out: Mapping[str, str] | None = None,
    rule: str | None = None,
    threshold: float = float("nan"),
) -> OvertonTable:
    """OvertonScores of all sources of a panel, which may come from a printed table.

    Parameters
    ----------
    panel : CoveragePanel
    seed, replicates, level, repeats, method
        As in :func:`clustering.stats.intervals.mean_over_questions`.
    left_out : mapping of question to reason, optional
        Questions known to have no coverage.
    rule : str or None
    threshold : float
        How coverage came about, carried along.

    Returns
    -------
    OvertonTable

    Raises
    ------
    ValueError
        If an option is out of range.
    """
    reasons = dict(left_out or {})
    for question, row in zip(panel.questions, panel.coverage, strict=True):
        if np.isnan(row).all():
            reasons.setdefault(question, "no answer has a coverage")
    used = panel.subset(np.array([question not in reasons for question in panel.questions], dtype=bool))
    unweighted, weighted = (
        mean_over_questions(
            np.column_stack([values, best]),
            seed=seed,
            replicates=replicates,
            level=level,
            repeats=repeats,
            method=method,
        )
        for values, best in ((used.coverage, used.best), (used.coverage_weighted, used.best_weighted))
    )
    if used.questions:
        best, sizes = panel.reasons.get("best"), panel.reasons.get("weighted")
        unweighted = (*unweighted[:-1], _explained(unweighted[-1], best))
        weighted = (*(_explained(estimate, sizes) for estimate in weighted[:-1]), _explained(weighted[-1], best))
    scores = tuple(map(OvertonScore, (*panel.sources, "best across sources"), unweighted, weighted))
    return OvertonTable(
        scores=scores[:-1],
        best=scores[-1],
        questions=used.questions,
        left_out=tuple(sorted(reasons.items())),
        rule=rule,
        threshold=threshold,
        replicates=replicates,
        level=level,
        seed=seed,
        undefined=None if used.questions else "no question has a coverage",
    )


def _explained(estimate: Estimate, reason: str | None) -> Estimate:
    """The estimate with a reason of the whole table in place of the general one."""
    if estimate.undefined is None or reason is None:
        return estimate
    return replace(estimate, undefined=reason, interval_undefined=reason)
