r"""The sums over items on which every coefficient depends, and the coefficients as functions of them.

A bootstrap replicate changes how often each item counts and nothing else, so all replicates at once are one matrix
product of multiplicities and per-item features; the coefficients below take sums with any leading dimensions.

Notation (`docs/methods.md`): :math:`r_{ik}` raters put item i in label k, :math:`r_i=\sum_k r_{ik}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.stats.scales import FloatArray, IntArray, Level, Scale, squared_differences

__all__ = [
    "METHOD_VERSION",
    "NO_CHANCE",
    "Sums",
    "conger_kappa",
    "conger_shares",
    "features",
    "fleiss_kappa",
    "gwet_ac",
    "krippendorff_alpha",
    "percent_agreement",
    "randolph_kappa",
    "ratio",
    "sums_of",
    "times",
]

METHOD_VERSION = "1"

#: Where 1 minus the agreement by chance is below this, everybody uses one label.
NO_CHANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    r"""Sums over items, with any leading dimensions (one for each replicate).

    Attributes
    ----------
    n_rated, n_pairable : ndarray, shape (...)
        Items with at least one, at least two judgements.
    shares : ndarray, shape (..., q)
        Sum of :math:`r_{ik}/r_i` over rated items.
    pairs : ndarray, shape (..., q, q)
        Sum over pairable items of the share of their ordered pairs of raters with labels (k, l):
        :math:`(r_{ik}r_{il}-\delta_{kl}r_{ik})/(r_i(r_i-1))`.
    coincidences : ndarray, shape (..., q, q)
        The same times :math:`r_i`: Krippendorff's coincidence matrix.
    """

    n_rated: FloatArray
    n_pairable: FloatArray
    shares: FloatArray
    pairs: FloatArray
    coincidences: FloatArray

    @property
    def marginals(self) -> FloatArray:
        r""":math:`\pi_k`: mean over rated items of the share of raters who chose label k; ``nan`` without items."""
        return ratio(self.shares, self.n_rated[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class RaterShares:
    """Shares of labels by rater, their sum over raters, and the number of ordered pairs of raters."""

    share: FloatArray
    whole: FloatArray
    n_pairs: FloatArray


def features(counts: IntArray) -> FloatArray:
    """Per-item features whose sums are :class:`Sums`: shape (n_items, 2 + q + 2 q²)."""
    rows = counts.astype(np.float64)
    n, size = rows.shape
    total = rows.sum(axis=1)
    pairable = total >= 2
    share = ratio(rows, total[:, None])
    both = rows[:, :, None] * rows[:, None, :]
    both[:, np.arange(size), np.arange(size)] -= rows
    with np.errstate(divide="ignore", invalid="ignore"):
        pair = np.where(pairable[:, None, None], both / (total * (total - 1))[:, None, None], 0.0)
    return np.concatenate(
        [
            (total >= 1)[:, None],
            pairable[:, None],
            np.nan_to_num(share),
            pair.reshape(n, size**2),
            (pair * total[:, None, None]).reshape(n, size**2),
        ],
        axis=1,
        dtype=np.float64,
    )


def sums_of(added: FloatArray, size: int) -> Sums:
    """Added features, shape (..., 2 + q + 2 q²), by name."""
    square = (*added.shape[:-1], size, size)
    after = 2 + size
    return Sums(
        n_rated=added[..., 0],
        n_pairable=added[..., 1],
        shares=added[..., 2:after],
        pairs=added[..., after : after + size**2].reshape(square),
        coincidences=added[..., after + size**2 :].reshape(square),
    )


def percent_agreement(sums: Sums, weights: FloatArray) -> FloatArray:
    r"""Weighted share of agreeing pairs of raters, mean over pairable items (Gwet 2014, eq. 2.9)."""
    return ratio(_weighed(sums.pairs, weights), sums.n_pairable)


def fleiss_kappa(sums: Sums, weights: FloatArray, agreement: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    r"""Fleiss' kappa, generalised to unequal numbers of raters as Gwet does: value and chance.

    :math:`p_e=\sum_{kl} w_{kl}\pi_k\pi_l`, with :math:`\pi` over all rated items, also those with one judgement.
    Equals Fleiss (1971) with equal numbers, and Scott's pi with two raters.
    """
    marginals = sums.marginals
    chance = _quadratic(marginals, weights)
    return _corrected(percent_agreement(sums, weights) if agreement is None else agreement, chance), chance


def gwet_ac(sums: Sums, weights: FloatArray, agreement: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    r"""Gwet's AC1 (identity weights) or AC2: value and chance.

    :math:`p_e=\frac{T_w}{q(q-1)}\sum_k\pi_k(1-\pi_k)` with q declared labels (Gwet 2014, eq. 4.16).
    """
    marginals, size = sums.marginals, len(weights)
    spread = added(marginals * (1 - marginals))
    chance = weights.sum() / (size * (size - 1)) * spread if size > 1 else np.ones_like(spread)
    return _corrected(percent_agreement(sums, weights) if agreement is None else agreement, chance), chance


def randolph_kappa(
    sums: Sums, weights: FloatArray, agreement: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    r"""Randolph's free-marginal kappa, Brennan-Prediger with weights: :math:`p_e=T_w/q^2`, q declared labels."""
    agreement = percent_agreement(sums, weights) if agreement is None else agreement
    chance = np.full_like(agreement, weights.sum() / len(weights) ** 2)
    return _corrected(agreement, chance), chance


def krippendorff_alpha(
    sums: Sums, scale: Scale, level: Level | None, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    r"""Krippendorff's alpha and the agreement expected by chance, :math:`1-D_e` scaled by the greatest difference.

    :math:`\alpha=1-D_o/D_e` over pairable items (Krippendorff 2011). With `weights` instead of a level the difference
    is :math:`1-w_{kl}`.
    """
    totals = added(sums.coincidences)
    n = added(totals)
    if weights is not None:
        apart = 1 - weights
    else:
        assert level is not None, "a level or weights say how far labels are apart"
        apart = squared_differences(scale, level, totals)
    if apart.ndim == 2:
        observed = ratio(_weighed(sums.coincidences, apart), n)
        expected = ratio(_quadratic(totals, apart), n * (n - 1))
    else:
        flat = (sums.coincidences * apart).reshape(*n.shape, -1)
        observed = ratio(added(flat), n)
        expected = ratio(added(added(apart * totals[..., None, :]) * totals), n * (n - 1))
    greatest = apart.reshape(*apart.shape[:-2], -1).max(axis=-1)
    chance = 1 - ratio(expected, np.broadcast_to(greatest, expected.shape))
    value = 1 - ratio(observed, np.where(expected > NO_CHANCE * np.maximum(greatest, 1e-300), expected, 0.0))
    return value, chance


def conger_shares(per_rater: FloatArray) -> RaterShares:
    """What Conger's kappa takes of the labels by rater, shape (..., n_raters, q), whatever the weights."""
    given = added(per_rater)
    share = np.nan_to_num(ratio(per_rater, given[..., None]))
    n = (given > 0).sum(axis=-1)
    return RaterShares(share, share.sum(axis=-2), (n * (n - 1)).astype(np.float64))


def conger_kappa(
    sums: Sums,
    per_rater: FloatArray | RaterShares,
    weights: FloatArray,
    agreement: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    r"""Conger's kappa, the multi-rater form of Cohen's: value and chance.

    Parameters
    ----------
    per_rater : ndarray, shape (..., n_raters, q), or what :func:`conger_shares` made of it
        How often each rater used each label.

    Notes
    -----
    :math:`p_e` is the mean over pairs of raters of :math:`\sum_{kl}w_{kl}p_{gk}p_{hl}` (Conger 1980). Raters without a
    judgement do not count.
    """
    shares = per_rater if isinstance(per_rater, RaterShares) else conger_shares(per_rater)
    chance = ratio(_quadratic(shares.whole, weights) - added(_quadratic(shares.share, weights)), shares.n_pairs)
    return _corrected(percent_agreement(sums, weights) if agreement is None else agreement, chance), chance


def added(values: FloatArray) -> FloatArray:
    """Sum along the last axis, which is short: as a product with ones, which is faster over many replicates."""
    return times(values, np.ones(values.shape[-1]))


def times(values: FloatArray, matrix: FloatArray) -> FloatArray:
    """The last axis times a vector or matrix: as one product, not as one for each of the first axes."""
    size = values.shape[-1]
    product = values.reshape(-1, size) @ matrix
    return np.asarray(product.reshape((*values.shape[:-1], *matrix.shape[1:])))


def _weighed(tables: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum of tables, shape (..., q, q), times weights."""
    return times(tables.reshape(*tables.shape[:-2], weights.size), weights.reshape(-1))


def _quadratic(shares: FloatArray, weights: FloatArray) -> FloatArray:
    r""":math:`\sum_{kl}w_{kl}p_kp_l` of shares of shape (..., q)."""
    return added(times(shares, weights) * shares)


def _corrected(agreement: FloatArray, chance: FloatArray) -> FloatArray:
    room = 1 - chance
    return ratio(agreement - chance, np.where(room > NO_CHANCE, room, 0.0))


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """The ratio; ``nan`` where the whole is 0 or unknown."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    is_known = whole > 0
    if is_known.all():
        return np.asarray(part / whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(is_known, part / whole, np.nan))
