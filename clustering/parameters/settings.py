"""How groups are found and answers scored: the settings of a run of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clustering.parameters.grouping import GroupingSettings
from clustering.parameters.scoring import scoring_problems

_SCORING = (
    *("rule", "threshold", "thresholds", "replicates", "level", "interval"),
    *("subgroups", "minimum_people", "minimum_sizes", "external"),
)


@dataclass(frozen=True, slots=True)
class Parameters(GroupingSettings):
    """Settings of a run of scores: how groups are found, and how answers are scored by them.

    Attributes
    ----------
    rule : "mean" (mean rating of a group's members reaches the threshold) or "majority" (more than half of them do)
    threshold : rating from which an answer represents somebody, in [1, 5]
    thresholds : thresholds that are tried beside it
    replicates : bootstrap replicates over questions
    level : confidence level of the intervals, in (0, 1)
    interval : "percentile" or "expanded" bootstrap intervals
    subgroups : codes of the form items by whose answers people are divided
    minimum_people : fewest people of a subgroup that is shown
    minimum_sizes : smallest groups that are tried: smaller ones are left out of the score; the first is the reference
    external : other scores of the sources: name to source to number
    """

    rule: str = "mean"
    threshold: float = 4.0
    thresholds: tuple[float, ...] = (3.6, 3.7, 3.8, 3.9, 4.0)
    replicates: int = 2000
    level: float = 0.95
    interval: str = "percentile"
    subgroups: tuple[str, ...] = ()
    minimum_people: int = 5
    minimum_sizes: tuple[int, ...] = (1, 2, 3, 5, 10)
    external: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def problems(self) -> dict[str, list[str]]:
        """What is out of range, by setting."""
        return GroupingSettings.problems(self) | scoring_problems(self)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, stored with the run."""
        values = {name: getattr(self, name) for name in _SCORING}
        return {
            **self.grouping(),
            **values,
            "threshold": float(self.threshold),
            "thresholds": sorted({float(each) for each in self.thresholds}),
            "subgroups": sorted(set(self.subgroups)),
            "minimum_sizes": sorted(set(self.minimum_sizes)),
            "external": {name: dict(scores) for name, scores in self.external.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameters:
        """The settings back from a run; those of groups alone leave the others at their defaults.

        Raises
        ------
        Invalid
            If a setting is out of range.
        """
        given: dict[str, Any] = {name: values[name] for name in _SCORING if name in values}
        for name in ("thresholds", "subgroups", "minimum_sizes"):
            if name in given:
                given[name] = tuple(given[name])
        return cls(**GroupingSettings.read(values), **given)
