"""What stands beside the coefficients of a dimension: rates, directions, correlations, votes, raters, positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.stats.adjudicated import AgainstAdjudicated, against_adjudicated, scores_against_adjudicated
from annotation.stats.association import Correlation, spearman
from annotation.stats.codes import CANNOT_JUDGE, MISSING, NOT_APPLICABLE, Judgements
from annotation.stats.dawid_skene import RaterModel, dawid_skene
from annotation.stats.designs import Resampling, distinct_rows
from annotation.stats.dispersion import disagreement
from annotation.stats.items import counts_of, label_values, mean_values
from annotation.stats.matches import Direction, MatchRates, direction, match_rates
from annotation.stats.material import Material, Settings
from annotation.stats.plain import plain
from annotation.stats.positions import PositionBias, SwapConsistency, position_bias, swap_consistency
from annotation.stats.ratersets import RaterSet
from annotation.stats.ratertable import RaterLine, rater_table
from annotation.stats.retest import Retest, retests
from annotation.stats.scales import FloatArray
from annotation.stats.scorers import ClassMean, ScorerCorrelations, scorer_correlations
from annotation.stats.subsets import RULES_OF_PREFERENCES, RULES_OF_RATINGS, Rated, Rule, sides_of
from annotation.stats.votes import VoteShares, majority_shares

__all__ = ["METHOD_VERSION", "Beside", "Conditional", "beside"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Conditional:
    """A dimension that is asked after some answers to another alone.

    Attributes
    ----------
    condition : str
    n_asked : int
        Answers that are not "not applicable": the conditional n.
    n_not_applicable : int
    """

    condition: str
    n_asked: int
    n_not_applicable: int


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Everything beside the coefficients of one dimension; empty where the data do not allow it.

    Attributes
    ----------
    rates : strict-match rates
    directions : of all raters and of people alone
    numbers : Spearman's correlation of the mean value with each hidden number, by set of raters
    subsets : rule to number of items that it keeps
    scorers, classes : correlations with the mean of human ratings, and their means by class
    votes : over all raters' labels
    model : Dawid and Skene's
    raters : a line each
    adjudicated : raters, numbers and scorers against adjudicated labels
    positions : preferences by position shown
    swaps : judges asked both ways
    retests : of blind repetitions
    conditional : of a dimension that depends on another
    disagreement : probability of disagreement of each item, of preferences
    """

    rates: tuple[MatchRates, ...]
    directions: tuple[Direction, ...]
    numbers: dict[str, dict[str, Correlation]]
    subsets: dict[str, int]
    scorers: tuple[ScorerCorrelations, ...]
    classes: tuple[ClassMean, ...]
    votes: VoteShares
    model: RaterModel | None
    raters: tuple[RaterLine, ...]
    adjudicated: tuple[AgainstAdjudicated, ...]
    positions: tuple[PositionBias, ...]
    swaps: tuple[SwapConsistency, ...]
    retests: tuple[Retest, ...]
    conditional: Conditional | None
    disagreement: FloatArray | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}


def beside(
    whole: Judgements,
    judgements: Judgements,
    material: Material,
    sets: Sequence[RaterSet],
    resampling: Resampling,
    settings: Settings,
    rules: Sequence[Rule] | None = None,
) -> Beside:
    """Compute what the data allow.

    Parameters
    ----------
    whole, judgements : Judgements
        With and without blind repetitions.
    rules : sequence of Rule, optional
        Subsets of items; by default those of the Artificial Hivemind paper for ratings or preferences.
    """
    level = settings.level
    humans = next((each for each in sets if each.name == "humans"), sets[0])
    shown = material.shown.get(judgements.dimension)
    values = label_values(judgements)
    counts = counts_of(judgements, None if humans is sets[0] else humans.raters)
    means = {each.name: _means(judgements, each, values) for each in dict.fromkeys((sets[0], humans))}
    if rules is None:
        rules = RULES_OF_PREFERENCES if shown is not None else RULES_OF_RATINGS
    rated = Rated(counts, means[humans.name], settings.quantile_method)
    # Labels of preferences run from the first text to the second: a score speaks for the first.
    towards = -1.0 if shown is not None and values is not None and values[-1] > values[0] else 1.0
    has_order = values is not None
    scorers, classes = (
        scorer_correlations(material.scorers, judgements.items, towards * means[humans.name], rated, rules, level=level)
        if has_order and material.scorers
        else ((), ())
    )
    model = _model(judgements, settings)
    found = (
        direction(judgements, each, means[each.name], resampling, material.covered) for each in _both(sets, humans)
    )
    return Beside(
        rates=match_rates(judgements, sets, resampling, material.covered),
        directions=tuple(each for each in found if each is not None),
        numbers=_numbers(judgements, material, means, level) if has_order else {},
        subsets={rule.name: int(rule.keep(rated).sum()) for rule in rules} if has_order else {},
        scorers=scorers,
        classes=classes,
        votes=majority_shares(counts_of(judgements), judgements.scale.labels),
        model=model,
        raters=rater_table(judgements, material.kinds, model) if judgements.knows_raters else (),
        adjudicated=_adjudicated(judgements, material, level),
        positions=_positions(whole, material, sets, level),
        swaps=_swaps(judgements, material, level),
        retests=retests(whole, material.repeats, level=level),
        conditional=_conditional(judgements, material),
        disagreement=disagreement(*sides_of(counts)) if shown is not None else None,
    )


def _both(sets: Sequence[RaterSet], humans: RaterSet) -> list[RaterSet]:
    return list(dict.fromkeys((sets[0], humans)))


def _means(judgements: Judgements, raters: RaterSet, values: FloatArray | None) -> FloatArray:
    members = None if raters.kind == "all" else raters.raters
    return mean_values(counts_of(judgements, members), values)


def _numbers(
    judgements: Judgements, material: Material, means: dict[str, FloatArray], level: float
) -> dict[str, dict[str, Correlation]]:
    found = {}
    for name, of_item in sorted(material.numbers.items()):
        numbers = np.array([of_item.get(item, np.nan) for item in judgements.items], np.float64)
        if np.isfinite(numbers).any():
            found[name] = {raters: spearman(mean, numbers, level=level) for raters, mean in means.items()}
    return found


def _model(judgements: Judgements, settings: Settings) -> RaterModel | None:
    """The rater model; None where raters are not known or labels are too many. Items with equal answers are one."""
    if not judgements.knows_raters or not judgements.fits_a_matrix or len(judgements.raters) < 2:
        return None
    rows, row = distinct_rows(np.maximum(judgements.matrix(), MISSING))
    item, rater = np.nonzero(rows >= 0)
    if len(item) > settings.most_for_model:
        return None
    often = np.bincount(row, minlength=len(rows))
    size = (len(rows), len(judgements.raters))
    found = dawid_skene(
        item, rater, rows[item, rater], judgements.scale, n_items=size[0], n_raters=size[1], often=often
    )
    return replace(found, posterior=found.posterior[row], most_likely=found.most_likely[row])


def _adjudicated(judgements: Judgements, material: Material, level: float) -> tuple[AgainstAdjudicated, ...]:
    truth = material.adjudicated.get(judgements.dimension)
    if not truth:
        return ()
    items = judgements.items
    scores = {name: np.array([of.get(item, np.nan) for item in items]) for name, of in material.numbers.items()}
    scores |= {each.name: each.values(items) for each in material.scorers}
    return (
        *against_adjudicated(judgements, truth, material.source, level=level),
        *scores_against_adjudicated(judgements, truth, material.source, scores, level=level),
    )


def _positions(
    whole: Judgements, material: Material, sets: Sequence[RaterSet], level: float
) -> tuple[PositionBias, ...]:
    shown = material.shown.get(whole.dimension)
    if shown is None:
        return ()
    groups = [(each.name, each.raters) for each in sets if not each.is_pair]
    groups += [(rater, (place,)) for place, rater in enumerate(whole.raters)]
    return tuple(
        position_bias(whole, shown.mirror, shown.swapped, raters, name, level=level) for name, raters in groups
    )


def _swaps(judgements: Judgements, material: Material, level: float) -> tuple[SwapConsistency, ...]:
    found = material.swaps.get(judgements.dimension, {})
    return tuple(swap_consistency(rater, *codes, level=level) for rater, codes in sorted(found.items()))


def _conditional(judgements: Judgements, material: Material) -> Conditional | None:
    n_outside = int((judgements.code == NOT_APPLICABLE).sum())
    condition = material.conditions.get(judgements.dimension, "")
    if not condition and not n_outside:
        return None
    return Conditional(condition, int((judgements.code >= CANNOT_JUDGE).sum()), n_outside)
