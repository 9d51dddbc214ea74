"""Subsets of items that raters found alike in quality or disagreed about: rules by name, more of which can be added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.stats.dispersion import QuantileMethod, disagreement, entropy, top_share, tukey_kept
from annotation.stats.scales import BoolArray, FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "RULES_OF_PREFERENCES",
    "RULES_OF_RATINGS",
    "Rated",
    "Rule",
    "sides_of",
    "similar_pairs",
    "tukey_rule",
]

METHOD_VERSION = "1"

Kind = Literal["similar", "disagreed"]


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """What a rule may look at.

    Attributes
    ----------
    counts : ndarray of int, shape (n_items, q)
        How many human raters chose each label.
    means : ndarray of float, shape (n_items,)
    quantile_method : str
    """

    counts: IntArray
    means: FloatArray
    quantile_method: QuantileMethod = "linear"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that keeps some items.

    Attributes
    ----------
    name : str
    kind : "similar" or "disagreed"
    parameter : float
        The constant or share, for axes and tables.
    keep : callable
        From :class:`Rated` to a boolean array, shape (n_items,).
    """

    name: str
    kind: Kind
    parameter: float
    keep: Callable[[Rated], BoolArray]


def tukey_rule(k: float) -> Rule:
    """Items whose mean rating lies within Tukey's fences with the constant `k`."""
    return Rule(f"Tukey k={k:g}", "similar", k, lambda rated: tukey_kept(rated.means, k, method=rated.quantile_method))


def entropy_rule(share: float) -> Rule:
    """The share of items with the highest entropy of labels."""
    return Rule(f"entropy top {share:.0%}", "disagreed", share, lambda rated: top_share(entropy(rated.counts), share))


def similar_rule(share: float) -> Rule:
    """The share of pairs that most raters found alike."""
    return Rule(
        f"similar top {share:.0%}", "similar", share, lambda rated: top_share(similar_pairs(rated.counts), share)
    )


def disagreed_rule(share: float) -> Rule:
    """The share of pairs with the highest probability of disagreement."""
    return Rule(
        f"disagreed top {share:.0%}",
        "disagreed",
        share,
        lambda rated: top_share(disagreement(*sides_of(rated.counts)), share),
    )


def sides_of(counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """How many preferred the first, the second and neither: labels in order, a middle one among odd numbers the tie."""
    half = counts.shape[1] // 2
    first, second = counts[:, :half].sum(axis=1), counts[:, counts.shape[1] - half :].sum(axis=1)
    return first, second, counts.sum(axis=1) - first - second


def similar_pairs(counts: IntArray) -> FloatArray:
    """Share of raters who found the two alike: the tie, or without a tie the two middle labels; ``nan`` without any."""
    size = counts.shape[1]
    middle = counts[:, (size - 1) // 2 : size // 2 + 1].sum(axis=1)
    total = counts.sum(axis=1)
    return np.asarray(np.divide(middle, total, out=np.full(len(counts), np.nan), where=total > 0))


def _steps(first: int, last: int, step: int) -> Sequence[float]:
    return [percent / 100 for percent in range(first, last + 1, step)]


#: Of the Artificial Hivemind paper: absolute ratings, k 0.5 to 3.0 and the 2 to 16 % of highest entropy.
RULES_OF_RATINGS: tuple[Rule, ...] = (
    *(tukey_rule(k) for k in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)),
    *(entropy_rule(share) for share in _steps(2, 16, 2)),
)
#: Of the same paper: preferences, the 60 to 95 % most alike and most disagreed about.
RULES_OF_PREFERENCES: tuple[Rule, ...] = (
    *(similar_rule(share) for share in _steps(60, 95, 5)),
    *(disagreed_rule(share) for share in _steps(60, 95, 5)),
)
