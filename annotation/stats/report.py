"""The agreement report: every dimension, stratum, set of raters and policy, and what goes with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotation.stats import cells as cells_module
from annotation.stats.categories import category_kappas
from annotation.stats.cells import Cell, agreement_cells
from annotation.stats.codes import Codes, Judgements
from annotation.stats.designs import Resampling
from annotation.stats.estimates import REASONS, Estimate
from annotation.stats.items import ItemTable, item_table
from annotation.stats.material import Material, Settings, resampling_for
from annotation.stats.policies import POLICIES, policies_for
from annotation.stats.ratersets import RaterSet, rater_sets

__all__ = ["FORMAT", "METHOD_VERSION", "AgreementReport", "DimensionReport", "agreement_report"]

METHOD_VERSION = "1"
FORMAT = "polyphony agreement report 1"

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
    """

    judgements: Judgements
    resampling: Resampling
    sets: tuple[RaterSet, ...]
    policies: tuple[str, ...]
    cells: tuple[Cell, ...]
    categories: tuple[Estimate, ...]
    items: ItemTable

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
            "items": self.items.to_dict() if len(self.items.items) <= MOST_ITEMS_LISTED else None,
        }


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """The whole report.

    Attributes
    ----------
    settings : Settings
    dimensions : tuple of DimensionReport
    """

    settings: Settings
    dimensions: tuple[DimensionReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, with the words of all reasons and policies that it names."""
        return {
            "format": FORMAT,
            "method_versions": {"report": METHOD_VERSION, "cells": cells_module.METHOD_VERSION},
            "settings": asdict(self.settings),
            "policies": dict(POLICIES),
            "reasons": dict(REASONS),
            "dimensions": [each.to_dict() for each in self.dimensions],
        }


def agreement_report(material: Material, settings: Settings | None = None, tell: Tell | None = None) -> AgreementReport:
    """Everything that the data allow.

    Parameters
    ----------
    material : Material
    settings : Settings, optional
    tell : callable, optional
        Told how many dimensions are done, of how many, and which is next.

    Returns
    -------
    AgreementReport
        Equal for equal data, settings and versions. An undefined stratum has reasons and blanks no other.
    """
    settings = settings or Settings()
    done = []
    for place, judgements in enumerate(material.dimensions):
        if tell is not None:
            tell(place, len(material.dimensions), judgements.dimension)
        done.append(_dimension(judgements, material, settings))
    return AgreementReport(settings, tuple(done))


def _dimension(judgements: Judgements, material: Material, settings: Settings) -> DimensionReport:
    resampling = resampling_for(judgements, material, settings)
    sets = rater_sets(
        judgements.raters, material.kinds, most_in_pairs=settings.most_in_pairs, known=judgements.knows_raters
    )
    policies = policies_for(judgements)
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
        cells=tuple(agreement_cells(judgements, sets, policies, resampling, weights=material.weights)),
        categories=category_kappas(codes),
        items=item_table(judgements, base=settings.entropy_base),
    )
