"""Raters and scores against the adjudicated label: who confuses what with what, by source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.stats.association import Auc, auc
from annotation.stats.codes import CANNOT_JUDGE, Judgements
from annotation.stats.cohen import cohen_kappa
from annotation.stats.items import label_values
from annotation.stats.rates import Rate, wilson
from annotation.stats.scales import FloatArray

__all__ = ["METHOD_VERSION", "AgainstAdjudicated", "against_adjudicated", "scores_against_adjudicated"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class AgainstAdjudicated:
    """A rater, or a score, against adjudicated labels on the items of one source.

    Attributes
    ----------
    rater, source : str
        The source "" is all items.
    labels : tuple of str
    confusion : list of lists of int
        Rows are adjudicated labels, columns the rater's; empty for a score.
    n, n_without : int
        Adjudicated items that the rater gave a label, and those given none.
    accuracy : Rate or None
    kappa : float
        Cohen's, ``nan`` where undefined.
    auc : Auc or None
        Of the rater's value, or the score, for telling matches from others; None without order or matches.
    """

    rater: str
    source: str
    labels: tuple[str, ...]
    confusion: list[list[int]]
    n: int
    n_without: int
    accuracy: Rate | None
    kappa: float
    auc: Auc | None


def against_adjudicated(
    judgements: Judgements, adjudicated: Mapping[str, str], source: Mapping[str, str], *, level: float = 0.95
) -> tuple[AgainstAdjudicated, ...]:
    """Every rater against the adjudicated labels, on all items and by source."""
    truth, sources = _truth(judgements, adjudicated), _sources(judgements, source)
    found = []
    for place, rater in enumerate(judgements.raters):
        said = np.full(len(judgements.items), CANNOT_JUDGE, np.int64)
        mine = judgements.rater == place
        said[judgements.item[mine]] = judgements.code[mine]
        for name, inside in sources.items():
            mask = inside & (truth >= 0)
            if mask.any():
                found.append(_of_rater(judgements, rater, name, truth[mask], said[mask], level))
    return tuple(found)


def scores_against_adjudicated(
    judgements: Judgements,
    adjudicated: Mapping[str, str],
    source: Mapping[str, str],
    scores: Mapping[str, FloatArray],
    *,
    level: float = 0.95,
) -> tuple[AgainstAdjudicated, ...]:
    """How well scores, by name, tell adjudicated matches from other items, on all items and by source."""
    if not judgements.matches:
        return ()
    truth, sources = _truth(judgements, adjudicated), _sources(judgements, source)
    hit = np.isin(np.asarray(judgements.scale.labels), judgements.matches)
    found = []
    for score, values in sorted(scores.items()):
        for name, inside in sources.items():
            mask = inside & (truth >= 0)
            if mask.any():
                area = auc(values[mask], hit[truth[mask]], level=level)
                n = area.n_positive + area.n_negative
                labels = judgements.scale.labels
                found.append(
                    AgainstAdjudicated(score, name, labels, [], n, int(mask.sum()) - n, None, float("nan"), area)
                )
    return tuple(found)


def _truth(judgements: Judgements, adjudicated: Mapping[str, str]) -> np.ndarray:
    code_of = {label: code for code, label in enumerate(judgements.scale.labels)}
    return np.array([code_of.get(adjudicated.get(item, ""), -1) for item in judgements.items], np.int64)


def _sources(judgements: Judgements, source: Mapping[str, str]) -> dict[str, np.ndarray]:
    of_item = np.array([source.get(item, "") for item in judgements.items], dtype=object)
    named = sorted({name for name in of_item.tolist() if name})
    return {"": np.ones(len(judgements.items), bool), **{name: of_item == name for name in named}}


def _of_rater(
    judgements: Judgements, rater: str, name: str, truth: np.ndarray, said: np.ndarray, level: float
) -> AgainstAdjudicated:
    size = judgements.scale.size
    given = said >= 0
    table = np.bincount(truth[given] * size + said[given], minlength=size**2).reshape(size, size)
    n = int(given.sum())
    values = label_values(judgements)
    area = None
    if values is not None and judgements.matches:
        hit = np.isin(np.asarray(judgements.scale.labels), judgements.matches)
        area = auc(np.where(given, values[np.maximum(said, 0)], np.nan), hit[truth], level=level)
    return AgainstAdjudicated(
        rater,
        name,
        judgements.scale.labels,
        table.tolist(),
        n,
        len(truth) - n,
        wilson(int(np.trace(table)), n, level=level),
        float(cohen_kappa(table.astype(np.float64), np.eye(size))[0]) if n else float("nan"),
        area,
    )
