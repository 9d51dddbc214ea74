"""Standard errors by linearisation, from the distinct rows of counts and how often each occurs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from scipy import special

from annotation.stats.estimates import Interval
from annotation.stats.scales import FloatArray, IntArray
from annotation.stats.sums import NO_CHANCE, Sums, fleiss_kappa, gwet_ac, percent_agreement, randolph_kappa

__all__ = [
    "METHOD_VERSION",
    "fleiss_null_error",
    "gwet_errors",
    "krippendorff_error",
    "krippendorff_errors",
    "linearised_errors",
    "normal_interval",
    "t_interval",
]

METHOD_VERSION = "1"


def gwet_errors(rows: IntArray, times: IntArray, sums: Sums, weights: FloatArray) -> dict[str, float]:
    r"""Standard errors of percent agreement, Fleiss', Gwet's and Randolph's coefficients.

    Parameters
    ----------
    rows : ndarray of int, shape (n_patterns, q)
        Counts of labels.
    times : ndarray of int, shape (n_patterns,)
        Items that have this row. Rows without a judgement are ignored.
    sums : Sums
        Of the same items.
    weights : ndarray, shape (q, q)

    Returns
    -------
    dict
        Keys "percent_agreement", "fleiss_kappa", "gwet_ac", "randolph_kappa"; ``nan`` where undefined or where
        fewer than two items were judged.

    Notes
    -----
    Linearisation of Gwet [1]_ for an infinite population of items: with :math:`\kappa_i=(n/n')(p_{a|i}-p_e 1[r_i\ge
    2])/(1-p_e)` and :math:`\kappa^*_i=\kappa_i-2(1-\kappa)(p_{e|i}-p_e)/(1-p_e)` the variance is
    :math:`\sum(\kappa^*_i-\kappa)^2/(n(n-1))`.

    References
    ----------
    .. [1] K. Gwet, Handbook of Inter-Rater Reliability, 4th ed., 2014, chapter 5.
    """
    rated = rows.sum(axis=1) > 0
    names = ("percent_agreement", "fleiss_kappa", "gwet_ac", "randolph_kappa")
    if float(sums.n_rated) < 2 or float(sums.n_pairable) < 1:
        return dict.fromkeys(names, float("nan"))
    known = {
        "percent_agreement": (percent_agreement(sums, weights), np.asarray(np.nan)),
        "fleiss_kappa": fleiss_kappa(sums, weights),
        "gwet_ac": gwet_ac(sums, weights),
        "randolph_kappa": randolph_kappa(sums, weights),
    }
    both = {name: np.array([each]) for name, each in known.items()}
    found = linearised_errors(rows[rated], times[rated], sums, weights[None], both)
    return {name: float(found[name][0]) for name in names}


def linearised_errors(
    rows: IntArray, times: IntArray, sums: Sums, weights: FloatArray, known: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """The standard errors of :func:`gwet_errors` under several weights at once.

    Parameters
    ----------
    rows, times : ndarray of int
        As there, of rows with a judgement.
    weights : ndarray, shape (n_weights, q, q)
    known : mapping of str to ndarray, shape (n_weights, 2)
        Value and chance of each coefficient.

    Returns
    -------
    dict of str to ndarray, shape (n_weights,)
    """
    counts, often = rows.astype(np.float64), times.astype(np.float64)
    n, pairable = float(sums.n_rated), float(sums.n_pairable)
    if n < 2 or pairable < 1:
        return {name: np.full(len(weights), np.nan) for name in known}
    total = counts.sum(axis=1)
    agreeing = np.zeros((len(weights), len(counts)))
    both = (counts * (counts @ weights.transpose(0, 2, 1) - 1)).sum(axis=2)
    np.divide(both, total * (total - 1), out=agreeing, where=total >= 2)
    marginals, size = sums.marginals, weights.shape[1]
    share = counts / total[:, None]
    mean_weights = ((weights + weights.transpose(0, 2, 1)) / 2) @ marginals
    scale = weights.sum(axis=(1, 2)) / (size * (size - 1)) if size > 1 else np.full(len(weights), np.nan)
    chances = {
        "fleiss_kappa": mean_weights @ share.T,
        "gwet_ac": scale[:, None] * (share @ (1 - marginals)),
        "randolph_kappa": known["randolph_kappa"][:, 1:],
    }
    excess = n / pairable * agreeing
    errors = {"percent_agreement": _spread(excess - known["percent_agreement"][:, :1], often, n)}
    is_pairable = n / pairable * (total >= 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, chance_of_rows in chances.items():
            kappa, expected = known[name][:, :1], known[name][:, 1:]
            room = np.where(1 - expected > NO_CHANCE, 1 - expected, np.nan)
            of_rows = (excess - expected * is_pairable - 2 * (1 - kappa) * (chance_of_rows - expected)) / room
            errors[name] = _spread(of_rows - kappa, often, n)
    return errors


def _spread(apart: FloatArray, often: FloatArray, n: float) -> FloatArray:
    return np.asarray(np.sqrt((apart**2) @ often / (n * (n - 1))))


def krippendorff_error(rows: IntArray, times: IntArray, weights: FloatArray) -> float:
    """Standard error of Krippendorff's alpha under one set of weights, see :func:`krippendorff_errors`."""
    return float(krippendorff_errors(rows, times, weights[None])[0])


def krippendorff_errors(rows: IntArray, times: IntArray, weights: FloatArray) -> FloatArray:
    r"""Standard errors of Krippendorff's alpha with fixed differences :math:`1-w_{kl}`; ``nan`` where undefined.

    Not for the ordinal level, whose differences depend on the data: there the bootstrap stands alone.

    Parameters
    ----------
    rows : ndarray of int, shape (n_patterns, q)
    times : ndarray of int, shape (n_patterns,)
    weights : ndarray, shape (n_weights, q, q)

    Notes
    -----
    Gwet's linearisation over the :math:`n'` pairable items [1]_, in the form that irrCAC computes: items enter with
    :math:`r_i/\bar r`, the agreement with its correction for small samples in the term for unequal :math:`r_i`, and
    the variance is taken around alpha without that correction.

    References
    ----------
    .. [1] K. Gwet, Handbook of Inter-Rater Reliability, 4th ed., 2014, chapter 5.
    """
    pairable = rows.sum(axis=1) >= 2
    counts, often = rows[pairable].astype(np.float64), times[pairable].astype(np.float64)
    n = often.sum()
    if n < 2:
        return np.full(len(weights), np.nan)
    total = counts.sum(axis=1)
    whole = often @ total
    mean_total = whole / n
    both = (counts * (counts @ weights.transpose(0, 2, 1) - 1)).sum(axis=2)
    agreeing = both / (total * (total - 1)) * (total / mean_total)
    observed = (agreeing @ often / n)[:, None]
    marginals = (often @ counts) / whole
    chance = (weights @ marginals @ marginals)[:, None]
    room = np.where(1 - chance < NO_CHANCE, np.nan, 1 - chance)
    excess = (total - mean_total) / mean_total
    corrected = (1 - 1 / whole) * observed + 1 / whole
    alpha = (observed - chance) / room
    mean_weights = ((weights + weights.transpose(0, 2, 1)) / 2) @ marginals
    chance_of_rows = mean_weights @ counts.T / mean_total - chance * excess
    of_rows = (agreeing - corrected * excess - chance - 2 * (1 - alpha) * (chance_of_rows - chance)) / room
    return _spread(of_rows - alpha, often, float(n))


def fleiss_null_error(rows: IntArray, times: IntArray) -> float:
    r"""Standard error of Fleiss' kappa if there were no agreement beyond chance: for a test of 0, not for intervals.

    ``nan`` unless every item has the same number of raters.

    References
    ----------
    .. [1] J. Fleiss, J. Nee, J. Landis, Large sample variance of kappa in the case of different sets of raters,
       Psychological Bulletin 86, 1979.
    """
    total = rows.sum(axis=1)
    if not len(rows) or len(np.unique(total)) != 1 or total[0] < 2:
        return float("nan")
    n, m = float(times.sum()), float(total[0])
    share = (times @ rows) / (n * m)
    other = 1 - share
    spread = float(share @ other)
    if spread <= 0:
        return float("nan")
    inside = spread**2 - float((share * other) @ (other - share))
    return float(np.sqrt(2) / (spread * np.sqrt(n * m * (m - 1))) * np.sqrt(max(inside, 0.0)))


def t_interval(value: float, error: float, n: float, level: float) -> Interval:
    """Interval of Gwet: Student's t with n - 1 degrees of freedom, cut at 1."""
    if not math.isfinite(error) or n < 2:
        return Interval(float("nan"), float("nan"), "Gwet t", "too_few_clusters" if n < 2 else "single_category")
    reach = _t_quantile(n - 1, level) * error
    return Interval(value - reach, min(value + reach, 1.0), "Gwet t")


@lru_cache(maxsize=4096)
def _t_quantile(freedom: float, level: float) -> float:
    return float(special.stdtrit(freedom, (1 + level) / 2))


def normal_interval(value: float, error: float, level: float) -> Interval:
    """Value plus and minus a normal quantile times the error, cut at 1."""
    if not np.isfinite(error):
        return Interval(float("nan"), float("nan"), "normal", "single_category")
    reach = float(special.ndtri((1 + level) / 2)) * error
    return Interval(value - reach, min(value + reach, 1.0), "normal")
