"""How answers are scored by the groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from clustering.parameters.settings import Parameters

RULES = ("mean", "majority")
INTERVALS = ("percentile", "expanded")
MOST_VARIANTS = 20


def scoring_problems(settings: Parameters) -> dict[str, list[str]]:
    """What is out of range among the settings of scores, by setting."""
    few = _("Name at most %(n)d.") % {"n": MOST_VARIANTS}
    requirements = {
        "rule": (settings.rule in RULES, _("Choose mean or majority.")),
        "threshold": (1 <= settings.threshold <= 5, _("The threshold is a rating from 1 to 5.")),
        "thresholds": (
            len(settings.thresholds) <= MOST_VARIANTS and all(1 <= each <= 5 for each in settings.thresholds),
            _("Each threshold is a rating from 1 to 5."),
        ),
        "replicates": (100 <= settings.replicates <= 100_000, _("Take 100 to 100,000 bootstrap replicates.")),
        "level": (0.5 <= settings.level < 1, _("The confidence level is at least 0.5 and below 1.")),
        "interval": (settings.interval in INTERVALS, _("Choose percentile or expanded.")),
        "subgroups": (len(settings.subgroups) <= MOST_VARIANTS, few),
        "minimum_people": (settings.minimum_people >= 1, _("A subgroup has at least 1 person.")),
        "minimum_sizes": (
            0 < len(settings.minimum_sizes) <= MOST_VARIANTS and all(each >= 1 for each in settings.minimum_sizes),
            _("The smallest group has at least 1 member."),
        ),
        "external": (
            len(settings.external) <= MOST_VARIANTS
            and all(math.isfinite(value) for scores in settings.external.values() for value in scores.values()),
            _("Each other score is a number for each source."),
        ),
    }
    return {name: [message] for name, (holds, message) in requirements.items() if not holds}
