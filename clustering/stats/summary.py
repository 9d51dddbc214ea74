"""What is said of any set of questions: of all, and of each domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.adjusted import AdjustedTable, Mode, adjusted_bootstrap, adjusted_scores
from clustering.stats.correlates import CorrelateTable, by_number_of_groups
from clustering.stats.differences import DifferenceTable, paired_differences
from clustering.stats.intervals import Estimate, Method, Repeats, question_times, replicate_means
from clustering.stats.overton import OvertonTable, scores_of_panel
from clustering.stats.panel import VARIANTS, CoveragePanel, Variant
from clustering.stats.plain import plain
from clustering.stats.ranks import RankRow, rank_rows

__all__ = ["METHOD_VERSION", "AdjustedIntervals", "PanelSummary", "RankTable", "summarise"]

METHOD_VERSION = "1"

MODES: tuple[Mode, ...] = ("paper", "ordinary")
REPEATS: tuple[Repeats, ...] = ("counted", "collapsed")


@dataclass(frozen=True, slots=True)
class RankTable:
    """Ranks of the sources in one variant, with intervals over questions.

    Attributes
    ----------
    variant : {"unweighted", "weighted"}
    rows : tuple of RankRow
    """

    variant: Variant
    rows: tuple[RankRow, ...]


@dataclass(frozen=True, slots=True)
class AdjustedIntervals:
    """Adjusted scores with bootstrap intervals of the scores themselves (figure 2 of the paper).

    Attributes
    ----------
    variant : {"unweighted", "weighted"}
    mode : {"paper", "ordinary"}
    repeats : {"counted", "collapsed"}
        *counted* is the bootstrap; *collapsed* is what the paper's site shows, about a fifth too narrow.
    sources : tuple of str
    estimates : tuple of Estimate
    """

    variant: Variant
    mode: Mode
    repeats: Repeats
    sources: tuple[str, ...]
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class PanelSummary:
    """Scores, ranks, adjusted scores and differences over the same questions.

    Attributes
    ----------
    domain : str or None
        None for all questions.
    scores : OvertonTable
    ranks : tuple of RankTable
        Unweighted and weighted.
    adjusted : tuple of AdjustedTable
        Modes *paper* and *ordinary*, each unweighted and weighted, as statsmodels gives them: normal quantiles,
        question effects counted in the small-sample factor.
    adjusted_t : tuple of AdjustedTable
        Mode *ordinary*, t quantiles, question effects not counted: exact with balanced cells.
    adjusted_intervals : tuple of AdjustedIntervals
        The same modes and variants, repeated draws counted and collapsed.
    differences : tuple of DifferenceTable
        Unweighted and weighted.
    by_number_of_groups : CorrelateTable
        Of unweighted coverage, as in the paper.
    by_number_of_groups_weighted : CorrelateTable
    """

    domain: str | None
    scores: OvertonTable
    ranks: tuple[RankTable, ...]
    adjusted: tuple[AdjustedTable, ...]
    adjusted_t: tuple[AdjustedTable, ...]
    adjusted_intervals: tuple[AdjustedIntervals, ...]
    differences: tuple[DifferenceTable, ...]
    by_number_of_groups: CorrelateTable
    by_number_of_groups_weighted: CorrelateTable

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def summarise(
    panel: CoveragePanel,
    *,
    seed: int,
    domain: str | None = None,
    replicates: int = 2000,
    level: float = 0.95,
    method: Method = "percentile",
    left_out: dict[str, str] | None = None,
    rule: str | None = None,
    threshold: float = float("nan"),
) -> PanelSummary:
    """All that a panel of coverages tells.

    Parameters
    ----------
    panel : CoveragePanel
    seed, replicates, level, method
        Of the bootstrap over questions.
    domain : str, optional
        Name of the domain, carried along.
    left_out : dict of question to reason, optional
    rule : str, optional
    threshold : float
        How coverage came about, carried along.

    Returns
    -------
    PanelSummary

    Raises
    ------
    ValueError
        If an option is out of range.
    """
    bootstrap: dict[str, Any] = {"seed": seed, "replicates": replicates, "level": level}
    scores = scores_of_panel(panel, **bootstrap, method=method, left_out=left_out, rule=rule, threshold=threshold)
    # Sources and variants share the draws, so ranks are those of scores drawn together.
    used = panel.subset(np.isin(panel.questions, scores.questions))
    return PanelSummary(
        domain=domain,
        scores=scores,
        ranks=tuple(RankTable(variant, _ranks(used, variant, **bootstrap)) for variant in VARIANTS),
        adjusted=tuple(
            adjusted_scores(used, variant=variant, mode=mode, level=level) for mode in MODES for variant in VARIANTS
        ),
        adjusted_t=tuple(
            adjusted_scores(used, variant=variant, distribution="t", factor="questions", level=level)
            for variant in VARIANTS
        ),
        adjusted_intervals=tuple(
            AdjustedIntervals(
                variant,
                mode,
                repeats,
                used.sources,
                adjusted_bootstrap(used, variant=variant, mode=mode, **bootstrap, repeats=repeats, method=method),
            )
            for mode in MODES
            for variant in VARIANTS
            for repeats in REPEATS
        ),
        differences=tuple(paired_differences(used, variant=variant, **bootstrap) for variant in VARIANTS),
        by_number_of_groups=by_number_of_groups(used),
        by_number_of_groups_weighted=by_number_of_groups(used, "weighted"),
    )


def _ranks(panel: CoveragePanel, variant: Variant, *, seed: int, replicates: int, level: float) -> tuple[RankRow, ...]:
    values = panel.values(variant)
    times = question_times(len(values), seed=seed, replicates=replicates)
    if len(values) < 2:
        # One question: nothing to resample.
        times = times[:0]
    own = replicate_means(values, np.ones((1, len(values))))[0]
    return rank_rows(panel.sources, own, replicate_means(values, times), level=level, reason=panel.reasons.get(variant))
