"""Intervals and ranks that carry the uncertainty of the viewpoints: the replicates of all questions together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.panel import VARIANTS, Variant
from clustering.stats.plain import plain
from clustering.stats.ranks import RankRow, rank_rows
from clustering.stats.viewpoints import ViewpointBlock

__all__ = ["METHOD_VERSION", "GroupNumbers", "ViewpointScore", "ViewpointTable", "viewpoint_table"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ViewpointScore:
    """Score of one source over replicates of the people.

    Attributes
    ----------
    source : str
        Or "best across sources".
    variant : {"unweighted", "weighted"}
    value : float
        Mean coverage over questions, of the data as they are.
    mean : float
        Of the replicates.
    bias : float
        Mean minus value: what clustering a resample does to the score.
    standard_error : float
    low, high : float
        Percentile interval.
    centred_low, centred_high : float
        The same with the bias taken out, kept within [0, 1].
    n_replicates : int
        Replicates in which the source has a score.
    undefined : str or None
    interval_undefined : str or None
    """

    source: str
    variant: Variant
    value: float
    mean: float
    bias: float
    standard_error: float
    low: float
    high: float
    centred_low: float
    centred_high: float
    n_replicates: int
    undefined: str | None
    interval_undefined: str | None


@dataclass(frozen=True, slots=True)
class GroupNumbers:
    """How many opinion groups a question has over replicates.

    Attributes
    ----------
    question : str
    value : int
        In the data as they are.
    median : float
        Of the replicates; ``nan`` without any.
    counts : dict of int to int
        Number of replicates by number of groups.
    share_without_coverage : float
        Share of replicates in which no answer has a coverage.
    mean_distinct : float
        Different people in a replicate, on average.
    """

    question: str
    value: int
    median: float
    counts: dict[int, int]
    share_without_coverage: float
    mean_distinct: float


@dataclass(frozen=True, slots=True)
class ViewpointTable:
    """Scores, ranks and numbers of groups over replicates of the people.

    Attributes
    ----------
    scores : tuple of ViewpointScore
        In order of variant and source, the best across sources last of each variant.
    ranks : tuple of RankRow
        Unweighted.
    ranks_weighted : tuple of RankRow
    groups : tuple of GroupNumbers
        In order of question.
    replicates : int
    level : float
    seed : int
    nested : bool
        Whether questions were drawn too.
    duplicates : {"weigh", "copy"}
    rule : {"mean", "majority"}
    threshold : float
    undefined : str or None
    """

    scores: tuple[ViewpointScore, ...]
    ranks: tuple[RankRow, ...]
    ranks_weighted: tuple[RankRow, ...]
    groups: tuple[GroupNumbers, ...]
    replicates: int
    level: float
    seed: int
    nested: bool
    duplicates: str
    rule: str
    threshold: float
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True, eq=False)
class _Stack:
    """All replicates: coverage by replicate, question and source, the best last."""

    questions: tuple[str, ...]
    sources: tuple[str, ...]
    unweighted: FloatArray
    weighted: FloatArray
    n_groups: IntArray
    n_distinct: IntArray


def viewpoint_table(blocks: Sequence[ViewpointBlock], *, nested: bool = False, level: float = 0.95) -> ViewpointTable:
    """Put the blocks of all questions together.

    Parameters
    ----------
    blocks : sequence of ViewpointBlock
        In any order; for each question together the replicates 0 to R, each once.
    nested : bool, default False
        Draw the questions with replacement too, each time with a replicate of its people drawn at random: then
        the intervals take both questions and people as a sample.
    level : float, default 0.95

    Returns
    -------
    ViewpointTable

    Raises
    ------
    ValueError
        If there is no block, replicates are missing or double, settings differ, or the level is out of range.

    Notes
    -----
    A replicate's score is the mean over the questions that have a coverage in it. *Ranks*: see
    :func:`clustering.stats.ranks.rank_rows`; `p_first` is the share of replicates in which a source is first.
    The interval for people alone takes the questions as they are.
    """
    if not blocks or not 0 < level < 1:
        raise ValueError("there is at least one block, and level lies between 0 and 1")
    stack = _stacked(blocks)
    head = blocks[0]
    layers = {"unweighted": stack.unweighted, "weighted": stack.weighted}
    values = {variant: _means(layer[:1])[0] for variant, layer in layers.items()}
    drawn = {variant: layer[1:] for variant, layer in layers.items()}
    if nested:
        picked = _nested_draws(len(stack.questions), len(stack.unweighted) - 1, head.seed)
        drawn = {variant: layer[picked] for variant, layer in drawn.items()}
    means = {variant: _means(layer) for variant, layer in drawn.items()}
    names = (*stack.sources, "best across sources")
    ranks = [
        rank_rows(stack.sources, values[variant][:-1], means[variant][:, :-1], level=level) for variant in VARIANTS
    ]
    return ViewpointTable(
        scores=tuple(
            _score(name, variant, float(values[variant][column]), means[variant][:, column], level)
            for variant in VARIANTS
            for column, name in enumerate(names)
        ),
        ranks=ranks[0],
        ranks_weighted=ranks[1],
        groups=tuple(_group_numbers(stack, index) for index in range(len(stack.questions))),
        replicates=len(stack.unweighted) - 1,
        level=level,
        seed=head.seed,
        nested=nested,
        duplicates=head.duplicates,
        rule=head.rule,
        threshold=head.threshold,
        undefined=None if not np.isnan(values["unweighted"]).all() else "no question has a coverage",
    )


def _stacked(blocks: Sequence[ViewpointBlock]) -> _Stack:
    settings = {(b.seed, b.duplicates, b.rule, b.threshold, b.tolerance) for b in blocks}
    if len(settings) > 1:
        raise ValueError("blocks of different settings cannot be put together")
    questions = tuple(sorted({block.question for block in blocks}))
    sources = tuple(sorted({source for block in blocks for source in block.sources}))
    length = max(block.first + len(block.n_groups) for block in blocks)
    shape = (length, len(questions), len(sources) + 1)
    unweighted, weighted = np.full((2, *shape), np.nan)
    n_groups, n_distinct, seen = np.zeros((3, *shape[:2]), dtype=np.int64)
    for block in blocks:
        rows = np.arange(block.first, block.first + len(block.n_groups))
        at = questions.index(block.question)
        columns = [*(sources.index(source) for source in block.sources), len(sources)]
        unweighted[rows[:, None], at, columns] = np.column_stack([block.unweighted, block.best])
        weighted[rows[:, None], at, columns] = np.column_stack([block.weighted, block.best_weighted])
        n_groups[rows, at], n_distinct[rows, at] = block.n_groups, block.n_distinct
        seen[rows, at] += 1
    if (seen != 1).any():
        raise ValueError("every question needs the same replicates from 0 on, each once")
    return _Stack(questions, sources, unweighted, weighted, n_groups, n_distinct)


def _nested_draws(n_questions: int, replicates: int, seed: int) -> tuple[IntArray, IntArray]:
    """For every replicate and place: the replicate of the people, and the question; both arrays of one shape."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    shape = (replicates, n_questions)
    return rng.integers(0, max(replicates, 1), size=shape), rng.integers(0, n_questions, size=shape)


def _means(layer: FloatArray) -> FloatArray:
    """Mean over questions with a coverage, shape (n_replicates, n_columns)."""
    n = (~np.isnan(layer)).sum(axis=1)
    means: FloatArray = np.full(n.shape, np.nan)
    np.divide(np.nansum(layer, axis=1), n, out=means, where=n > 0)
    return means


def _score(source: str, variant: Variant, value: float, drawn: FloatArray, level: float) -> ViewpointScore:
    used = drawn[~np.isnan(drawn)]
    nan = math.nan
    if math.isnan(value) or len(used) < 2:
        none = "no question has a coverage" if math.isnan(value) else None
        reason = none or "fewer than two replicates have a coverage"
        return ViewpointScore(source, variant, value, nan, nan, nan, nan, nan, nan, nan, len(used), none, reason)
    low, high = (float(end) for end in np.quantile(used, [(1 - level) / 2, (1 + level) / 2]))
    mean = float(used.mean())
    bias = mean - value
    return ViewpointScore(
        source=source,
        variant=variant,
        value=value,
        mean=mean,
        bias=bias,
        standard_error=float(used.std(ddof=1)),
        low=low,
        high=high,
        centred_low=max(0.0, low - bias),
        centred_high=min(1.0, high - bias),
        n_replicates=len(used),
        undefined=None,
        interval_undefined=None,
    )


def _group_numbers(stack: _Stack, at: int) -> GroupNumbers:
    drawn = stack.n_groups[1:, at]
    counts = Counter(int(number) for number in drawn)
    without = np.isnan(stack.unweighted[1:, at, :]).all(axis=1)
    has = len(drawn) > 0
    return GroupNumbers(
        question=stack.questions[at],
        value=int(stack.n_groups[0, at]),
        median=float(np.median(drawn)) if has else math.nan,
        counts=dict(sorted(counts.items())),
        share_without_coverage=float(without.mean()) if has else math.nan,
        mean_distinct=float(stack.n_distinct[1:, at].mean()) if has else math.nan,
    )
