"""Every coefficient of one cell of a report: one dimension, one stratum, one set of raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.stats.analytic import (
    fleiss_null_error,
    gwet_errors,
    krippendorff_error,
    normal_interval,
    t_interval,
)
from annotation.stats.bootstrap import by_unit, percentile_interval, replicate_sums
from annotation.stats.codes import MISSING, Codes, patterns
from annotation.stats.cohen import cohen_kappa, cohen_standard_errors, pair_table
from annotation.stats.estimates import Estimate, Interval, undefined
from annotation.stats.icc import intraclass_correlations
from annotation.stats.scales import FloatArray, IntArray, Level, WeightsName, agreement_weights
from annotation.stats.sums import (
    Sums,
    conger_kappa,
    features,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    randolph_kappa,
    sums_of,
)

__all__ = ["METHOD_VERSION", "Cell", "Resampling", "agreement_cell", "category_kappas", "cohen_cell"]

METHOD_VERSION = "1"

#: Conger's kappa is resampled item by item, so for more units than this it has its analytic interval alone.
MOST_UNITS_BY_RATER = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """How intervals are made.

    Attributes
    ----------
    unit : ndarray of int, shape (n_items,), or None
        Which unit each item belongs to; every item is its own without.
    unit_name : str
        Such as "items", "pairs" or "references".
    strata : ndarray of int, shape (n_items,), or None
        Units are drawn within strata; all items of a unit lie in one.
    replicates : int
        0 for no bootstrap.
    seed : int
    level : float
    """

    unit: IntArray | None = None
    unit_name: str = "items"
    strata: IntArray | None = None
    replicates: int = 1000
    seed: int = 0
    level: float = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """Agreement of one set of raters on one set of items.

    Attributes
    ----------
    n_items, n_pairable, n_ratings, n_raters : int
        Items with a judgement, with two or more, judgements, and raters with a judgement.
    counts : dict of rater to list of int
        How often each rater used each label.
    estimates : tuple of Estimate
    fleiss_null_se : float
        For a test of no agreement beyond chance, where numbers of raters are equal; else ``nan``.
    """

    n_items: int
    n_pairable: int
    n_ratings: int
    n_raters: int
    counts: dict[str, list[int]]
    estimates: tuple[Estimate, ...]
    fleiss_null_se: float = float("nan")

    def __getitem__(self, name: str) -> Estimate:
        """The statistic of this name."""
        return next(estimate for estimate in self.estimates if estimate.name == name)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        return {
            "n_items": self.n_items,
            "n_pairable": self.n_pairable,
            "n_ratings": self.n_ratings,
            "n_raters": self.n_raters,
            "counts": self.counts,
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            "fleiss_null_se": self.fleiss_null_se if np.isfinite(self.fleiss_null_se) else None,
        }


def weightings(level: Level) -> tuple[WeightsName, ...]:
    """Which agreement weights make sense on a level."""
    return ("identity",) if level == "nominal" else ("identity", "linear", "quadratic", "ordinal")


def alpha_levels(level: Level) -> tuple[Level, ...]:
    """For which levels Krippendorff's alpha is computed."""
    order: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
    return order[: order.index(level) + 1]


def named(name: str, weights: WeightsName) -> str:
    """The name of a statistic with its weights."""
    return name if weights == "identity" else f"{name}[{weights}]"


def agreement_cell(codes: Codes, resampling: Resampling | None = None) -> Cell:
    """All coefficients of many raters that the level of the scale allows.

    Parameters
    ----------
    codes : Codes
        Of one dimension, one stratum and one set of raters; the policy for "cannot judge" is already applied.
    resampling : Resampling, optional
        By default 1,000 replicates over items with seed 0.

    Returns
    -------
    Cell
        What is undefined has a reason; a set of one rater or without items gives a cell of reasons.

    Notes
    -----
    Fleiss' kappa is named ``fleiss_kappa`` where all items have the same number of raters, ``scott_pi`` where there
    are two raters in all, and ``fleiss_kappa_gwet_generalised`` otherwise: one formula, three names in the field.
    """
    resampling = resampling or Resampling()
    counts = codes.counts()
    total = counts.sum(axis=1)
    used = np.unique(codes.rater)
    size = codes.scale.size
    kinds, index, kind_strata = _kinds(counts, total, resampling)
    times = np.bincount(index, minlength=len(kinds)) if len(kinds) else np.zeros(0, np.int64)
    whole = features(kinds)
    sums = sums_of(times @ whole, size)
    reason = _reason(total, len(used))
    replicates = _replicated(codes, counts, kinds, times, kind_strata, resampling) if reason is None else None
    estimates = [
        *_by_counts(codes, kinds, times, sums, replicates, resampling, reason, _fleiss_name(total, len(used))),
        *_conger(codes, sums, resampling, reason),
        *_numeric(codes, resampling, reason),
    ]
    return Cell(
        n_items=int((total > 0).sum()),
        n_pairable=int((total >= 2).sum()),
        n_ratings=codes.n_ratings,
        n_raters=len(used),
        counts=_marginals(codes),
        estimates=tuple(estimates),
        fleiss_null_se=fleiss_null_error(*_rated(kinds, times)),
    )


def _rated(kinds: IntArray, times: IntArray) -> tuple[IntArray, IntArray]:
    rated = kinds.sum(axis=1) > 0
    return kinds[rated], times[rated]


def _kinds(counts: IntArray, total: IntArray, resampling: Resampling) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct rows of counts within strata, which one each item has, and the stratum of each."""
    if resampling.strata is None:
        kinds, index = patterns(counts)
        return kinds, index, np.zeros(len(kinds), np.int64)
    joined, index = patterns(np.column_stack([counts, resampling.strata.astype(np.int64)]))
    return joined[:, :-1], index, joined[:, -1]


def _reason(total: IntArray, n_raters: int) -> str | None:
    if not (total > 0).any():
        return "no_items"
    if n_raters < 2:
        return "one_rater"
    return None if (total >= 2).any() else "no_pairable_items"


def _fleiss_name(total: IntArray, n_raters: int) -> str:
    rated = total[total > 0]
    if len(rated) and (rated == rated[0]).all():
        return "scott_pi" if n_raters == 2 else "fleiss_kappa"
    return "fleiss_kappa_gwet_generalised"


def _replicated(
    codes: Codes, counts: IntArray, kinds: IntArray, times: IntArray, kind_strata: IntArray, resampling: Resampling
) -> tuple[Sums, int] | None:
    """Sums of all replicates and the number of units; None without a bootstrap."""
    if not resampling.replicates:
        return None
    rng = np.random.default_rng(resampling.seed)
    rated = counts.sum(axis=1) > 0
    if resampling.unit is None:
        keep = kinds.sum(axis=1) > 0
        rows, n, strata = features(kinds[keep]), times[keep], kind_strata[keep]
    else:
        rows, n, strata = _clusters(features(counts[rated]), rated, resampling)
    drawn = replicate_sums(rows, n, strata, replicates=resampling.replicates, rng=rng)
    return sums_of(drawn, codes.scale.size), int(n.sum())


def _clusters(rows: FloatArray, rated: FloatArray, resampling: Resampling) -> tuple[FloatArray, IntArray, IntArray]:
    """Features by unit, one unit each, and their strata."""
    assert resampling.unit is not None
    _, unit = np.unique(resampling.unit[rated], return_inverse=True)
    n_units = int(unit.max(initial=-1)) + 1
    strata = np.zeros(n_units, np.int64)
    if resampling.strata is not None:
        strata[unit] = resampling.strata[rated]
    return by_unit(rows, unit, n_units), np.ones(n_units, np.int64), strata


def _by_counts(
    codes: Codes,
    kinds: IntArray,
    times: IntArray,
    sums: Sums,
    replicates: tuple[Sums, int] | None,
    resampling: Resampling,
    reason: str | None,
    fleiss: str,
) -> list[Estimate]:
    """The coefficients that depend on counts alone."""
    scale, estimates = codes.scale, []
    for weights in weightings(scale.level):
        matrix = agreement_weights(weights, scale.size)
        errors = gwet_errors(kinds, times, sums, matrix)
        ac = "gwet_ac1" if weights == "identity" else f"gwet_ac2[{weights}]"
        functions = {
            named("percent_agreement", weights): ("percent_agreement", lambda s, m: (percent_agreement(s, m), np.nan)),
            named(fleiss, weights): ("fleiss_kappa", fleiss_kappa),
            ac: ("gwet_ac", gwet_ac),
            named("randolph_kappa", weights): ("randolph_kappa", randolph_kappa),
        }
        for name, (key, function) in functions.items():
            if reason:
                estimates.append(undefined(name, reason))
                continue
            value, chance = function(sums, matrix)
            drawn = None if replicates is None else function(replicates[0], matrix)[0]
            n = float(sums.n_rated)
            interval = None if not np.isfinite(value) else t_interval(float(value), errors[key], n, resampling.level)
            estimates.append(_estimate(name, value, chance, errors[key], interval, drawn, replicates, resampling))
    for level in alpha_levels(scale.level):
        name = f"krippendorff_alpha[{level}]"
        if reason:
            estimates.append(undefined(name, reason))
            continue
        value, chance = krippendorff_alpha(sums, scale, level)
        drawn = None if replicates is None else krippendorff_alpha(replicates[0], scale, level)[0]
        error = _alpha_error(codes, kinds, times, level)
        n = float(sums.n_pairable)
        interval = t_interval(float(value), error, n, resampling.level) if np.isfinite(error) else None
        estimates.append(_estimate(name, value, chance, error, interval, drawn, replicates, resampling))
    return estimates


def _alpha_error(codes: Codes, kinds: IntArray, times: IntArray, level: Level) -> float:
    """Analytic standard error; ``nan`` on the ordinal level, whose differences depend on the data."""
    if level == "ordinal":
        return float("nan")
    if level == "nominal":
        return krippendorff_error(kinds, times, np.eye(codes.scale.size))
    from annotation.stats.scales import squared_differences

    apart = squared_differences(codes.scale, level, np.zeros(codes.scale.size))
    return krippendorff_error(kinds, times, 1 - apart / apart.max()) if apart.max() > 0 else float("nan")


def _estimate(
    name: str,
    value: FloatArray | float,
    chance: FloatArray | float,
    error: float,
    analytic: Interval | None,
    drawn: FloatArray | None,
    replicates: tuple[Any, int] | None,
    resampling: Resampling,
) -> Estimate:
    if not np.isfinite(value):
        return replace(undefined(name, "single_category"), chance=float(chance))
    bootstrap = None
    if drawn is not None and replicates is not None:
        bootstrap = percentile_interval(drawn, level=resampling.level, unit=resampling.unit_name, n_units=replicates[1])
    return Estimate(name, float(value), None, error, float(chance), analytic, bootstrap)


def _conger(codes: Codes, sums: Sums, resampling: Resampling, reason: str | None) -> list[Estimate]:
    """Conger's kappa with a jackknife over items or units: it needs to know who chose what."""
    if reason:
        return [undefined(named("conger_kappa", w), reason) for w in weightings(codes.scale.level)]
    size, n_raters = codes.scale.size, len(codes.raters)
    place = codes.rater * size + codes.code
    per_rater = np.bincount(place, minlength=n_raters * size).reshape(n_raters, size).astype(np.float64)
    by_who = _features_by_who(codes, resampling)
    rng = np.random.default_rng(resampling.seed)
    drawn = None
    if by_who is not None and resampling.replicates:
        drawn = replicate_sums(*by_who, replicates=resampling.replicates, rng=rng)
    estimates = []
    for weights in weightings(codes.scale.level):
        matrix = agreement_weights(weights, size)
        value, chance = conger_kappa(sums, per_rater, matrix)
        replicated = None if drawn is None else _conger_of(drawn, n_raters, size, matrix)
        error = _jackknife(by_who, n_raters, size, matrix) if by_who is not None else float("nan")
        interval = None
        if np.isfinite(error) and np.isfinite(value) and by_who is not None:
            interval = t_interval(float(value), error, float(len(by_who[1])), resampling.level)
            interval = replace(interval, method="jackknife t")
        units = None if by_who is None else (by_who, len(by_who[1]))
        estimates.append(
            _estimate(named("conger_kappa", weights), value, chance, error, interval, replicated, units, resampling)
        )
    return estimates


def _features_by_who(codes: Codes, resampling: Resampling) -> tuple[FloatArray, IntArray, IntArray] | None:
    """Features of each unit with the labels by rater beside; None where that would be too large."""
    size, n_raters = codes.scale.size, len(codes.raters)
    counts = codes.counts()
    rated = counts.sum(axis=1) > 0
    if rated.sum() > MOST_UNITS_BY_RATER or rated.sum() * n_raters * size > 50_000_000:
        return None
    who = np.zeros((len(codes.items), n_raters * size))
    who[codes.item, codes.rater * size + codes.code] = 1.0
    rows = np.concatenate([features(counts[rated]), who[rated]], axis=1)
    if resampling.unit is not None:
        return _clusters(rows, rated, resampling)
    strata = np.zeros(len(rows), np.int64) if resampling.strata is None else resampling.strata[rated]
    return rows, np.ones(len(rows), np.int64), strata


def _conger_of(added: FloatArray, n_raters: int, size: int, weights: FloatArray) -> FloatArray:
    split = 2 + size + 2 * size**2
    per_rater = added[..., split:].reshape(*added.shape[:-1], n_raters, size)
    return conger_kappa(sums_of(added[..., :split], size), per_rater, weights)[0]


def _jackknife(by_who: tuple[FloatArray, IntArray, IntArray], n_raters: int, size: int, weights: FloatArray) -> float:
    """Standard error from leaving one unit out at a time."""
    rows = by_who[0]
    n = len(rows)
    if n < 2:
        return float("nan")
    left = _conger_of(rows.sum(axis=0) - rows, n_raters, size, weights)
    if not np.isfinite(left).all():
        return float("nan")
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


def _numeric(codes: Codes, resampling: Resampling, reason: str | None) -> list[Estimate]:
    """Intraclass correlations, where labels are numbers."""
    if codes.scale.level not in ("interval", "ratio") or codes.scale.values is None:
        return []
    if reason:
        return [
            undefined(name, reason) for name in ("icc[1,1]", "icc[2,1]", "icc[3,1]", "icc[1,k]", "icc[2,k]", "icc[3,k]")
        ]
    table = codes.matrix()
    values = np.asarray(codes.scale.values)
    ratings = np.where(table == MISSING, np.nan, values[np.maximum(table, 0)])
    return list(intraclass_correlations(ratings, level=resampling.level))


def _marginals(codes: Codes) -> dict[str, list[int]]:
    size = codes.scale.size
    flat = np.bincount(codes.rater * size + codes.code, minlength=len(codes.raters) * size)
    return dict(zip(codes.raters, flat.reshape(len(codes.raters), size).tolist(), strict=True))


def cohen_cell(codes: Codes, first: str, second: str, resampling: Resampling | None = None) -> tuple[Estimate, ...]:
    """Cohen's kappa of two raters, unweighted and with the weights that the level of the scale allows.

    Intervals: normal with the standard error of Fleiss, Cohen and Everitt (1969), and the bootstrap.
    """
    resampling = resampling or Resampling()
    table = codes.matrix()
    a, b = (table[:, codes.raters.index(rater)] for rater in (first, second))
    size = codes.scale.size
    counts, cell = pair_table(a, b, size)
    both = cell >= 0
    names = [named("cohen_kappa", weights) for weights in weightings(codes.scale.level)]
    if not both.any():
        return tuple(undefined(name, "no_pairable_items") for name in names)
    drawn, n_units = _drawn_tables(cell, both, size, resampling)
    estimates = []
    for name, weights in zip(names, weightings(codes.scale.level), strict=True):
        matrix = agreement_weights(weights, size)
        value, chance = cohen_kappa(counts, matrix)
        error, _null = cohen_standard_errors(counts, matrix)
        interval = normal_interval(float(value), error, resampling.level) if np.isfinite(value) else None
        replicated = None if drawn is None else cohen_kappa(drawn, matrix)[0]
        estimates.append(_estimate(name, value, chance, error, interval, replicated, (drawn, n_units), resampling))
    return tuple(estimates)


def _drawn_tables(cell: IntArray, both: FloatArray, size: int, resampling: Resampling) -> tuple[FloatArray | None, int]:
    """Tables of labels of all replicates, and the number of units."""
    if not resampling.replicates:
        return None, int(both.sum())
    rng = np.random.default_rng(resampling.seed)
    if resampling.unit is not None:
        rows, times, strata = _clusters(np.eye(size**2)[cell[both]], both, resampling)
    else:
        of_item = np.zeros(int(both.sum()), np.int64) if resampling.strata is None else resampling.strata[both]
        _, of_item = np.unique(of_item, return_inverse=True)
        n_strata = int(of_item.max()) + 1
        times = np.bincount(of_item * size**2 + cell[both], minlength=n_strata * size**2)
        rows, strata = np.tile(np.eye(size**2), (n_strata, 1)), np.repeat(np.arange(n_strata), size**2)
    sums = replicate_sums(rows, times, strata, replicates=resampling.replicates, rng=rng)
    return sums.reshape(-1, size, size), int(times.sum())


def category_kappas(codes: Codes) -> tuple[Estimate, ...]:
    """Fleiss' kappa of each label against all others (Fleiss 1971), in the declared order."""
    counts = codes.counts()
    total = counts.sum(axis=1)
    reason = _reason(total, len(np.unique(codes.rater)))
    estimates = []
    for index, label in enumerate(codes.scale.labels):
        name = f"fleiss_kappa_category[{label}]"
        if reason:
            estimates.append(undefined(name, reason))
            continue
        rows = features(np.column_stack([counts[:, index], total - counts[:, index]]))
        value, chance = fleiss_kappa(sums_of(rows.sum(axis=0), 2), np.eye(2))
        ok = bool(np.isfinite(value))
        estimates.append(Estimate(name, float(value), None if ok else "single_category", chance=float(chance)))
    return tuple(estimates)
