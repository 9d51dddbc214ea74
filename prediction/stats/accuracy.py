"""How near predictions come to measured ratings, and which method comes nearer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.matrix import BoolArray, FloatArray, IntArray
from clustering.stats.plain import plain
from prediction.stats.table import N_POINTS_OF_SCALE, PredictionTable, Unit

__all__ = ["METHOD_VERSION", "METRICS", "AccuracyReport", "Duel", "Estimate", "MethodAccuracy", "accuracy_report"]

METHOD_VERSION = "1"

METRICS = ("mae", "mse", "spearman", "accuracy")
N_CELLS = N_POINTS_OF_SCALE**2
# Replicates drawn at once: some 10 MB of draws for the 7,200 ratings of the paper.
DRAWN_AT_ONCE = 100

_DIFFERENCE = np.subtract.outer(np.arange(N_POINTS_OF_SCALE), np.arange(N_POINTS_OF_SCALE)).ravel().astype(np.float64)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its percentile bootstrap interval.

    Attributes
    ----------
    value, low, high : float
        ``nan`` if undefined.
    n : int
        Points it rests on.
    n_replicates : int
        Replicates in which it was defined.
    undefined : str or None
        Why there is no value.
    interval_undefined : str or None
        Why there is no interval.
    """

    value: float
    low: float
    high: float
    n: int
    n_replicates: int
    undefined: str | None
    interval_undefined: str | None


@dataclass(frozen=True, slots=True)
class MethodAccuracy:
    """The figures of one method over one set of points.

    Attributes
    ----------
    method : str
    n_points : int
        Measured ratings in the set.
    n_predicted : int
        Those that the method predicted: the figures rest on them.
    mae : Estimate
        Mean absolute error in points of the scale, 0 to 4.
    mse : Estimate
        Mean squared error, 0 to 16.
    spearman : Estimate
        Rank correlation with mid-ranks, -1 to 1.
    accuracy : Estimate
        Share of exact matches, 0 to 1.
    """

    method: str
    n_points: int
    n_predicted: int
    mae: Estimate
    mse: Estimate
    spearman: Estimate
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class Duel:
    """One method against another over the points that both predicted.

    Attributes
    ----------
    method, other : str
    n : int
        Points that both predicted.
    n_wins, n_ties, n_losses : int
        Points on which the error of `method` is smaller, equal, larger.
    win_rate : Estimate
        Wins among the points that are no ties, 0 to 1.
    tie_rate : Estimate
        Ties among all, 0 to 1.
    """

    method: str
    other: str
    n: int
    n_wins: int
    n_ties: int
    n_losses: int
    win_rate: Estimate
    tie_rate: Estimate


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """Every method alone and against every other.

    Attributes
    ----------
    own : tuple of MethodAccuracy
        Each over the points it predicted.
    common : tuple of MethodAccuracy
        Each over the points that all methods predicted: these can be compared.
    duels : tuple of Duel
        Every ordered pair.
    average_win_rates : tuple of (str, float)
        Mean of a method's win rates against the others; ``nan`` if it has none.
    n_points, n_common : int
    unit : {"rating", "participant", "question"}
        What the bootstrap draws.
    n_units, replicates : int
    level : float
    seed : int
    """

    own: tuple[MethodAccuracy, ...]
    common: tuple[MethodAccuracy, ...]
    duels: tuple[Duel, ...]
    average_win_rates: tuple[tuple[str, float], ...]
    n_points: int
    n_common: int
    unit: Unit
    n_units: int
    replicates: int
    level: float
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def accuracy_report(
    table: PredictionTable, *, seed: int, unit: Unit = "participant", replicates: int = 2000, level: float = 0.95
) -> AccuracyReport:
    """Error figures, win rates and tie rates of every method, with bootstrap intervals.

    Parameters
    ----------
    table : PredictionTable
    seed : int
        Of the bootstrap, at least 0.
    unit : {"rating", "participant", "question"}, default "participant"
        What is drawn with replacement; everything of a drawn participant or question comes along.
    replicates : int, default 2000
    level : float, default 0.95

    Returns
    -------
    AccuracyReport

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    Section 6 of the Overton paper [1]_. Its intervals draw ratings as if they were independent; several of them come
    from one person, so drawing participants is the default here and "rating" repeats the paper.

    Ratings and predictions have five values each, so every figure is a function of a table of 25 counts, and every
    replicate is a sum of the drawn units' tables: one product of matrices. All methods and pairs share the draws.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, section 6 and appendix E.
    """
    if seed < 0 or replicates < 1 or not 0 < level < 1:
        raise ValueError("seed is at least 0, replicates at least 1, and level lies between 0 and 1")
    units, n_units = table.units(unit)
    pairs = [(a, b) for a in range(len(table.methods)) for b in range(a + 1, len(table.methods))]
    is_common = np.asarray(~np.isnan(table.predicted).any(axis=1), dtype=np.bool_)
    blocks = [_cells(table, column, np.ones(len(table.points), dtype=bool)) for column in range(len(table.methods))]
    blocks += [_cells(table, column, is_common) for column in range(len(table.methods))]
    widths = [N_CELLS] * len(blocks)
    blocks += [_outcomes(table, a, b) for a, b in pairs]
    widths += [3] * len(pairs)
    counts = _by_unit(blocks, widths, units, n_units)
    drawn = _resampled(counts, seed=seed, replicates=replicates)
    interval = _Interval(level, None if n_units > 1 else f"one {unit}: nothing to resample")
    places = np.cumsum([0, *widths])
    slots = [(counts[:, a:b].sum(axis=0), drawn[:, a:b]) for a, b in pairwise(places.tolist())]
    n_methods = len(table.methods)
    duels = _duels(table.methods, pairs, slots[2 * n_methods :], interval)
    return AccuracyReport(
        own=tuple(_method(table.methods[i], len(table.points), *slots[i], interval) for i in range(n_methods)),
        common=tuple(
            _method(table.methods[i], int(is_common.sum()), *slots[n_methods + i], interval) for i in range(n_methods)
        ),
        duels=duels,
        average_win_rates=tuple((method, _average(method, duels)) for method in table.methods),
        n_points=len(table.points),
        n_common=int(is_common.sum()),
        unit=unit,
        n_units=n_units,
        replicates=replicates,
        level=level,
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class _Interval:
    """How replicates become an interval."""

    level: float
    impossible: str | None

    def around(self, value: float, replicates: FloatArray, n: int, undefined: str | None) -> Estimate:
        nan = float("nan")
        if undefined is not None:
            return Estimate(nan, nan, nan, n, 0, undefined, undefined)
        defined = replicates[~np.isnan(replicates)]
        if self.impossible is not None or not len(defined):
            return Estimate(value, nan, nan, n, 0, None, self.impossible or "it is undefined in every replicate")
        low, high = np.quantile(defined, [(1 - self.level) / 2, (1 + self.level) / 2])
        return Estimate(value, float(low), float(high), n, len(defined), None, None)


def _cells(table: PredictionTable, column: int, rows: BoolArray) -> IntArray:
    """Which of the 25 cells each point falls in, by measured and predicted rating; -1 if it is not counted."""
    predicted = table.predicted[:, column]
    counted = rows & ~np.isnan(predicted)
    cells = N_POINTS_OF_SCALE * (table.actual - 1) + np.nan_to_num(predicted, nan=1.0).astype(np.int64) - 1
    return np.where(counted, cells, -1)


def _outcomes(table: PredictionTable, a: int, b: int) -> IntArray:
    """0 if the error of `a` is smaller, 1 if equal, 2 if larger; -1 if one of the two predicted nothing."""
    errors = np.abs(table.predicted - table.actual[:, None])
    outcome = 1 + np.sign(np.nan_to_num(errors[:, a] - errors[:, b])).astype(np.int64)
    return np.where(np.isnan(errors[:, a] + errors[:, b]), -1, outcome)


def _by_unit(blocks: list[IntArray], widths: list[int], units: IntArray, n_units: int) -> FloatArray:
    """Counts by unit (rows) and cell of each block (columns)."""
    counts = [
        np.bincount(units[block >= 0] * width + block[block >= 0], minlength=n_units * width).reshape(n_units, width)
        for block, width in zip(blocks, widths, strict=True)
    ]
    return np.hstack(counts).astype(np.float64) if counts else np.zeros((n_units, 0))


def _resampled(counts: FloatArray, *, seed: int, replicates: int) -> FloatArray:
    """Counts of each replicate: units drawn with replacement, as many as there are."""
    n_units = len(counts)
    rng = np.random.default_rng(seed)
    sums = np.zeros((replicates, counts.shape[1]))
    if not n_units:
        return sums
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, replicates, DRAWN_AT_ONCE):
            n = min(DRAWN_AT_ONCE, replicates - start)
            drawn = rng.integers(0, n_units, size=(n, n_units)) + n_units * np.arange(n)[:, None]
            times = np.bincount(drawn.ravel(), minlength=n * n_units).reshape(n, n_units)
            sums[start : start + n] = times.astype(np.float64) @ counts
    return sums


def _method(
    name: str, n_points: int, counts: FloatArray, replicates: FloatArray, interval: _Interval
) -> MethodAccuracy:
    n = int(counts.sum())
    figures = _figures(counts[None, :])
    spread = _figures(replicates)
    nothing = None if n else "nothing was predicted"
    ranks = nothing or ("one of the two does not vary" if np.isnan(figures["spearman"][0]) else None)
    estimates = {
        metric: interval.around(
            float(figures[metric][0]), spread[metric], n, ranks if metric == "spearman" else nothing
        )
        for metric in METRICS
    }
    return MethodAccuracy(name, n_points, n, **estimates)


def _figures(counts: FloatArray) -> dict[str, FloatArray]:
    """Figures of each row of 25 counts; ``nan`` where undefined."""
    n = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "mae": counts @ np.abs(_DIFFERENCE) / n,
            "mse": counts @ _DIFFERENCE**2 / n,
            "accuracy": counts @ (_DIFFERENCE == 0).astype(np.float64) / n,
            "spearman": _spearman(counts.reshape(-1, N_POINTS_OF_SCALE, N_POINTS_OF_SCALE)),
        }


def _spearman(counts: FloatArray) -> FloatArray:
    """Spearman's correlation with mid-ranks of each table of counts (measured by predicted)."""
    n = counts.sum(axis=(1, 2))
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    centred = [np.cumsum(each, axis=1) - each / 2 - n[:, None] / 2 for each in (rows, columns)]
    product = np.einsum("kij,ki,kj->k", counts, *centred)
    squares = (rows * centred[0] ** 2).sum(axis=1) * (columns * centred[1] ** 2).sum(axis=1)
    correlation = np.full(len(counts), np.nan)
    np.divide(product, np.sqrt(squares), out=correlation, where=squares > 0)
    return np.asarray(np.clip(correlation, -1.0, 1.0), dtype=np.float64)


def _duels(
    methods: tuple[str, ...],
    pairs: list[tuple[int, int]],
    slots: list[tuple[FloatArray, FloatArray]],
    interval: _Interval,
) -> tuple[Duel, ...]:
    found = {}
    for (a, b), (counts, replicates) in zip(pairs, slots, strict=True):
        found[a, b] = _duel(methods[a], methods[b], counts, replicates, interval)
        found[b, a] = _duel(methods[b], methods[a], counts[::-1], replicates[:, ::-1], interval)
    return tuple(found[pair] for pair in sorted(found))


def _duel(name: str, other: str, counts: FloatArray, replicates: FloatArray, interval: _Interval) -> Duel:
    wins, ties, losses = (int(count) for count in counts)
    n = wins + ties + losses
    nothing = None if n else "the two predicted no point in common"
    only_ties = nothing or (None if wins + losses else "every point is a tie")
    with np.errstate(invalid="ignore", divide="ignore"):
        win_rates = replicates[:, 0] / (replicates[:, 0] + replicates[:, 2])
        tie_rates = replicates[:, 1] / replicates.sum(axis=1)
    win_rate = wins / (wins + losses) if wins + losses else float("nan")
    tie_rate = ties / n if n else float("nan")
    return Duel(
        method=name,
        other=other,
        n=n,
        n_wins=wins,
        n_ties=ties,
        n_losses=losses,
        win_rate=interval.around(win_rate, win_rates, wins + losses, only_ties),
        tie_rate=interval.around(tie_rate, tie_rates, n, nothing),
    )


def _average(method: str, duels: tuple[Duel, ...]) -> float:
    rates = [duel.win_rate.value for duel in duels if duel.method == method and duel.win_rate.undefined is None]
    return float(np.mean(rates)) if rates else float("nan")
