"""All checks in the order in which a person would go through the study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from core import registry
from studies.definition.checks import content, rules, texts
from studies.definition.checks.problem import Problem, error, some, warning
from studies.definition.dumping import canonical
from studies.models import Study

Check = Callable[[Mapping[str, Any]], Iterator[Problem]]

CHECKS: tuple[Check, ...] = (
    texts.check_texts,
    texts.check_blocks,
    content.check_questions,
    content.check_answers,
    content.check_seeds,
    content.check_form,
    content.check_personal,
    content.check_writing,
    content.check_rating,
    rules.check_recruitment,
    rules.check_pay,
    rules.check_codes,
)


def problems(study: Study) -> list[Problem]:
    """Everything to say about the study's draft, errors first."""
    return found_in(study, canonical(study))


def found_in(study: Study, definition: Mapping[str, Any]) -> list[Problem]:
    """Everything to say about `definition`, which is the canonical one of the study's draft."""
    found = [problem for check in CHECKS for problem in check(definition)]
    for section in registry.sections():
        found += [error(section.key, str(message)) for message in section.problems(study, definition)]
    found += _check_seeds(definition)
    return sorted(found, key=lambda problem: not problem.is_error)


def _check_seeds(definition: Mapping[str, Any]) -> Iterator[Problem]:
    """Say what happens to the first participants when seeds are fewer than the votes asked for."""
    minimum = definition.get("vote", {}).get("minimum", 0)
    if "vote" not in definition["blocks"]:
        return
    seeds = Counter(row["question"] for row in definition.get("seeds", []))
    few = [row["code"] for row in definition["questions"] if seeds[row["code"]] < minimum]
    if few:
        message = _(
            "Fewer seeds than the %(minimum)d votes asked for: %(codes)s. The first participants vote on what there "
            "is, and the lower number is recorded as what was required of them."
        )

        yield warning("seeds", message % {"minimum": minimum, "codes": some(few)})
