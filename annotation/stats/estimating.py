"""From arrays of values to estimates: names, reasons, standard errors and intervals of one cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.stats.analytic import (
    fleiss_null_error,
    krippendorff_error,
    krippendorff_errors,
    linearised_errors,
    normal_interval,
    t_interval,
)
from annotation.stats.bootstrap import Replicated, replicated
from annotation.stats.codes import MISSING, Judgements
from annotation.stats.coefficients import FLEISS, Columns, Values, Weighting
from annotation.stats.cohen import cohen_standard_errors
from annotation.stats.designs import Block, Resampling
from annotation.stats.estimates import Estimate, Interval, undefined
from annotation.stats.icc import ICC_NAMES, intraclass_correlations
from annotation.stats.policies import Policy
from annotation.stats.scales import FloatArray, IntArray, Level, squared_differences
from annotation.stats.sums import conger_kappa, conger_shares, sums_of

__all__ = [
    "METHOD_VERSION",
    "Drawn",
    "drawn_of",
    "estimates_of",
]

METHOD_VERSION = "1"

Drawn = dict[int, Replicated]


def drawn_of(found: Sequence[Values], resampling: Resampling) -> Drawn:
    """Percentiles of all replicates, by the place of the values in `found`."""
    if not resampling.replicates:
        return {}
    return {place: replicated(each.value[1:], resampling.level) for place, each in enumerate(found)}


def estimates_of(
    judgements: Judgements,
    block: Block,
    policy: Policy,
    named: Sequence[Weighting],
    columns: Columns,
    place: int,
    found: Sequence[Values],
    drawn: Drawn,
    n_raters: int,
    n_units: int,
    resampling: Resampling,
) -> tuple[Estimate, ...]:
    """The estimates of one cell.

    Notes
    -----
    Fleiss' kappa is named ``fleiss_kappa`` where all items have the same number of raters, ``scott_pi`` where there
    are two raters in all, and ``fleiss_kappa_gwet_generalised`` otherwise: one formula, three names in the field.
    """
    total = columns.counts.sum(axis=1)
    often = block.times
    rated = (often > 0) & (total > 0)
    kinds, times = columns.counts[rated], often[rated]
    reason = _reason(total[rated], n_raters)
    known = _known(found, place)
    errors = _Errors(judgements, block, policy, columns, kinds, times, dict(named), known, resampling)
    fleiss = _fleiss_name(total[rated], n_raters)
    estimates = []
    for number, values in enumerate(found):
        if place not in values.sets:
            continue
        name = _named(values.name, values.weights, fleiss)
        why = reason or (_not_paired(block, columns, policy) if values.name == "cohen_kappa" else None)
        if why:
            estimates.append(undefined(name, why))
            continue
        column = values.sets.index(place)
        bootstrap = _bootstrap(drawn.get(number), column, n_units, resampling)
        estimates.append(_estimate(name, values, column, errors, bootstrap))
    return (*estimates, *_numeric(judgements, block, policy, columns, resampling, reason))


def _bootstrap(
    drawn: Replicated | None, column: int, n_units: int, resampling: Resampling
) -> tuple[Interval | None, float]:
    """The interval over units, and the spread of the replicates."""
    if drawn is None:
        return None, float("nan")
    interval = drawn.interval(column, unit=resampling.unit_name, n_units=n_units)
    return interval, float(drawn.se[column]) if interval.reason is None else float("nan")


def _known(found: Sequence[Values], place: int) -> dict[str, FloatArray]:
    """Value and chance of the coefficients of counts under each weights: shape (n_weights, 2)."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for values in found:
        key = _KEYS.get(values.name, values.name)
        if key in ("percent_agreement", "fleiss_kappa", "gwet_ac", "randolph_kappa"):
            pairs.setdefault(key, []).append((values.value[0, place], values.chance[0, place]))
    return {key: np.array(each) for key, each in pairs.items()}


def _reason(total: IntArray, n_raters: int) -> str | None:
    if not len(total):
        return "no_items"
    if n_raters < 2:
        return "one_rater"
    return None if (total >= 2).any() else "no_pairable_items"


def _not_paired(block: Block, columns: Columns, policy: Policy) -> str | None:
    both = (columns.labels >= 0).all(axis=1)
    return None if block.times[both].any() else "no_pairable_items"


def _fleiss_name(total: IntArray, n_raters: int) -> str:
    if len(total) and (total == total[0]).all():
        return "scott_pi" if n_raters == 2 and total[0] == 2 else "fleiss_kappa"
    return "fleiss_kappa_gwet_generalised"


def _named(name: str, weights: str, fleiss: str) -> str:
    if name == "gwet_ac":
        return "gwet_ac1" if weights == "identity" else f"gwet_ac2[{weights}]"
    base = fleiss if name == FLEISS else name
    return base if weights == "identity" else f"{base}[{weights}]"


def _estimate(
    name: str, values: Values, column: int, errors: _Errors, bootstrap: tuple[Interval | None, float]
) -> Estimate:
    value, chance = float(values.value[0, column]), float(values.chance[0, column])
    if not math.isfinite(value):
        return Estimate(name, math.nan, "single_category", chance=chance)
    se, interval, null = errors.of(values, value, chance)
    return Estimate(name, value, None, se, chance, interval, *bootstrap, null)


class _Errors:
    """Standard errors of one cell by linearisation, each computed once."""

    def __init__(
        self,
        judgements: Judgements,
        block: Block,
        policy: Policy,
        columns: Columns,
        kinds: IntArray,
        times: IntArray,
        weights: dict[str, FloatArray],
        known: dict[str, FloatArray],
        resampling: Resampling,
    ) -> None:
        self.judgements, self.block, self.policy, self.columns = judgements, block, policy, columns
        self.kinds, self.times, self.weights, self.level = kinds, times, weights, resampling.level
        self.size = policy.scale.size
        self.width = 2 + self.size + 2 * self.size**2
        self.sums = sums_of(block.added[0, columns.start : columns.start + self.width], self.size)
        stacked = np.stack(list(weights.values()))
        self.of_counts = linearised_errors(kinds, times, self.sums, stacked, known)
        self.of_alpha = krippendorff_errors(kinds, times, stacked)
        self.left_out: tuple[dict[str, float], float] | None = None
        self.place_of = {name: place for place, name in enumerate(weights)}

    def of(self, values: Values, value: float, chance: float) -> tuple[float, Interval | None, float]:
        """Standard error, interval, and the error under no agreement beyond chance."""
        nan = float("nan")
        if values.name.startswith("krippendorff_alpha"):
            is_weighted = values.name == "krippendorff_alpha_weighted"
            error = self._of_weights(values.weights) if is_weighted else self._of_level(values.weights)
            n = float(self.sums.n_pairable)
            return error, t_interval(value, error, n, self.level) if np.isfinite(error) else None, nan
        if values.name == "cohen_kappa":
            table = self.block.added[0, self.columns.start + self.width : self.columns.stop]
            square = table.reshape(self.size, self.size)
            error, null = cohen_standard_errors(square, self.weights[values.weights], (value, chance))
            return error, normal_interval(value, error, self.level), null
        if values.name == "conger_kappa":
            error, n = self._jackknife(values.weights)
            interval = t_interval(value, error, n, self.level) if np.isfinite(error) else None
            return error, interval and replace(interval, method="jackknife t"), nan
        error = float(self.of_counts[_KEYS.get(values.name, values.name)][self.place_of[values.weights]])
        null = nan
        if values.name == FLEISS and values.weights == "identity":
            null = fleiss_null_error(self.kinds, self.times)
        return error, t_interval(value, error, float(self.sums.n_rated), self.level), null

    def _of_weights(self, name: str) -> float:
        return float(self.of_alpha[self.place_of[name]])

    def _of_level(self, name: str) -> float:
        """``nan`` on the ordinal level, whose differences depend on the data."""
        if name == "ordinal":
            return float("nan")
        if name == "nominal":
            return self._of_weights("identity")
        level: Level = "interval" if name == "interval" else "ratio"
        apart = squared_differences(self.policy.scale, level, np.zeros(self.size))
        greatest = apart.max()
        return krippendorff_error(self.kinds, self.times, 1 - apart / greatest) if greatest > 0 else float("nan")

    def _jackknife(self, name: str) -> tuple[float, float]:
        """Standard error of Conger's kappa from leaving one unit out at a time, and the number of units."""
        if self.left_out is None:
            self.left_out = self._left_out()
        return self.left_out[0].get(name, float("nan")), self.left_out[1]

    def _left_out(self) -> tuple[dict[str, float], float]:
        kinds, often = self.block.kinds, self.block.often
        start, stop = self.columns.start, self.columns.stop
        judged = kinds[:, start] > 0
        kinds, often = kinds[judged, start:stop], often[judged]
        n = float(often.sum())
        if n < 2 or not self.columns.has_raters:
            return {}, n
        rest = self.block.added[0, start:stop] - kinds
        shares = conger_shares(np.ascontiguousarray(rest[:, self.width :].reshape(len(rest), -1, self.size)))
        sums, errors = sums_of(rest[:, : self.width], self.size), {}
        for name, weights in self.weights.items():
            left = conger_kappa(sums, shares, weights)[0]
            if np.isfinite(left).all():
                errors[name] = float(np.sqrt((n - 1) / n * (often @ (left - often @ left / n) ** 2)))
        return errors, n


_KEYS = {FLEISS: "fleiss_kappa"}


def _numeric(
    judgements: Judgements, block: Block, policy: Policy, columns: Columns, resampling: Resampling, reason: str | None
) -> tuple[Estimate, ...]:
    """Intraclass correlations, where labels are numbers."""
    scale = policy.scale
    if scale.level not in ("interval", "ratio") or scale.values is None:
        return ()
    if reason:
        return tuple(undefined(name, reason) for name in ICC_NAMES)
    values = np.asarray(scale.values)
    labels = columns.labels[columns.row[block.inside]]
    ratings = np.where(labels == MISSING, np.nan, values[np.maximum(labels, 0)])
    if not columns.knows_raters and np.isnan(ratings).any():
        return intraclass_correlations(ratings, level=resampling.level)
    if not columns.knows_raters:
        one_way = {each.name: each for each in intraclass_correlations(ratings, level=resampling.level)}
        return tuple(
            one_way[name] if name.startswith("icc[1") else undefined(name, "raters_unknown") for name in ICC_NAMES
        )
    return intraclass_correlations(ratings, level=resampling.level)
