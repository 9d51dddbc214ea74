"""The agreement report: every dimension, stratum, set of raters and policy, and what goes with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from annotation.stats.beside import Beside, beside
from annotation.stats.categories import category_kappas
from annotation.stats.cells import Cell, agreement_cells
from annotation.stats.codes import Codes, Judgements
from annotation.stats.designs import Resampling
from annotation.stats.estimates import REASONS, Estimate
from annotation.stats.items import ItemTable, item_table
from annotation.stats.material import Material, Settings, resampling_for, without_items
from annotation.stats.plain import plain
from annotation.stats.policies import POLICIES, policies_for
from annotation.stats.pooled import pooled_material
from annotation.stats.ratersets import RaterSet, rater_sets
from annotation.stats.subsets import Rule

__all__ = ["FORMAT", "METHOD_VERSION", "AgreementReport", "DimensionReport", "agreement_report"]

METHOD_VERSION = "1"
FORMAT = "polyphony agreement report 1"

MODULES = (
    "adjudicated",
    "analytic",
    "association",
    "beside",
    "bootstrap",
    "categories",
    "cells",
    "coefficients",
    "cohen",
    "dawid_skene",
    "designs",
    "dispersion",
    "estimating",
    "icc",
    "items",
    "labelsets",
    "matches",
    "policies",
    "pooled",
    "positions",
    "rates",
    "ratertable",
    "report",
    "retest",
    "scales",
    "scorers",
    "subsets",
    "sums",
    "votes",
)

Tell = Callable[[int, int, str], None]

#: Above so many items the report lists none of them: the table of items is exported beside it.
MOST_ITEMS_LISTED = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class DimensionReport:
    """Everything about one dimension.

    Attributes
    ----------
    judgements : Judgements
    resampling : Resampling
    sets : tuple of RaterSet
    policies : tuple of str
        The primary one first.
    cells : tuple of Cell
    categories : tuple of Estimate
        Fleiss' kappa of each label, all raters and items, cannot judge missing.
    items : ItemTable
    beside : Beside
    """

    judgements: Judgements
    resampling: Resampling
    sets: tuple[RaterSet, ...]
    policies: tuple[str, ...]
    cells: tuple[Cell, ...]
    categories: tuple[Estimate, ...]
    items: ItemTable
    beside: Beside

    def cell(self, *, stratum: str | None = None, raters: str = "all", policy: str | None = None) -> Cell:
        """One cell; the primary policy if none is named."""
        wanted = (stratum, raters, policy or self.policies[0])
        return next(cell for cell in self.cells if (cell.stratum, cell.raters.name, cell.policy) == wanted)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        scale = self.judgements.scale
        return {
            "dimension": self.judgements.dimension,
            "scale": {
                "labels": list(scale.labels),
                "level": scale.level,
                "values": None if scale.values is None else list(scale.values),
            },
            "matches": list(self.judgements.matches),
            "cannot_judge": {"label": self.judgements.cannot_judge_label, "counts_as": self.judgements.cannot_judge},
            "raters": list(self.judgements.raters),
            "n_items": len(self.judgements.items),
            "strata": list(self.resampling.stratum_names),
            "unit": self.resampling.unit_name,
            "draws_within_strata": self.resampling.strata is not None and self.resampling.is_nested,
            "primary_policy": self.policies[0],
            "policies": list(self.policies),
            "cells": [cell.to_dict() for cell in self.cells],
            "categories": [estimate.to_dict() for estimate in self.categories],
            "items": self._items() if len(self.items.items) <= MOST_ITEMS_LISTED else None,
            "beside": self.beside.to_dict(),
        }

    def _items(self) -> dict[str, Any]:
        model, labels = self.beside.model, self.judgements.scale.labels
        likely = None
        if model is not None and model.undefined is None:
            likely = [labels[code] if code >= 0 else None for code in model.most_likely.tolist()]
        return {**self.items.to_dict(), "rater_model": likely, "disagreement": plain(self.beside.disagreement)}


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """The whole report.

    Attributes
    ----------
    settings : Settings
    dimensions : tuple of DimensionReport
    pooled : tuple of DimensionReport
        Several dimensions taken together.
    n_repeated : int
        Blind repetitions, which count for test-retest alone.
    """

    settings: Settings
    dimensions: tuple[DimensionReport, ...]
    pooled: tuple[DimensionReport, ...] = ()
    n_repeated: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, with the words of all reasons and policies that it names."""
        return {
            "format": FORMAT,
            "method_versions": method_versions(),
            "settings": asdict(self.settings),
            "policies": dict(POLICIES),
            "reasons": dict(REASONS),
            "n_repeated": self.n_repeated,
            "dimensions": [each.to_dict() for each in self.dimensions],
            "pooled": [each.to_dict() for each in self.pooled],
        }


def method_versions() -> dict[str, str]:
    """The versions of all methods that a report rests on."""
    return {name: str(import_module(f"annotation.stats.{name}").METHOD_VERSION) for name in MODULES}


def agreement_report(
    material: Material,
    settings: Settings | None = None,
    tell: Tell | None = None,
    rules: Sequence[Rule] | None = None,
) -> AgreementReport:
    """Everything that the data allow.

    Parameters
    ----------
    material : Material
    settings : Settings, optional
    tell : callable, optional
        Told how many dimensions are done, of how many, and which is next.
    rules : sequence of Rule, optional
        Subsets of items; by default those of the Artificial Hivemind paper.

    Returns
    -------
    AgreementReport
        Equal for equal data, settings and versions. An undefined stratum has reasons and blanks no other.
    """
    settings = settings or Settings()
    repeated = frozenset(material.repeats)
    once = replace(material, dimensions=tuple(without_items(each, repeated) for each in material.dimensions))
    pooled = pooled_material(once)
    n = len(once.dimensions) + len(pooled.dimensions)
    done = []
    for place, (whole, judgements) in enumerate(zip(material.dimensions, once.dimensions, strict=True)):
        if tell is not None:
            tell(place, n, judgements.dimension)
        done.append(_dimension(whole, judgements, material, settings, rules))
    more = []
    for place, judgements in enumerate(pooled.dimensions, start=len(done)):
        if tell is not None:
            tell(place, n, judgements.dimension)
        more.append(_dimension(judgements, judgements, pooled, settings, rules))
    return AgreementReport(settings, tuple(done), tuple(more), len(repeated))


def _dimension(
    whole: Judgements,
    judgements: Judgements,
    material: Material,
    settings: Settings,
    rules: Sequence[Rule] | None,
) -> DimensionReport:
    resampling = resampling_for(judgements, material, settings)
    sets = rater_sets(
        judgements.raters,
        material.kinds,
        groups=material.groups.get(judgements.dimension),
        most_in_pairs=settings.most_in_pairs,
        known=judgements.knows_raters,
    )
    policies = policies_for(judgements)
    weights = {**material.weights, **material.set_weights.get(judgements.dimension, {})}
    labelled = judgements.code >= 0
    codes = Codes(
        judgements.items,
        judgements.raters,
        judgements.scale,
        judgements.item[labelled],
        judgements.rater[labelled],
        np.asarray(judgements.code[labelled]),
    )
    return DimensionReport(
        judgements=judgements,
        resampling=resampling,
        sets=sets,
        policies=tuple(policy.name for policy in policies),
        cells=tuple(agreement_cells(judgements, sets, policies, resampling, weights=weights)),
        categories=category_kappas(codes),
        items=item_table(judgements, base=settings.entropy_base),
        beside=beside(whole, judgements, material, sets, resampling, settings, rules),
    )
