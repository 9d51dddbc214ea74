"""Write: the participant's own view on a question, with stance and importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid
from core.registry import modules
from core.text import check_length, count_characters, is_blank, normalise_typed
from studies.models import Enrolment, FreeResponse, Step
from studies.session.blocks import Definition, Page, PlanContext, StepContext, StepPlan, Submitted

IMPORTANCE = ("1", "2", "3", "4", "5")


class WriteRunner:
    """The write block: one step a question."""

    kind = "write"
    per_question = True
    keeps_drafts = True

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """One step."""
        return [StepPlan("write")]

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """Show the question and the three fields."""
        settings = context.definition["write"]
        return Page(
            "studies/session/write.html",
            _("Your view"),
            {
                "minimum": settings["minimum"],
                "maximum": settings["maximum"],
                "stance_options": settings["stance"],
                "importance_low": settings["importance"]["low"],
                "importance_high": settings["importance"]["high"],
            },
        )

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Keep the response and tell the other apps of it."""
        settings = context.definition["write"]
        text, stance, importance = (data.get(name, [""])[-1] for name in ("text", "stance", "importance"))
        errors = _problems(text, stance, importance, settings)
        if errors:
            return Submitted(errors=errors)
        stored = normalise_typed(text)
        response = FreeResponse.objects.create(
            enrolment=context.enrolment,
            question=context.step.question,
            text=stored,
            n_characters=count_characters(stored),
            stance=stance,
            importance=int(importance),
            written_at=now,
        )
        for module in modules():
            if module.on_free_response is not None:
                module.on_free_response(response, context.definition, now)
        return Submitted()

    def lacks(self, enrolment: Enrolment, steps: Sequence[Step]) -> int:
        """How many of the questions have no response."""
        return len(steps) - FreeResponse.objects.filter(enrolment=enrolment).count()


def _problems(text: str, stance: str, importance: str, settings: Definition) -> dict[str, str]:
    errors = {}
    try:
        stored = normalise_typed(text)
        if is_blank(stored):
            raise Invalid(_("Please write what you think."))
        check_length(stored, minimum=settings["minimum"], maximum=settings["maximum"])
    except Invalid as error:
        errors["text"] = str(error)
    stances = {option["value"] for option in settings["stance"]}
    if stances and stance not in stances:
        errors["stance"] = _("Please choose the stance that fits best.")
    elif not stances and stance:
        errors["stance"] = _("This question does not ask for a stance.")
    if importance not in IMPORTANCE:
        errors["importance"] = _("Please say how important the question is to you.")
    return errors
