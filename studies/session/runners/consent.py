"""Consent: the study's text, and a decision that is kept with the hash of what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.canonical import text_sha256
from studies.models import ConsentRecord, Enrolment
from studies.session.blocks import Next, Page, PlanContext, StepContext, StepPlan, Submitted


class ConsentRunner:
    """The consent block: one step, first of all."""

    kind = "consent"
    per_question = False

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """One step."""
        return [StepPlan("consent")]

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """Show the text that is consented to."""
        text = context.definition["consent"]
        return Page("studies/session/consent.html", _("Taking part is your choice"), {"consent_text": text})

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Keep the decision; declining ends the session."""
        decision = data.get("decision", [""])[-1]
        if decision not in {"accept", "decline"}:
            return Submitted(errors={"decision": _("Please say whether you agree to take part.")})
        accepted = decision == "accept"
        ConsentRecord.objects.create(
            enrolment=context.enrolment,
            text_sha256=text_sha256(context.definition["consent"]),
            language=context.enrolment.language,
            accepted=accepted,
            decided_at=now,
        )
        if not accepted:
            return Submitted(Next.DECLINE)
        Enrolment.objects.filter(pk=context.enrolment.pk).update(consented_at=now)
        return Submitted()

    def lacks(self, enrolment: Enrolment, steps: Sequence[Any]) -> int:
        """A session without consent must not end as complete."""
        return int(not ConsentRecord.objects.filter(enrolment=enrolment, accepted=True).exists())
