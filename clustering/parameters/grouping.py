"""How opinion groups are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from clustering.inclusion import Inclusion
from clustering.stats.readings import CHOICES, Readings
from core.errors import Invalid

METHODS = ("dynamic", "polis")
SPACES = CHOICES["space"]
UNITS = CHOICES["unit"]
OWN_VOTES = CHOICES["own_votes"]
MODERATION = ("missing", "zero")

OWN_VOTES_OF = {"dynamic": "exclude", "polis": "include"}
"""What each method does with votes on one's own statement unless it is told: Pol.is counts them."""

GRID = ("k_max", "distance_threshold", "outlier_threshold", "n_seeds")
#: Readings with a setting of their own, and one that the inclusion rule has.
_APART = ("space", "unit", "own_votes", "minimum_votes")

_DYNAMIC = ("space", "unit", "minimum_size")
_POLIS = ("moderation", "enough_votes", "fewest_people", "max_base", "max_groups")
_BOTH = ("method", "own_votes", "stability_seeds", "stability_replicates", "stability_shuffles")
MOST_REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class GroupingSettings:
    """How opinion groups are found.

    Attributes
    ----------
    inclusion : whom the run takes in
    method : the clusterer, "dynamic" or "polis"
    own_votes : whether a vote on one's own statement counts ("exclude" or "include"); None is the method's habit
    space, unit : readings of the dynamic clusterer (`docs/methods.md`, readings 1 and 13)
    minimum_size : smallest group kept by it; None tries the published 1, 3 and 5
    readings : its other readings that are not the default
    grid : lists of its grid that are not the published ones, and its number of starts (`n_seeds`)
    moderation : whether *polis* takes a rejected statement as never voted on ("missing") or as passed ("zero")
    enough_votes, fewest_people : whom *polis* groups: who cast so many votes, but so many people at least
    max_base, max_groups : its base clusters and groups at most
    stability_seeds : clusterings with other seeds that are compared; fewer than 2 are none
    stability_replicates : clusterings of participants drawn anew; 0 is none
    stability_shuffles : clusterings of shuffled votes beside which the silhouette is put; 0 is none
    """

    inclusion: Inclusion
    method: str = "dynamic"
    own_votes: str | None = None
    space: str = "projection"
    unit: str = "spread"
    minimum_size: int | None = None
    readings: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Any] = field(default_factory=dict)
    moderation: str = "zero"
    enough_votes: int = 7
    fewest_people: int = 15
    max_base: int = 100
    max_groups: int = 5
    stability_seeds: int = 5
    stability_replicates: int = 10
    stability_shuffles: int = 0

    def __post_init__(self) -> None:
        """Refuse settings out of range with a message for each."""
        if self.own_votes is None:
            object.__setattr__(self, "own_votes", OWN_VOTES_OF.get(self.method, "exclude"))
        if problems := self.problems():
            raise Invalid(_("These settings cannot be run."), fields=problems)

    def problems(self) -> dict[str, list[str]]:
        """What is out of range, by setting."""
        requirements = {
            "method": (self.method in METHODS, _("Choose dynamic or polis.")),
            "space": (self.space in SPACES, _("Choose projection or votes.")),
            "unit": (self.unit in UNITS, _("Choose spread or coordinate.")),
            "minimum_size": (
                self.minimum_size is None or self.minimum_size >= 1,
                _("The smallest group has at least 1 member."),
            ),
            "own_votes": (self.own_votes in OWN_VOTES, _("Choose exclude or include.")),
            "moderation": (self.moderation in MODERATION, _("Choose missing or zero.")),
            "enough_votes": (self.enough_votes >= 1, _("Who is grouped cast at least 1 vote.")),
            "fewest_people": (self.fewest_people >= 0, _("This is a number of people.")),
            "max_base": (self.max_base >= 2, _("At least 2 clusters can be told apart.")),
            "max_groups": (self.max_groups >= 2, _("At least 2 groups can be told apart.")),
            "stability_seeds": (0 <= self.stability_seeds <= MOST_REPLICATES, _("Take 0 to 1,000 seeds.")),
            "stability_replicates": (
                0 <= self.stability_replicates <= MOST_REPLICATES,
                _("Take 0 to 1,000 replicates."),
            ),
            "stability_shuffles": (0 <= self.stability_shuffles <= MOST_REPLICATES, _("Take 0 to 1,000 shuffles.")),
        }
        wrong = {name: [message] for name, (holds, message) in requirements.items() if not holds}
        return wrong | self._problems_of_dynamic()

    def _problems_of_dynamic(self) -> dict[str, list[str]]:
        wrong: dict[str, list[str]] = {}
        if unknown := set(self.grid) - set(GRID):
            wrong["grid"] = [_("The grid has no %(name)s.") % {"name": ", ".join(sorted(unknown))}]
        elif not all(_is_grid_list(name, value) for name, value in self.grid.items()):
            wrong["grid"] = [_("Each list of the grid holds numbers in range.")]
        if self.space in SPACES and self.unit in UNITS and self.own_votes in OWN_VOTES:
            try:
                self.all_readings()
            except (TypeError, ValueError) as problem:
                # The statistics know no languages; their sentences name the reading.
                wrong["readings"] = [str(problem)]
        return wrong

    def all_readings(self) -> Readings:
        """Every reading of the dynamic clusterer.

        Raises
        ------
        TypeError, ValueError
            If a reading is unknown or out of range.
        """
        if apart := set(self.readings) & set(_APART):
            raise ValueError(f"{', '.join(sorted(apart))} is a setting of its own")
        given: dict[str, Any] = {"space": self.space, "unit": self.unit, "own_votes": self.own_votes}
        return Readings(**given, **self.readings)

    def grouping(self) -> dict[str, Any]:
        """The part that decides the groups of a question, in canonical form."""
        values: dict[str, Any] = {name: getattr(self, name) for name in _BOTH}
        values["inclusion"] = self.inclusion.to_dict()
        if self.method == "polis":
            return {**values, **{name: getattr(self, name) for name in _POLIS}, "row_order": "first vote"}
        defaults = asdict(Readings())
        return {
            **values,
            **{name: getattr(self, name) for name in _DYNAMIC},
            # What is written out but is the default is the same run.
            "readings": {name: value for name, value in self.readings.items() if value != defaults[name]},
            "grid": {name: list(value) if name != "n_seeds" else value for name, value in self.grid.items()},
            "row_order": "public code",
        }

    @staticmethod
    def read(values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that made `values`, canonical settings of a run; what is left out keeps its default."""
        names = (*_BOTH, *_DYNAMIC, *_POLIS, "readings", "grid")
        given = {name: values[name] for name in names if name in values}
        return {**given, "inclusion": Inclusion.from_dict(values["inclusion"])}


def _is_grid_list(name: str, value: Any) -> bool:
    if name == "n_seeds":
        return isinstance(value, int) and 1 <= value <= MOST_REPLICATES
    least = 2 if name == "k_max" else 0
    return bool(value) and all(isinstance(each, int | float) and each >= least for each in value)
