"""Settings of scores over participants drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clustering.parameters.settings import Parameters
from core.errors import Invalid

DUPLICATES = ("weigh", "copy")
MOST_DRAWS = 10_000


@dataclass(frozen=True, slots=True)
class Resampling:
    """Settings of a run of viewpoints.

    Attributes
    ----------
    parameters : how groups are found and answers scored
    draws : replicates of the participants; beside them replicate 0 is the data as they are
    block : replicates that are computed at a time, by one worker
    duplicates : whether somebody drawn twice is one person who counts twice ("weigh") or two people ("copy")
    """

    parameters: Parameters
    draws: int = 200
    block: int = 25
    duplicates: str = "weigh"

    def __post_init__(self) -> None:
        """Refuse settings out of range with a message for each."""
        requirements = {
            "draws": (20 <= self.draws <= MOST_DRAWS, _("Take 20 to 10,000 draws.")),
            "block": (1 <= self.block <= MOST_DRAWS, _("A block has 1 draw or more.")),
            "duplicates": (self.duplicates in DUPLICATES, _("Choose weigh or copy.")),
        }
        if wrong := {name: [message] for name, (holds, message) in requirements.items() if not holds}:
            raise Invalid(_("These settings cannot be run."), fields=wrong)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, stored with the run."""
        own = {"draws": self.draws, "block": self.block, "duplicates": self.duplicates}
        return {**self.parameters.to_dict(), "resampling": own}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Resampling:
        """The settings back from a run or from one of its parts."""
        return cls(Parameters.from_dict(values), **values["resampling"])

    def starts(self) -> range:
        """The number of the first replicate of each block; the data as they are count as replicate 0."""
        return range(0, self.draws + 1, self.block)

    def count_from(self, first: int) -> int:
        """How many replicates the block has that begins with `first`."""
        return min(self.block, self.draws + 1 - first)
