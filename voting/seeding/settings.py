"""What one generation of seeds is asked to do; the parameters of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from core.endpoints import check_model_parameters, configured, names
from core.errors import Invalid
from studies.models import Enrolment

SEEDING = "seeding"
"""The kind of the run."""
MOST_EACH = 50
LARGEST_SEED = 2**63 - 1
ORIGINS = (Enrolment.Origin.LIVE, Enrolment.Origin.IMPORTED, Enrolment.Origin.SIMULATED)
PEOPLE = (Enrolment.Origin.LIVE.value, Enrolment.Origin.IMPORTED.value)


@dataclass(frozen=True, slots=True)
class Seeding:
    """Settings of a generation.

    Parameters
    ----------
    pilot
        `public_id` of the study whose free responses are the examples.
    endpoint
        Name of the model endpoint.
    each
        Statements for each question; 8 in the paper.
    questions
        Codes of the questions; empty for all that the study has.
    origins
        Whose responses may be examples.
    model_parameters
        Sent with every request.
    """

    pilot: str
    endpoint: str
    each: int = 8
    questions: tuple[str, ...] = ()
    origins: tuple[str, ...] = PEOPLE
    model_parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems: dict[str, list[str]] = {}
        if self.endpoint not in names():
            configured(self.endpoint)
        if not 1 <= self.each <= MOST_EACH:
            problems["each"] = [_("Ask for 1 to %(most)d statements for each question.") % {"most": MOST_EACH}]
        if not self.origins or not set(self.origins) <= {origin.value for origin in ORIGINS}:
            problems["origins"] = [_("Say whose responses may be examples.")]
        try:
            check_model_parameters(dict(self.model_parameters))
        except Invalid as problem:
            problems["model_parameters"] = [str(problem)]
        if problems:
            raise Invalid(fields=problems)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready data, equal for equal settings."""
        return {
            "pilot": self.pilot,
            "endpoint": self.endpoint,
            "each": self.each,
            "questions": sorted(self.questions),
            "origins": sorted(self.origins),
            "model_parameters": dict(self.model_parameters),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Seeding:
        """The settings that `to_dict` wrote."""
        return cls(**{**data, "questions": tuple(data["questions"]), "origins": tuple(data["origins"])})
