"""Subgroup parity: does the error differ by demographics or by model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.plain import plain
from prediction.stats.anova import Anova, Scheme, permutation_anova
from prediction.stats.table import PredictionTable

__all__ = ["METHOD_VERSION", "MODEL", "ParityLine", "ParityReport", "subgroup_parity"]

METHOD_VERSION = "1"

MODEL = "model"
"""The category that is no property of a person: the source of the answer."""

POWERS = {"mae": 1, "mse": 2}


@dataclass(frozen=True, slots=True)
class ParityLine:
    """One category and metric: the test over rows as in the paper, and the one that keeps people whole."""

    category: str
    metric: str
    rows: Anova
    people: Anova


@dataclass(frozen=True, slots=True)
class ParityReport:
    """Tests of one method's errors by every category.

    Attributes
    ----------
    method : str
    lines : tuple of ParityLine
    """

    method: str
    lines: tuple[ParityLine, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def subgroup_parity(
    table: PredictionTable,
    method: str,
    demographics: Mapping[str, Mapping[str, str]],
    *,
    seed: int,
    permutations: int = 5000,
) -> ParityReport:
    """Permutation ANOVA of absolute and squared errors by each category, and by model.

    Parameters
    ----------
    table : PredictionTable
    method : str
        Whose errors; points it did not predict are left out.
    demographics : mapping of category to mapping of participant to group
        A participant may lack in a category.
    seed : int
    permutations : int, default 5000

    Returns
    -------
    ParityReport

    Raises
    ------
    ValueError
        If the method is not in the table, or a category is called "model".

    Notes
    -----
    Table 2 of the Overton paper has the test over rows. Beside it stands the test that respects that one person gave
    several ratings: for demographics participants are exchanged as whole blocks, for the model the values of each
    participant are exchanged among that participant's rows. See `permutation_anova`.
    """
    if method not in table.methods or MODEL in demographics:
        raise ValueError(f"no method {method!r}, or a category is called {MODEL!r}")
    predicted = table.predicted[:, table.methods.index(method)]
    has_one = ~np.isnan(predicted)
    points = [point for point, has in zip(table.points, has_one, strict=True) if has]
    errors = np.abs(predicted - table.actual)[has_one]
    people = [point[0] for point in points]
    labels: dict[str, list[str | None]] = {
        category: [groups.get(person) for person in people] for category, groups in sorted(demographics.items())
    }
    labels[MODEL] = [point[2] for point in points]
    lines = []
    for category, names in labels.items():
        whole: Scheme = "within" if category == MODEL else "blocks"
        for metric, power in POWERS.items():
            tests = [
                permutation_anova(
                    errors**power, names, participants=people, scheme=scheme, seed=seed, permutations=permutations
                )
                for scheme in ("rows", whole)
            ]
            lines.append(ParityLine(category, metric, tests[0], tests[1]))
    return ParityReport(method, tuple(lines))
