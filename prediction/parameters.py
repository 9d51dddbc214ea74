"""The settings of runs of predictions and of reports on them: validated once, stored with the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from clustering.inclusion import Inclusion
from core.endpoints import check_model_parameters
from core.errors import Invalid
from prediction.judging.variants import VARIANTS
from prediction.models import PredictionBatch

PREDICTION = "prediction"
PREDICTION_REPORT = "prediction_report"

Method = PredictionBatch.Method
COMPUTED: tuple[str, ...] = (Method.JUDGE.value, Method.MEAN_OF_OTHERS.value, Method.MOST_SIMILAR.value)
SCOPES = ("measured", "new", "all")
UNITS = ("participant", "rating", "question")
MOST_REPEATS = 20


@dataclass(frozen=True, slots=True)
class Asking:
    """Settings of a run that predicts.

    Attributes
    ----------
    inclusion : whose ratings are predicted
    method : "judge", "mean_of_others" or "most_similar"
    variant : what the judge is told (`prediction.judging.variants`); empty for baselines
    endpoint : the configured model endpoint that is the judge; empty for baselines
    model_parameters : sent with every request (temperature and the like)
    repeats : how often a judge is asked the same
    subset : how many points are tried, drawn by `subset_seed`; None for all
    scope : "measured" (ratings that there are), "new" (answers of candidates) or "all"
    """

    inclusion: Inclusion
    method: str
    variant: str = ""
    endpoint: str = ""
    model_parameters: dict[str, Any] = field(default_factory=dict)
    repeats: int = 1
    subset: int | None = None
    subset_seed: int = 1
    scope: str = "measured"

    def __post_init__(self) -> None:
        """Refuse settings that cannot be run, with a message for each."""
        is_judge = self.method == Method.JUDGE
        requirements = {
            "method": (self.method in COMPUTED, _("Choose judge, mean_of_others or most_similar.")),
            "variant": (
                self.variant in VARIANTS if is_judge else not self.variant,
                _("A judge needs a prompt variant, a baseline has none."),
            ),
            "endpoint": (
                bool(self.endpoint) == is_judge,
                _("A judge needs a model endpoint, a baseline asks nobody."),
            ),
            "model_parameters": (*_checked_parameters(self.model_parameters),),
            "repeats": (
                1 <= self.repeats <= MOST_REPEATS if is_judge else self.repeats == 1,
                _("A judge is asked 1 to %(most)d times; a baseline gives one answer.") % {"most": MOST_REPEATS},
            ),
            "subset": (self.subset is None or self.subset >= 1, _("A subset has at least 1 point.")),
            "subset_seed": (self.subset_seed >= 0, _("A seed is not negative.")),
            "scope": (self.scope in SCOPES, _("Choose measured, new or all.")),
        }
        wrong = {name: [message] for name, (holds, message) in requirements.items() if not holds}
        if wrong:
            raise Invalid(_("These settings cannot be run."), fields=wrong)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, stored with the run."""
        names = ("method", "variant", "endpoint", "model_parameters", "repeats", "subset", "subset_seed", "scope")
        return {"inclusion": self.inclusion.to_dict(), **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Asking:
        """The settings back from a run."""
        rest = {name: value for name, value in values.items() if name != "inclusion"}
        return cls(inclusion=Inclusion.from_dict(values["inclusion"]), **rest)


def _checked_parameters(parameters: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the parameters can be sent, and what to say if not."""
    try:
        check_model_parameters(parameters)
    except Invalid as problem:
        return False, str(problem)
    return True, ""


@dataclass(frozen=True, slots=True)
class Reporting:
    """Settings of a report.

    Attributes
    ----------
    inclusion : whose ratings are taken in
    batches : public ids of the batches that are compared
    unit : what the bootstrap of the errors draws
    replicates, level : of the bootstrap
    permutations : of the tests of parity
    """

    inclusion: Inclusion
    batches: tuple[str, ...]
    unit: str = "participant"
    replicates: int = 2000
    level: float = 0.95
    permutations: int = 5000

    def __post_init__(self) -> None:
        """Refuse settings that cannot be run, with a message for each."""
        requirements = {
            "batches": (
                bool(self.batches) and len(set(self.batches)) == len(self.batches) and all(map(_is_id, self.batches)),
                _("Choose at least one batch of predictions."),
            ),
            "unit": (self.unit in UNITS, _("Choose participant, rating or question.")),
            "replicates": (100 <= self.replicates <= 100_000, _("Take 100 to 100,000 bootstrap replicates.")),
            "level": (0.5 <= self.level < 1, _("The confidence level is at least 0.5 and below 1.")),
            "permutations": (99 <= self.permutations <= 100_000, _("Take 99 to 100,000 permutations.")),
        }
        wrong = {name: [message] for name, (holds, message) in requirements.items() if not holds}
        if wrong:
            raise Invalid(_("These settings cannot be run."), fields=wrong)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, stored with the run."""
        names = ("unit", "replicates", "level", "permutations")
        return {
            "inclusion": self.inclusion.to_dict(),
            "batches": sorted(self.batches),
            **{name: getattr(self, name) for name in names},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Reporting:
        """The settings back from a run."""
        rest = {name: value for name, value in values.items() if name not in {"inclusion", "batches"}}
        return cls(inclusion=Inclusion.from_dict(values["inclusion"]), batches=tuple(values["batches"]), **rest)


def _is_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
