"""The settings of a run of groups and scores: validated once, stored with the run, part of its identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clustering.inclusion import Inclusion
from core.errors import Invalid

GROUPS = "groups"
OVERTON = "overton"

SPACES = ("projection", "votes")
RULES = ("mean", "majority")
OWN_VOTES = ("exclude", "include")
UNITS = ("spread", "coordinate")
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Parameters:
    """Settings of a run.

    Attributes
    ----------
    inclusion : whom the run takes in
    space : where distances between people are taken (`docs/methods.md`, reading 1)
    unit : what thresholds on the map count in, the participants' spread or coordinates (reading 13)
    minimum_size : smallest group kept; None tries the published 1, 3 and 5
    own_votes : whether a vote on one's own statement counts ("exclude" or "include")
    rule : "mean" (mean rating of a group's members reaches the threshold) or "majority" (more than half of them do)
    threshold : rating from which an answer represents somebody, in [1, 5]
    replicates : bootstrap replicates over questions
    level : confidence level of the intervals, in (0, 1)
    """

    inclusion: Inclusion
    space: str = "projection"
    unit: str = "spread"
    minimum_size: int | None = None
    own_votes: str = "exclude"
    rule: str = "mean"
    threshold: float = 4.0
    replicates: int = 2000
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse settings out of range with a message for each."""
        requirements = {
            "space": (self.space in SPACES, _("Choose projection or votes.")),
            "unit": (self.unit in UNITS, _("Choose spread or coordinate.")),
            "minimum_size": (
                self.minimum_size is None or self.minimum_size >= 1,
                _("The smallest group has at least 1 member."),
            ),
            "own_votes": (self.own_votes in OWN_VOTES, _("Choose exclude or include.")),
            "rule": (self.rule in RULES, _("Choose mean or majority.")),
            "threshold": (1 <= self.threshold <= 5, _("The threshold is a rating from 1 to 5.")),
            "replicates": (100 <= self.replicates <= 100_000, _("Take 100 to 100,000 bootstrap replicates.")),
            "level": (0.5 <= self.level < 1, _("The confidence level is at least 0.5 and below 1.")),
        }
        wrong = {name: [message] for name, (holds, message) in requirements.items() if not holds}
        if wrong:
            raise Invalid(_("These settings cannot be run."), fields=wrong)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, stored with the run."""
        return {**self.grouping(), **{name: getattr(self, name) for name in ("rule", "replicates", "level")}} | {
            "threshold": float(self.threshold)
        }

    def grouping(self) -> dict[str, Any]:
        """The part that decides the groups of a question."""
        return {
            "method": "dynamic",
            "inclusion": self.inclusion.to_dict(),
            "space": self.space,
            "unit": self.unit,
            "minimum_size": self.minimum_size,
            "own_votes": self.own_votes,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameters:
        """The settings back from a run; those of groups alone leave the others at their defaults."""
        names = ("space", "unit", "minimum_size", "own_votes", "rule", "threshold", "replicates", "level")
        given = {name: values[name] for name in names if name in values}
        return cls(inclusion=Inclusion.from_dict(values["inclusion"]), **given)
