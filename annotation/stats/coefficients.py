"""All coefficients of several sets of raters at once, on the data and on every replicate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.stats.cohen import cohen_kappa
from annotation.stats.policies import Policy
from annotation.stats.ratersets import RaterSet
from annotation.stats.scales import FloatArray, IntArray, Level, agreement_weights
from annotation.stats.sums import (
    Sums,
    conger_kappa,
    conger_shares,
    features,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    randolph_kappa,
    sums_of,
)

__all__ = [
    "FLEISS",
    "METHOD_VERSION",
    "Columns",
    "Values",
    "Weighting",
    "alpha_levels",
    "columns_of",
    "computed",
    "weightings",
]

METHOD_VERSION = "1"

FLEISS = "fleiss"
"""Stands for the name that Fleiss' formula has with these raters, which each cell finds out."""

#: Conger's kappa looks at each rater; with more of them it has a value and no bootstrap.
MOST_RATERS_DRAWN = 30

Weighting = tuple[str, FloatArray]


def weightings(policy: Policy, extra: Mapping[str, FloatArray] | None = None) -> tuple[Weighting, ...]:
    """Agreement weights that make sense under a policy, by name; none is named "identity".

    Weights of the user are for the declared labels, and so are left out where a policy changes the labels.
    """
    size = policy.scale.size
    named: list[Weighting] = [("identity", agreement_weights("identity", size))]
    if policy.scale.level != "nominal":
        named += [(name, agreement_weights(name, size)) for name in ("linear", "quadratic", "ordinal")]
    named += [(name, matrix) for name, matrix in (extra or {}).items() if len(matrix) == size]
    return tuple(named)


def alpha_levels(level: Level) -> tuple[Level, ...]:
    """For which levels Krippendorff's alpha is computed."""
    order: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
    return order[: order.index(level) + 1]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The features of one set of raters under one policy, and where they stand among all features.

    Attributes
    ----------
    raters : RaterSet
    labels : ndarray of int, shape (n_rows, n_raters)
        Labels under the policy.
    counts : ndarray of int, shape (n_rows, q)
    features : ndarray of float, shape (n_rows, n_features)
        Those of :func:`annotation.stats.sums.features`; then the table of a pair, or the labels by rater.
    start : int
    has_raters : bool
        Whether labels by rater are among them.
    row : ndarray of int, shape (n_items,)
        Which row each item has.
    knows_raters : bool
        Whether the columns of `labels` are the raters.
    """

    raters: RaterSet
    labels: IntArray
    counts: IntArray
    features: FloatArray
    start: int
    has_raters: bool
    row: IntArray
    knows_raters: bool

    @property
    def stop(self) -> int:
        """The column after the last."""
        return self.start + int(self.features.shape[1])


def columns_of(
    answers: IntArray, raters: RaterSet, policy: Policy, *, row: IntArray, start: int, knows_raters: bool
) -> Columns:
    """Features of distinct rows of answers of one set of raters.

    Parameters
    ----------
    answers : ndarray of int, shape (n_rows, n_raters)
        Codes of the raters of the set, in its order.
    row : ndarray of int, shape (n_items,)
        Which row each item has.
    start : int
        The first column.
    knows_raters : bool
        Whether the columns of `answers` are the raters.
    """
    size = policy.scale.size
    labels = policy.applied(answers)
    counts = np.stack([(labels == label).sum(axis=1) for label in range(size)], axis=1).astype(np.int64)
    parts = [features(counts)]
    has_raters = False
    if knows_raters and raters.is_pair:
        both = (labels >= 0).all(axis=1)
        cell = np.where(both, labels[:, 0] * size + labels[:, 1], -1)
        parts.append((cell[:, None] == np.arange(size**2)).astype(np.float64))
    elif knows_raters and len(raters.raters) <= MOST_RATERS_DRAWN:
        has_raters = True
        parts.append((labels[:, :, None] == np.arange(size)).reshape(len(labels), -1).astype(np.float64))
    return Columns(raters, labels, counts, np.concatenate(parts, axis=1), start, has_raters, row, knows_raters)


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One coefficient of several sets of raters.

    Attributes
    ----------
    name : str
        Without its weights.
    weights : str
        "identity", a kind of weights, or the level of alpha.
    value, chance : ndarray of float, shape (1 + replicates, n_sets)
        First on the data.
    sets : tuple of int
        Which of the sets they are.
    """

    name: str
    weights: str
    value: FloatArray
    chance: FloatArray
    sets: tuple[int, ...]


def computed(
    added: FloatArray, columns: Sequence[Columns], policy: Policy, named_weights: Sequence[Weighting]
) -> Iterator[Values]:
    """All coefficients from sums of features, shape (1 + replicates, n_features)."""
    size = policy.scale.size
    every = tuple(range(len(columns)))
    width = 2 + size + 2 * size**2
    sums = _contiguous(sums_of(np.stack([added[:, each.start : each.start + width] for each in columns], axis=1), size))
    nothing = np.full(sums.n_rated.shape, np.nan)
    for name, weights in named_weights:
        agreement = percent_agreement(sums, weights)
        yield Values("percent_agreement", name, agreement, nothing, every)
        yield Values(FLEISS, name, *fleiss_kappa(sums, weights, agreement), every)
        yield Values("gwet_ac", name, *gwet_ac(sums, weights, agreement), every)
        yield Values("randolph_kappa", name, *randolph_kappa(sums, weights, agreement), every)
        if name != "identity":
            yield Values(
                "krippendorff_alpha_weighted", name, *krippendorff_alpha(sums, policy.scale, None, weights), every
            )
    for level in alpha_levels(policy.scale.level):
        yield Values("krippendorff_alpha", level, *krippendorff_alpha(sums, policy.scale, level), every)
    yield from _by_rater(added, columns, size, named_weights, sums)


def _by_rater(
    added: FloatArray, columns: Sequence[Columns], size: int, named_weights: Sequence[Weighting], sums: Sums
) -> Iterator[Values]:
    """Coefficients that look at who said what: Cohen's of pairs, Conger's of the others."""
    width = 2 + size + 2 * size**2
    pairs = [place for place, each in enumerate(columns) if each.raters.is_pair]
    if pairs:
        tables = np.stack([added[:, columns[p].start + width : columns[p].stop] for p in pairs], axis=1)
        tables = tables.reshape(*tables.shape[:-1], size, size)
        for name, weights in named_weights:
            yield Values("cohen_kappa", name, *cohen_kappa(tables, weights), tuple(pairs))
    for place, each in enumerate(columns):
        if each.has_raters:
            of_set = _only(sums, place)
            table = added[:, each.start + width : each.stop].reshape(len(added), len(each.raters.raters), size)
            by_rater = conger_shares(np.ascontiguousarray(table))
            for name, weights in named_weights:
                value, chance = conger_kappa(of_set, by_rater, weights)
                yield Values("conger_kappa", name, value[:, None], chance[:, None], (place,))


def _contiguous(sums: Sums) -> Sums:
    """The same in arrays of their own, through which products go faster."""
    parts = (sums.n_rated, sums.n_pairable, sums.shares, sums.pairs, sums.coincidences)
    return Sums(*(np.ascontiguousarray(part) for part in parts))


def _only(sums: Sums, place: int) -> Sums:
    return Sums(
        sums.n_rated[:, place],
        sums.n_pairable[:, place],
        sums.shares[:, place],
        sums.pairs[:, place],
        sums.coincidences[:, place],
    )
