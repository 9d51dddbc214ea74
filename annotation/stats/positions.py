"""Whether it matters which text stands first: preferences by position, and judges asked both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from annotation.stats.codes import Judgements
from annotation.stats.rates import Rate, wilson
from annotation.stats.scales import BoolArray, IntArray

__all__ = ["METHOD_VERSION", "PositionBias", "SwapConsistency", "position_bias", "swap_consistency"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How often the text shown first was preferred.

    Attributes
    ----------
    raters : str
    first, second, neither : int
    share : Rate
        Of the first among both, with Wilson's interval.
    p_value : float
        Of the exact two-sided sign test that both are as likely; ``nan`` without a preference.
    """

    raters: str
    first: int
    second: int
    neither: int
    share: Rate
    p_value: float


@dataclass(frozen=True, slots=True)
class SwapConsistency:
    """How often a judge says the same with the texts the other way round.

    Attributes
    ----------
    rater : str
    same : Rate
        Equal labels among those given both ways.
    n_without : int
        Items asked both ways with no label on one of them.
    """

    rater: str
    same: Rate
    n_without: int


def sign_test(first: int, second: int) -> float:
    """Two-sided exact p-value of a binomial with probability 1/2."""
    n = first + second
    if not n:
        return float("nan")
    return min(1.0, 2 * float(special.bdtr(min(first, second), n, 0.5)))


def position_bias(
    judgements: Judgements,
    mirror: IntArray,
    swapped: BoolArray,
    raters: Sequence[int],
    name: str,
    *,
    level: float = 0.95,
) -> PositionBias:
    """Preferences by the position shown.

    Parameters
    ----------
    mirror : ndarray of int, shape (q,)
        The label that each label becomes when the texts change sides; itself if it speaks of no side.
    swapped : ndarray of bool, shape (n_answers,)
        Whether the texts were shown the other way round.
    raters : sequence of int
    """
    mine = np.isin(judgements.rater, np.asarray(raters)) & (judgements.code >= 0)
    code, turned = judgements.code[mine], swapped[mine]
    # Labels run from "the first is better" to "the second is better".
    side = np.sign(mirror[code] - code) * np.where(turned, -1, 1)
    first, second = int((side > 0).sum()), int((side < 0).sum())
    share = wilson(first, first + second, level=level)
    return PositionBias(name, first, second, int((side == 0).sum()), share, sign_test(first, second))


def swap_consistency(rater: str, once: IntArray, again: IntArray, *, level: float = 0.95) -> SwapConsistency:
    """Labels of one judge on the same items both ways round; negative is no label."""
    both = (once >= 0) & (again >= 0)
    same = wilson(int((once[both] == again[both]).sum()), int(both.sum()), level=level)
    return SwapConsistency(rater, same, int((~both).sum()))
