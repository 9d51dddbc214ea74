"""The parts of a study's definition that are about voting: the settings of the block, and the seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from core.strictyaml import Choice, Code, Integer, ListOf, Number, Spec, Text
from core.strictyaml import Mapping as MappingSpec
from studies.models import Study
from voting import services
from voting.models import MINIMUM, Statement, VoteSettings
from voting.services.statements import PEER_PREFIX

BLOCK = "vote"


class VoteSection:
    """`vote`: how many votes, routed how, moderated when. Each key may be left out."""

    key = "vote"

    def schema(self) -> Spec:
        """The keys, with the model's defaults."""
        return MappingSpec(
            {
                "minimum": Integer(
                    minimum=MINIMUM.least, maximum=MINIMUM.most, required=False, default=_default("minimum")
                ),
                "policy": Choice(VoteSettings.Policy.values, required=False, default=_default("policy")),
                "mix": Number(minimum=0, maximum=1, required=False, default=_default("mix")),
                "moderation": Choice(VoteSettings.Moderation.values, required=False, default=_default("moderation")),
            }
        )

    def load(self, study: Study, value: Mapping[str, Any]) -> None:
        """Write the settings into the draft."""
        VoteSettings.objects.update_or_create(study=study, defaults=dict(value))

    def dump(self, study: Study) -> dict[str, Any]:
        """The draft's settings, the defaults if nobody has set any."""
        settings = VoteSettings.objects.filter(study=study).first() or VoteSettings(study=study)
        return {
            "minimum": settings.minimum,
            "policy": str(settings.policy),
            "mix": float(settings.mix),
            "moderation": str(settings.moderation),
        }

    def problems(self, study: Study, definition: Mapping[str, Any]) -> Sequence[str]:
        """Nothing of these can be wrong that the schema lets pass."""
        return ()

    def freeze(self, study: Study, now: datetime) -> None:
        """Sessions run from the version, so the draft's settings may change."""


class SeedSection:
    """`seeds`: statements the team writes, for those who come first. Drafts until the study is published."""

    key = "seeds"

    def schema(self) -> ListOf:
        """A list that may stand in a table beside the file."""
        return ListOf(MappingSpec({"question": Code(), "code": _seed_code(), "text": Text()}))

    def load(self, study: Study, value: Sequence[Mapping[str, Any]]) -> None:
        """Make the draft's seeds these."""
        services.load_seeds(study=study, rows=value, now=timezone.now(), replace=True)

    def dump(self, study: Study) -> list[dict[str, str]]:
        """The seeds of the current questions that were not rejected, by question and code."""
        seeds = Statement.objects.filter(
            question__study=study,
            question__is_current=True,
            origin=Statement.Origin.SEED,
            status__in=[Statement.Status.PENDING, Statement.Status.APPROVED],
        ).select_related("question")
        # Not by the database: its order of letters depends on the machine.
        ordered = sorted(seeds, key=lambda seed: (seed.question.position, seed.question.code, seed.code))
        return [{"question": seed.question.code, "code": seed.code, "text": seed.text} for seed in ordered]

    def problems(self, study: Study, definition: Mapping[str, Any]) -> Sequence[str]:
        """Without participants' own texts, a question without seeds has nothing to vote on."""
        blocks = definition["blocks"]
        if BLOCK not in blocks or "write" in blocks:
            return ()
        seeded = {row["question"] for row in definition[self.key]}
        return [
            _("Question %(code)s has no seeds, and participants write nothing: there is nothing to vote on.")
            % {"code": question["code"]}
            for question in definition["questions"]
            if question["code"] not in seeded
        ]

    def freeze(self, study: Study, now: datetime) -> None:
        """Let the drafted seeds in."""
        services.release_seeds(study=study, now=now)


def _seed_code() -> Code:
    """A code that no participant's statement will get, so that the file says where it is wrong."""
    says = _("Begin with a letter or digit, use letters a-z, digits, “-”, “_” and “.”, and do not begin with “peer-”.")
    return Code(pattern=rf"(?!{PEER_PREFIX}){Code().pattern}", pattern_says=says)


def _default(name: str) -> Any:
    field: Any = VoteSettings._meta.get_field(name)
    value = field.get_default()
    return str(value) if isinstance(value, str) else value
