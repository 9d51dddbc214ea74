"""Machines that score items, against what people say: on all items, on those alike, on those disagreed about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.stats.association import Correlation, pearson
from annotation.stats.scales import FloatArray
from annotation.stats.subsets import Rated, Rule

__all__ = ["METHOD_VERSION", "ClassMean", "Scorer", "ScorerCorrelations", "scorer_correlations", "standardised"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Scores of one machine.

    Attributes
    ----------
    name, family : str
        The family is "perplexity", "reward", "judge" or "other".
    higher_is_better : bool
        Scores of which lower is better are turned round before they are correlated.
    scores : mapping of item to float
        Of items as wholes.
    pairs : mapping of item to (float, float)
        Of the two texts of an item: what is correlated is first minus second.
    """

    name: str
    family: str = "other"
    higher_is_better: bool = True
    scores: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def values(self, items: Sequence[str]) -> FloatArray:
        """What is correlated: scores, or differences of the two texts; ``nan`` where there is none."""
        sign = 1.0 if self.higher_is_better else -1.0
        if self.pairs:
            both = [self.pairs.get(item) for item in items]
            return np.array([np.nan if pair is None else sign * (pair[0] - pair[1]) for pair in both])
        return np.array([sign * self.scores.get(item, np.nan) for item in items])

    def both(self, items: Sequence[str]) -> FloatArray:
        """Scores of the two texts, shape (n_items, 2), for standardising over all texts."""
        sign = 1.0 if self.higher_is_better else -1.0
        nothing = (np.nan, np.nan)
        return sign * np.array([self.pairs.get(item, nothing) for item in items]).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class ScorerCorrelations:
    """Pearson's correlation of one scorer with the mean human rating, by subset of items ("all" first)."""

    scorer: str
    family: str
    is_of_pairs: bool
    subsets: dict[str, Correlation]


@dataclass(frozen=True, slots=True)
class ClassMean:
    """Mean correlation over the scorers of a class, of those with a value; ``nan`` with a reason if none has."""

    family: str
    subset: str
    value: float
    n_scorers: int
    n_undefined: int
    reason: str | None = None


def standardised(values: FloatArray) -> FloatArray:
    """Values minus their mean over their standard deviation (n - 1), over the known ones; ``nan`` if they are equal."""
    known = values[np.isfinite(values)]
    spread = float(known.std(ddof=1)) if known.size > 1 else 0.0
    return (values - known.mean()) / spread if spread > 0 else np.full(values.shape, np.nan)


def scorer_correlations(
    scorers: Sequence[Scorer],
    items: Sequence[str],
    human: FloatArray,
    rated: Rated,
    rules: Sequence[Rule],
    *,
    level: float = 0.95,
) -> tuple[tuple[ScorerCorrelations, ...], tuple[ClassMean, ...]]:
    """Correlations of every scorer on all items and each subset, and their means by class.

    Parameters
    ----------
    human : ndarray of float, shape (n_items,)
        Mean human value; for pairs its sign is that of "the first is better".
    """
    masks = {"all": np.ones(len(items), bool), **{rule.name: rule.keep(rated) for rule in rules}}
    found = []
    for scorer in scorers:
        values = scorer.values(items)
        subsets = {name: pearson(values[mask], human[mask], level=level) for name, mask in masks.items()}
        found.append(ScorerCorrelations(scorer.name, scorer.family, bool(scorer.pairs), subsets))
    families = sorted({each.family for each in found})
    means = [_mean(family, subset, found) for family in families for subset in masks]
    return tuple(found), tuple(means)


def _mean(family: str, subset: str, found: Sequence[ScorerCorrelations]) -> ClassMean:
    values = [each.subsets[subset].value for each in found if each.family == family]
    known = [value for value in values if np.isfinite(value)]
    reason = None if known else "zero_variance"
    return ClassMean(
        family, subset, float(np.mean(known)) if known else float("nan"), len(known), len(values) - len(known), reason
    )
