"""Leave one model out: how scores fare when one model's ratings are predicted instead of given by people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clustering.stats.adjusted import AdjustedTable, Distribution, Mode, adjusted_scores
from clustering.stats.association import TIED, Correlation, pearson, spearman
from clustering.stats.matrix import FloatArray
from clustering.stats.panel import CoveragePanel, Variant
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "Agreement",
    "LomoResult",
    "LomoRun",
    "leave_one_out",
    "leave_one_out_scores",
    "precision_at",
    "replaced_panel",
]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two readings agree.

    Attributes
    ----------
    n_agree, n : int
    share : float
        ``nan`` if `n` is 0.
    undefined : str or None
    """

    n_agree: int
    n: int
    share: float
    undefined: str | None


@dataclass(frozen=True, slots=True, eq=False)
class LomoRun:
    """Scores with one model's values replaced by the prediction.

    Attributes
    ----------
    target : str
        The model that was replaced.
    scores : ndarray of float, shape (n_sources,)
        Of all models in this run.
    deviations : ndarray of float, shape (n_sources,)
        From the mean of this run.
    spearman : Correlation
        With the scores from people alone; ties have mid-ranks.
    verdicts : tuple of str, length n_sources
        "above", "below" or "neither": whether a deviation is significant; empty if there is no test.
    """

    target: str
    scores: FloatArray
    deviations: FloatArray
    spearman: Correlation
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LomoResult:
    """All runs, and what they say together.

    Attributes
    ----------
    sources : tuple of str
    human : ndarray of float, shape (n_sources,)
        Scores from people alone.
    human_verdicts : tuple of str
        Empty if there is no test.
    runs : tuple of LomoRun
        One for each model that has a prediction.
    mean_spearman : float
        Over the runs in which it is defined.
    pooled_pearson : Correlation
        Of the deviations of all runs and models with those from people.
    mean_absolute_difference : float
        Of the same pairs.
    direction : Agreement
        Same side of the mean, over the same pairs.
    direction_of_targets : Agreement
        The same for the replaced model of each run alone.
    significance : Agreement
        Same verdict, over the same pairs.
    significance_of_targets : Agreement
    undefined : str or None
    """

    sources: tuple[str, ...]
    human: FloatArray
    human_verdicts: tuple[str, ...]
    runs: tuple[LomoRun, ...]
    mean_spearman: float
    pooled_pearson: Correlation
    mean_absolute_difference: float
    direction: Agreement
    direction_of_targets: Agreement
    significance: Agreement
    significance_of_targets: Agreement
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def leave_one_out_scores(human: Mapping[str, float], predicted: Mapping[str, float]) -> LomoResult:
    """Leave one model out on finished scores: each run replaces one score by its prediction.

    Parameters
    ----------
    human : mapping of model to score
    predicted : mapping of model to score
        Of some or all of the same models.

    Returns
    -------
    LomoResult
        Without verdicts: scores alone carry no test.

    Raises
    ------
    ValueError
        If a prediction is of a model that people did not rate, or a score is not finite.

    Notes
    -----
    Source: section 6.1 and table 1 of the Overton paper, whose figures this reproduces. In mode *ordinary* with
    balanced cells it is what refitting the regression gives; in mode *paper* nearly so, since the shift
    between raw and pooled means differs a little between people and prediction (:func:`leave_one_out` refits).
    """
    sources = tuple(sorted(human))
    if not set(predicted) <= set(sources):
        raise ValueError("a prediction is of a model that people did not rate")
    base = np.array([human[source] for source in sources], dtype=np.float64)
    targets = [source for source in sources if source in predicted]
    rows = [np.where([source == target for source in sources], predicted[target], base) for target in targets]
    if not all(np.isfinite(row).all() for row in (base, *rows)):
        raise ValueError("a score is not a finite number")
    return _compared(sources, base, (), targets, rows, [()] * len(targets))


def leave_one_out(
    human: CoveragePanel,
    predicted: CoveragePanel,
    *,
    variant: Variant,
    mode: Mode = "ordinary",
    distribution: Distribution = "normal",
    level: float = 0.95,
) -> LomoResult:
    """Leave one model out on coverages: each run replaces one model's column and fits the regression anew.

    Parameters
    ----------
    human, predicted : CoveragePanel
        Over the same questions; `predicted` has some or all of the models of `human`.
    variant, mode, distribution
        As in :func:`clustering.stats.adjusted.adjusted_scores`.
    level : float, default 0.95
        A deviation is significant if its p value is below 1 - level.

    Returns
    -------
    LomoResult

    Raises
    ------
    ValueError
        If the questions differ or a prediction is of a model that people did not rate.
    """
    if human.questions != predicted.questions or not set(predicted.sources) <= set(human.sources):
        raise ValueError("predictions are over the same questions, of models that people rated")

    def fit(panel: CoveragePanel) -> AdjustedTable:
        return adjusted_scores(panel, variant=variant, mode=mode, distribution=distribution, level=level)

    base = fit(human)
    tables = [fit(replaced_panel(human, predicted, target)) for target in predicted.sources]
    return _compared(
        human.sources,
        _adjusted(base),
        _verdicts(base),
        predicted.sources,
        [_adjusted(table) for table in tables],
        [_verdicts(table) for table in tables],
    )


def replaced_panel(human: CoveragePanel, predicted: CoveragePanel, target: str) -> CoveragePanel:
    """The panel with one model's column taken from the prediction.

    Parameters
    ----------
    human, predicted : CoveragePanel
    target : str

    Returns
    -------
    CoveragePanel
        Without a best across sources.
    """
    into, out = human.sources.index(target), predicted.sources.index(target)
    columns = {}
    for name in ("coverage", "coverage_weighted", "n_groups", "n_people"):
        column = getattr(human, name).copy()
        column[:, into] = getattr(predicted, name)[:, out]
        columns[name] = column
    unknown = np.full(len(human.questions), np.nan)
    reasons = human.reasons | {"best": "one column is predicted"}
    return replace(human, **columns, best=unknown, best_weighted=unknown, reasons=reasons)


def precision_at(human: Sequence[float] | FloatArray, predicted: Sequence[float] | FloatArray, k: int) -> float:
    """Share of the k best by prediction that are among the k best by people.

    Parameters
    ----------
    human, predicted : sequence of float, length n
        Scores of the same models, higher is better.
    k : int
        From 1 to n.

    Returns
    -------
    float
        In [0, 1]. Models tied (within 1e-9) for the last places share them: the expected share if ties were
        broken at random, on each side for itself.

    Raises
    ------
    ValueError
        If lengths differ, k is out of range or a score is not finite.
    """
    left, right = np.asarray(human, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if left.shape != right.shape or not 1 <= k <= len(left) or not np.isfinite([left, right]).all():
        raise ValueError("finite scores of the same models, and k from 1 to their number")
    return float(_chance_of_top(left, k) @ _chance_of_top(right, k)) / k


def _chance_of_top(scores: FloatArray, k: int) -> FloatArray:
    last = np.sort(scores)[-k]
    above, tied = scores > last + TIED, np.abs(scores - last) <= TIED
    return np.asarray(above + tied * (k - above.sum()) / tied.sum(), dtype=np.float64)


def _adjusted(table: AdjustedTable) -> FloatArray:
    return np.array([score.adjusted for score in table.scores], dtype=np.float64)


def _verdicts(table: AdjustedTable) -> tuple[str, ...]:
    """Verdict on each source; empty if one has no p value."""
    if any(math.isnan(score.p_value) for score in table.scores):
        return ()
    return tuple(
        ("above" if score.deviation > 0 else "below") if score.p_value < 1 - table.level else "neither"
        for score in table.scores
    )


def _compared(
    sources: tuple[str, ...],
    human: FloatArray,
    human_verdicts: tuple[str, ...],
    targets: Sequence[str],
    rows: Sequence[FloatArray],
    verdicts: Sequence[tuple[str, ...]],
) -> LomoResult:
    runs = tuple(
        LomoRun(target, row, row - row.mean(), spearman(human, row), verdict)
        for target, row, verdict in zip(targets, rows, verdicts, strict=True)
    )
    base = np.tile(human - human.mean(), (len(runs), 1))
    found = np.array([run.deviations for run in runs]).reshape(base.shape)
    own = np.array([[source == run.target for source in sources] for run in runs], dtype=bool).reshape(base.shape)
    same_side = np.sign(np.where(np.abs(base) <= TIED, 0, base)) == np.sign(np.where(np.abs(found) <= TIED, 0, found))
    same_verdict = np.array(
        [[one == other for one, other in zip(human_verdicts, run.verdicts, strict=True)] for run in runs]
        if human_verdicts and all(run.verdicts for run in runs)
        else np.zeros((0, len(sources))),
        dtype=bool,
    ).reshape(-1, len(sources))
    correlations = [run.spearman.value for run in runs if run.spearman.undefined is None]
    tested = len(same_verdict) > 0
    return LomoResult(
        sources=sources,
        human=human,
        human_verdicts=human_verdicts,
        runs=runs,
        mean_spearman=float(np.mean(correlations)) if correlations else math.nan,
        pooled_pearson=pearson(base.ravel(), found.ravel()),
        mean_absolute_difference=float(np.abs(base - found).mean()) if runs else math.nan,
        direction=_agreement(same_side.ravel(), "no model has a prediction"),
        direction_of_targets=_agreement(same_side[own], "no model has a prediction"),
        significance=_agreement(same_verdict.ravel(), "scores without a test"),
        significance_of_targets=_agreement(
            same_verdict[own] if tested else same_verdict.ravel(), "scores without a test"
        ),
        undefined=None if runs else "no model has a prediction",
    )


def _agreement(same: np.ndarray, reason: str) -> Agreement:
    n = len(same)
    return Agreement(int(same.sum()), n, float(same.mean()) if n else math.nan, None if n else reason)
