"""How much scores and ranks hang on a choice: rule, threshold, singletons, smallest group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.association import TIED, Correlation, kendall
from clustering.stats.coverage import TOLERANCE, Rule
from clustering.stats.inputs import QuestionInput, panel_of_inputs, with_groups_from
from clustering.stats.matrix import FloatArray
from clustering.stats.panel import VARIANTS, CoveragePanel, Variant
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "SIZES",
    "THRESHOLDS",
    "Sensitivity",
    "SensitivityRow",
    "TopStability",
    "compare_panels",
    "rule_sensitivity",
    "size_sensitivity",
    "threshold_sensitivity",
]

METHOD_VERSION = "1"

# Appendix A.6 of the paper.
THRESHOLDS = (3.6, 3.7, 3.8, 3.9, 4.0)
SIZES = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityRow:
    """Scores at one setting of the choice.

    Attributes
    ----------
    setting : str
    scores : ndarray of float, shape (n_sources,)
        Mean coverage over questions; ``nan`` for a source without any.
    kendall : Correlation
        Of the scores with those at the reference.
    n_questions : int
        Questions with a coverage.
    n_groups : int
        Groups of those questions, over all.
    """

    setting: str
    scores: FloatArray
    kendall: Correlation
    n_questions: int
    n_groups: int


@dataclass(frozen=True, slots=True)
class TopStability:
    """Whether the k best stay the k best.

    Attributes
    ----------
    k : int
    sources : tuple of str
        The k best at the reference; more if some are tied for the last place.
    share : float
        Share of the settings (reference included) at which the k best are the same.
    """

    k: int
    sources: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """One choice, all its settings, one variant of the score.

    Attributes
    ----------
    choice : str
        What is varied.
    variant : {"unweighted", "weighted"}
    reference : str
        Setting the others are compared with.
    sources : tuple of str
    rows : tuple of SensitivityRow
        In the order of the settings.
    median_kendall : float
        Over the other settings; ``nan`` if none is defined.
    top : tuple of TopStability
    win_rate : ndarray of float, shape (n_sources, n_sources)
        Share of the settings at which the row's score is above the column's by more than 1e-9; ties count for
        neither. ``nan`` on the diagonal and where a source has no score.
    undefined : str or None
        Why nothing can be compared.
    """

    choice: str
    variant: Variant
    reference: str
    sources: tuple[str, ...]
    rows: tuple[SensitivityRow, ...]
    median_kendall: float
    top: tuple[TopStability, ...]
    win_rate: FloatArray
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def rule_sensitivity(
    questions: Sequence[QuestionInput],
    *,
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
    reference: Rule = "mean",
) -> tuple[Sensitivity, ...]:
    """Scores by *mean rating reaches the threshold* and by *more than half of the members rate that high*.

    Parameters
    ----------
    questions : sequence of QuestionInput
    threshold, tolerance : float
    reference : {"mean", "majority"}, default "mean"

    Returns
    -------
    tuple of Sensitivity, length 2
        Unweighted and weighted.

    Notes
    -----
    Sections 4 and 2 of the Overton paper, which words the rule in these two ways.
    """
    rules: tuple[Rule, ...] = ("mean", "majority")
    panels = {rule: panel_of_inputs(questions, rule=rule, threshold=threshold, tolerance=tolerance) for rule in rules}
    return compare_panels("rule", {str(rule): panel for rule, panel in panels.items()}, reference)


def threshold_sensitivity(
    questions: Sequence[QuestionInput],
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    reference: float = 4.0,
    rule: Rule = "mean",
    tolerance: float = TOLERANCE,
) -> tuple[Sensitivity, ...]:
    """Scores at several thresholds (appendix A.6 of the Overton paper).

    Parameters
    ----------
    questions : sequence of QuestionInput
    thresholds : sequence of float, default 3.6 to 4.0 by 0.1
    reference : float, default 4.0
        Added to the thresholds if it is not among them.
    rule, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    tuple of Sensitivity, length 2
        Unweighted and weighted.
    """
    tried = sorted({float(threshold) for threshold in thresholds} | {float(reference)})
    panels = {
        f"{threshold:g}": panel_of_inputs(questions, rule=rule, threshold=threshold, tolerance=tolerance)
        for threshold in tried
    }
    return compare_panels("threshold", panels, f"{float(reference):g}")


def size_sensitivity(
    questions: Sequence[QuestionInput],
    *,
    sizes: Sequence[int] = SIZES,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> tuple[Sensitivity, ...]:
    """Scores without the groups below a size; at 2, without singletons.

    Parameters
    ----------
    questions : sequence of QuestionInput
    sizes : sequence of int, default 1, 2, 3, 5, 10
        The smallest is the reference.
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    tuple of Sensitivity, length 2
        Unweighted and weighted. A question that has no group left has no coverage; `n_questions` says so.

    Notes
    -----
    Members of a group left out are left out too; they are not moved to another group, which clustering anew
    with a larger minimum size would do.
    """
    panels = {
        str(size): panel_of_inputs(
            [with_groups_from(question, size) for question in questions],
            rule=rule,
            threshold=threshold,
            tolerance=tolerance,
        )
        for size in sorted(set(sizes))
    }
    return compare_panels("minimum_size", panels, str(min(sizes)))


def compare_panels(choice: str, panels: Mapping[str, CoveragePanel], reference: str) -> tuple[Sensitivity, ...]:
    """Compare the scores of panels of the same sources with those of one of them.

    Parameters
    ----------
    choice : str
    panels : mapping of setting to CoveragePanel
    reference : str
        One of the settings.

    Returns
    -------
    tuple of Sensitivity, length 2
        Unweighted and weighted.

    Raises
    ------
    ValueError
        If the reference is not among the settings or the sources differ.
    """
    if reference not in panels or len({panel.sources for panel in panels.values()}) > 1:
        raise ValueError("the reference is one of the settings, and all have the same sources")
    return tuple(_compared(choice, panels, reference, variant) for variant in VARIANTS)


def _compared(choice: str, panels: Mapping[str, CoveragePanel], reference: str, variant: Variant) -> Sensitivity:
    sources = panels[reference].sources
    scores = {setting: _means(panel.values(variant)) for setting, panel in panels.items()}
    rows = tuple(
        SensitivityRow(
            setting=setting,
            scores=scores[setting],
            kendall=kendall(scores[setting], scores[reference]),
            n_questions=int((~np.isnan(panel.values(variant))).any(axis=1).sum()),
            n_groups=int(panel.question_groups[(~np.isnan(panel.values(variant))).any(axis=1)].sum()),
        )
        for setting, panel in panels.items()
    )
    others = [row.kendall.value for row in rows if row.setting != reference and row.kendall.undefined is None]
    stacked = np.array([row.scores for row in rows]).reshape(len(rows), len(sources))
    has = bool((~np.isnan(scores[reference])).any())
    return Sensitivity(
        choice=choice,
        variant=variant,
        reference=reference,
        sources=sources,
        rows=rows,
        median_kendall=float(np.median(others)) if others else math.nan,
        top=_top(sources, stacked, scores[reference]) if has else (),
        win_rate=_win_rate(stacked),
        undefined=None if has else panels[reference].reasons.get(variant, "no question has a coverage"),
    )


def _means(values: FloatArray) -> FloatArray:
    n = (~np.isnan(values)).sum(axis=0)
    means: FloatArray = np.full(values.shape[1], np.nan)
    np.divide(np.nansum(values, axis=0), n, out=means, where=n > 0)
    return means


def _top(sources: tuple[str, ...], stacked: FloatArray, reference: FloatArray) -> tuple[TopStability, ...]:
    def best(scores: FloatArray, k: int) -> frozenset[str]:
        known = np.sort(scores[~np.isnan(scores)])[::-1]
        if len(known) < k:
            return frozenset()
        return frozenset(source for source, score in zip(sources, scores, strict=True) if score >= known[k - 1] - TIED)

    ks = range(1, min(5, int((~np.isnan(reference)).sum()) - 1) + 1)
    return tuple(
        TopStability(
            k,
            tuple(sorted(best(reference, k))),
            float(np.mean([best(scores, k) == best(reference, k) for scores in stacked])),
        )
        for k in ks
    )


def _win_rate(stacked: FloatArray) -> FloatArray:
    gap = stacked[:, :, None] - stacked[:, None, :]
    rate = np.asarray((gap > TIED).mean(axis=0), dtype=np.float64)
    rate[np.isnan(gap).any(axis=0)] = np.nan
    np.fill_diagonal(rate, np.nan)
    return rate
