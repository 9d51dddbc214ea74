"""A line for each rater: how much and what they say, and how far they agree with the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE, Judgements
from annotation.stats.dawid_skene import RaterModel
from annotation.stats.dispersion import entropy
from annotation.stats.items import counts_of, label_values
from annotation.stats.scales import FloatArray

__all__ = ["METHOD_VERSION", "RaterLine", "rater_table"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater on one dimension.

    Attributes
    ----------
    rater, kind : str
    n : int
        Labels given.
    counts : list of int
        Of each label.
    cannot_judge, not_applicable : int
    mean : float
        Mean value of the labels; ``nan`` without order.
    entropy : float
        Of the rater's own labels in bits: 0 for who always says the same.
    agreement : float
        Share of the other raters' labels on the same items that are the same; ``nan`` if nobody else judged them.
    accuracy : float
        Probability, by the rater model, that the rater says the true label; ``nan`` where not estimated.
    """

    rater: str
    kind: str
    n: int
    counts: list[int]
    cannot_judge: int
    not_applicable: int
    mean: float
    entropy: float
    agreement: float
    accuracy: float


def rater_table(judgements: Judgements, kinds: Mapping[str, str], model: RaterModel | None) -> tuple[RaterLine, ...]:
    """All raters in canonical order."""
    counts = counts_of(judgements)
    size, n_raters = judgements.scale.size, len(judgements.raters)
    given = judgements.code >= 0
    item, rater, code = (each[given] for each in (judgements.item, judgements.rater, judgements.code))
    mine = np.bincount(rater * size + code, minlength=n_raters * size).reshape(n_raters, size)
    same = np.bincount(rater, weights=counts[item, code] - 1, minlength=n_raters)
    others = np.bincount(rater, weights=counts[item].sum(axis=1) - 1, minlength=n_raters)
    bits, values = entropy(mine), label_values(judgements)
    accuracy = _accuracy(model, n_raters)
    special = [
        np.bincount(judgements.rater[judgements.code == c], minlength=n_raters) for c in (CANNOT_JUDGE, NOT_APPLICABLE)
    ]
    lines = []
    for place, name in enumerate(judgements.raters):
        n = int(mine[place].sum())
        lines.append(
            RaterLine(
                name,
                kinds.get(name, "human"),
                n,
                mine[place].tolist(),
                int(special[0][place]),
                int(special[1][place]),
                float(mine[place] @ values / n) if n and values is not None else float("nan"),
                float(bits[place]),
                float(same[place] / others[place]) if others[place] else float("nan"),
                float(accuracy[place]),
            )
        )
    return tuple(lines)


def _accuracy(model: RaterModel | None, n_raters: int) -> FloatArray:
    """Mean over labels, by their prevalence, of the chance to say the true one; labels never met are left out."""
    if model is None or model.undefined:
        return np.full(n_raters, np.nan)
    right = np.diagonal(model.error_rates, axis1=1, axis2=2)
    known = np.isfinite(right)
    weight = np.where(known, model.prevalence, 0.0)
    whole = weight.sum(axis=1)
    return np.asarray(
        np.divide((np.nan_to_num(right) * weight).sum(axis=1), whole, out=np.full(n_raters, np.nan), where=whole > 0)
    )
