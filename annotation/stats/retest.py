"""Whether raters say the same of an item that came a second time, unknown to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.stats.codes import Judgements
from annotation.stats.coefficients import weightings
from annotation.stats.cohen import cohen_kappa
from annotation.stats.policies import policy_named
from annotation.stats.rates import Rate, wilson

__all__ = ["METHOD_VERSION", "Retest", "retests"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Retest:
    """One rater's two answers to repeated items.

    Attributes
    ----------
    rater : str
        "" for all raters together.
    n_repeated, n : int
        Repeated items the rater answered both times, and those with a label both times.
    same : Rate
    kappa : dict of weights to float
        Cohen's of first and second answer; ``nan`` where undefined.
    """

    rater: str
    n_repeated: int
    n: int
    same: Rate
    kappa: dict[str, float]


def retests(judgements: Judgements, repeats: Mapping[str, str], *, level: float = 0.95) -> tuple[Retest, ...]:
    """Test-retest agreement of all raters together, then of each.

    Parameters
    ----------
    judgements : Judgements
        With repeated items among the items.
    repeats : mapping of item to item
        The repetition to its original.
    """
    place = {item: number for number, item in enumerate(judgements.items)}
    pairs = [(place[first], place[again]) for again, first in sorted(repeats.items()) if {first, again} <= place.keys()]
    if not pairs:
        return ()
    code_of = {
        (i, r): c
        for i, r, c in zip(judgements.item.tolist(), judgements.rater.tolist(), judgements.code.tolist(), strict=True)
    }
    answers = {
        rater: [
            (code_of[first, number], code_of[again, number])
            for first, again in pairs
            if (first, number) in code_of and (again, number) in code_of
        ]
        for number, rater in enumerate(judgements.raters)
    }
    everybody = [pair for some in answers.values() for pair in some]
    return tuple(
        _retest(judgements, rater, np.array(some, np.int64).reshape(-1, 2), level)
        for rater, some in [("", everybody), *answers.items()]
        if some
    )


def _retest(judgements: Judgements, rater: str, codes: np.ndarray, level: float) -> Retest:
    size = judgements.scale.size
    both = codes[(codes >= 0).all(axis=1)]
    table = np.bincount(both[:, 0] * size + both[:, 1], minlength=size**2).reshape(size, size).astype(np.float64)
    kappa = {
        name: float(cohen_kappa(table, weights)[0]) if len(both) else float("nan")
        for name, weights in weightings(policy_named("missing", judgements))
    }
    same = wilson(int((both[:, 0] == both[:, 1]).sum()), len(both), level=level)
    return Retest(rater, len(codes), len(both), same, kappa)
