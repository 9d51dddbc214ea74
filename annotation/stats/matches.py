"""Strict matches: how often the label that counts as one was given, and whether covered items get it more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, Judgements
from annotation.stats.designs import Resampling
from annotation.stats.items import label_values
from annotation.stats.ratersets import RaterSet
from annotation.stats.rates import Difference, Rate, difference_of_rates, wilson
from annotation.stats.scales import BoolArray, FloatArray, IntArray

__all__ = ["METHOD_VERSION", "Direction", "MatchRates", "direction", "match_rates"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class MatchRates:
    """Strict-match rates of one set of raters or one rater.

    Attributes
    ----------
    raters : str
    counts_cannot_judge : bool
        Whether "cannot judge" counts as no match; else it is left out.
    strata : dict of str to Rate
        Per judgement, all items under "".
    difference : Difference or None
        Covered minus uncovered, units resampled within each; None where it is not known what is covered.
    """

    raters: str
    counts_cannot_judge: bool
    strata: dict[str, Rate]
    difference: Difference | None


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """Whether covered items are judged nearer than uncovered ones, on the mean value of labels.

    Attributes
    ----------
    raters : str
    covered, uncovered : float
        Mean over items of the mean value.
    n_covered, n_uncovered : int
        Items with a value.
    difference : float
    low, high : float
        Percentile interval of the bootstrap over units.
    holds : bool or None
        Whether the difference is above 0; None if undefined.
    reason : str or None
    """

    raters: str
    covered: float
    uncovered: float
    n_covered: int
    n_uncovered: int
    difference: float
    low: float
    high: float
    holds: bool | None
    reason: str | None = None


def match_rates(
    judgements: Judgements,
    sets: Sequence[RaterSet],
    resampling: Resampling,
    covered: Mapping[str, bool],
) -> tuple[MatchRates, ...]:
    """Rates of each set and each rater by stratum, with both rules for "cannot judge" where there is any.

    Wilson intervals take judgements as independent; the difference is resampled over units.
    """
    if not judgements.matches:
        return ()
    hit = np.isin(np.asarray(judgements.scale.labels), judgements.matches)
    is_hit = (judgements.code >= 0) & hit[np.maximum(judgements.code, 0)]
    wholes = [(False, judgements.code >= 0)]
    if (judgements.code == CANNOT_JUDGE).any():
        wholes.append((True, (judgements.code >= 0) | (judgements.code == CANNOT_JUDGE)))
    groups = [(each.name, np.isin(judgements.rater, each.raters)) for each in sets if not each.is_pair]
    if judgements.knows_raters and len(judgements.raters) <= _MOST_SINGLE:
        groups += [(rater, judgements.rater == place) for place, rater in enumerate(judgements.raters)]
    return tuple(
        _rates(judgements, name, takes, mask & whole, is_hit, resampling, covered)
        for takes, whole in wholes
        for name, mask in groups
    )


_MOST_SINGLE = 50


def _rates(
    judgements: Judgements,
    name: str,
    takes: bool,
    mask: BoolArray,
    is_hit: BoolArray,
    resampling: Resampling,
    covered: Mapping[str, bool],
) -> MatchRates:
    n_items = len(judgements.items)
    n = np.bincount(judgements.item[mask], minlength=n_items)
    hits = np.bincount(judgements.item[mask & is_hit], minlength=n_items)
    level = resampling.level
    strata = {"": wilson(int(hits.sum()), int(n.sum()), level=level)}
    if resampling.strata is not None:
        for number, stratum in enumerate(resampling.stratum_names):
            inside = resampling.strata == number
            strata[stratum] = wilson(int(hits[inside].sum()), int(n[inside].sum()), level=level)
    difference = None
    if covered:
        sides = covered_masks(judgements, covered)
        parts = [_by_unit(hits, n, side & (n > 0), resampling) for side in sides]
        difference = difference_of_rates(
            (parts[0][0], parts[1][0]),
            (parts[0][1], parts[1][1]),
            replicates=resampling.replicates,
            seed=resampling.seed,
            level=level,
            unit=resampling.unit_name,
        )
    return MatchRates(name, takes, strata, difference)


def covered_masks(judgements: Judgements, covered: Mapping[str, bool]) -> tuple[BoolArray, BoolArray]:
    """Which items are covered, and which are known not to be."""
    known = [covered.get(item) for item in judgements.items]
    return np.array([each is True for each in known]), np.array([each is False for each in known])


def _by_unit(hits: IntArray, n: IntArray, inside: BoolArray, resampling: Resampling) -> tuple[IntArray, IntArray]:
    if resampling.unit is None:
        return hits[inside], n[inside]
    _, unit = np.unique(resampling.unit[inside], return_inverse=True)
    size = int(unit.max(initial=-1)) + 1
    added = (np.bincount(unit, weights=each[inside], minlength=size).astype(np.int64) for each in (hits, n))
    first, second = added
    return first, second


def direction(
    judgements: Judgements, raters: RaterSet, means: FloatArray, resampling: Resampling, covered: Mapping[str, bool]
) -> Direction | None:
    """The direction check of one set of raters, whose mean value of each item is given.

    None where labels have no order or it is not known what is covered.
    """
    if not covered or label_values(judgements) is None:
        return None
    sides = [side & np.isfinite(means) for side in covered_masks(judgements, covered)]
    n = [int(side.sum()) for side in sides]
    nan = float("nan")
    middle = [float(means[side].mean()) if side.any() else nan for side in sides]
    if not all(n):
        return Direction(raters.name, middle[0], middle[1], n[0], n[1], nan, nan, nan, None, "no_items")
    value = middle[0] - middle[1]
    low, high = nan, nan
    if resampling.replicates:
        rng = np.random.default_rng(resampling.seed)
        drawn = [_drawn_means(means, side, resampling, rng) for side in sides]
        apart = drawn[0] - drawn[1]
        if np.isfinite(apart).all():
            low, high = np.quantile(apart, [(1 - resampling.level) / 2, (1 + resampling.level) / 2]).tolist()
    return Direction(raters.name, middle[0], middle[1], n[0], n[1], value, low, high, value > 0)


def _drawn_means(means: FloatArray, side: BoolArray, resampling: Resampling, rng: np.random.Generator) -> FloatArray:
    """Means of replicates in which units are drawn with replacement."""
    units = np.flatnonzero(side) if resampling.unit is None else resampling.unit[side]
    _, unit = np.unique(units, return_inverse=True)
    size = int(unit.max()) + 1
    if size < 2:
        return np.full(resampling.replicates, np.nan)
    total, n = np.bincount(unit, weights=means[side], minlength=size), np.bincount(unit, minlength=size)
    times = rng.multinomial(size, np.full(size, 1 / size), size=resampling.replicates)
    return np.asarray((times @ total) / (times @ n))
