"""What a report is made of: answers by dimension, and what is known of items and raters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotation.stats.codes import Judgements
from annotation.stats.designs import Resampling
from annotation.stats.dispersion import QuantileMethod
from annotation.stats.scales import BoolArray, FloatArray, IntArray
from annotation.stats.scorers import Scorer

__all__ = ["Material", "Settings", "Shown", "coded", "resampling_for", "without_items"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a report is computed; all of it is printed.

    Attributes
    ----------
    seed, replicates, level
        Of bootstraps and intervals; 0 replicates for none.
    most_in_pairs : int
        Pairs of raters are reported up to so many raters.
    entropy_base : float
    quantile_method : str
        How quartiles of Tukey's fences are interpolated.
    most_for_model : int
        The rater model is estimated of up to so many labels, those of items with equal answers counted once.
    """

    seed: int = 0
    replicates: int = 1000
    level: float = 0.95
    most_in_pairs: int = 12
    entropy_base: float = 2.0
    quantile_method: QuantileMethod = "linear"
    most_for_model: int = 200_000

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        if self.seed < 0 or self.replicates < 0 or not 0 < self.level < 1:
            raise ValueError("a seed and replicates are not negative, and a level lies between 0 and 1")


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How the sides of a preference were shown.

    Attributes
    ----------
    mirror : ndarray of int, shape (q,)
        The label that each label becomes when the texts change sides.
    swapped : ndarray of bool, shape (n_answers,)
        Whether the texts were shown the other way round, for each answer of the dimension.
    """

    mirror: IntArray
    swapped: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All answers, and what is known of items and raters.

    Attributes
    ----------
    dimensions : tuple of Judgements
    kinds : mapping of rater to "human" or "model"
        Who is not named is human.
    stratum : mapping of item to str
        Empty without strata.
    unit : mapping of item to str
        What is resampled together; empty if every item is its own unit.
    unit_name : str
        Such as "items", "pairs" or "references".
    covered : mapping of item to bool
    numbers : mapping of name to mapping of item to float
        Hidden numeric fields, such as a distance.
    weights : mapping of name to ndarray of float
        Agreement weights of the user, for dimensions that have so many labels.
    set_weights : mapping of dimension to mapping of name to ndarray of float
        Similarities of sets of labels, where a dimension allows several labels.
    scorers : tuple of Scorer
    adjudicated : mapping of dimension to mapping of item to label
    source : mapping of item to str
        Where an item comes from.
    repeats : mapping of item to item
        A blind repetition to its original. Repetitions count for test-retest alone.
    shown : mapping of dimension to Shown
        How sides were shown, where labels speak of sides.
    swaps : mapping of dimension to mapping of rater to (ndarray, ndarray)
        A judge's labels of the same items both ways round; negative is no label.
    groups : mapping of dimension to mapping of rater to group
        Sets of raters of their own, such as opinion groups.
    conditions : mapping of dimension to str
        On what answer to another dimension this one depends.
    """

    dimensions: tuple[Judgements, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)
    stratum: Mapping[str, str] = field(default_factory=dict)
    unit: Mapping[str, str] = field(default_factory=dict)
    unit_name: str = "items"
    covered: Mapping[str, bool] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    weights: Mapping[str, FloatArray] = field(default_factory=dict)
    set_weights: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict)
    scorers: tuple[Scorer, ...] = ()
    adjudicated: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    repeats: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    swaps: Mapping[str, Mapping[str, tuple[IntArray, IntArray]]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)


def resampling_for(judgements: Judgements, material: Material, settings: Settings) -> Resampling:
    """The units and strata of the items of one dimension.

    An item without a stratum is in the stratum "", one without a unit is a unit of its own.
    """
    strata = coded([material.stratum.get(item, "") for item in judgements.items]) if material.stratum else None
    unit = coded([_unit(item, material) for item in judgements.items]) if material.unit else None
    return Resampling(
        unit=None if unit is None else unit[1],
        unit_name=material.unit_name if material.unit else "items",
        strata=None if strata is None else strata[1],
        stratum_names=() if strata is None else strata[0],
        replicates=settings.replicates,
        seed=settings.seed,
        level=settings.level,
    )


def without_items(judgements: Judgements, left_out: Collection[str]) -> Judgements:
    """The judgements of all other items."""
    if not left_out:
        return judgements
    kept = np.array([item not in left_out for item in judgements.items], bool)
    place = np.cumsum(kept) - 1
    rows = kept[judgements.item]
    return replace(
        judgements,
        items=tuple(item for item in judgements.items if item not in left_out),
        item=place[judgements.item[rows]],
        rater=judgements.rater[rows],
        code=judgements.code[rows],
    )


def _unit(item: str, material: Material) -> str:
    known = material.unit.get(item)
    return f"unit {known}" if known else f"item {item}"


def coded(values: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Distinct values in ascending order, and the index of each."""
    names = tuple(sorted(set(values)))
    index_of = {name: index for index, name in enumerate(names)}
    return names, np.fromiter(map(index_of.__getitem__, values), np.int64, len(values))
