"""Showing a page: its content from the runner, what was typed before, and the record that it was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.registry import block_runner
from studies.models import Draft, Enrolment, PageView, Step
from studies.session.blocks import Page, StepContext
from studies.session.payloads import Payload
from studies.session.selectors import Frozen, Plan

VIEWS_KEPT = 2_000
"""How many displays of one step are recorded: more than a block of 1,000 votes needs, not all a program asks for."""

Values = Mapping[str, Sequence[str]]


@dataclass(slots=True)
class Shown:
    """What to show: the page of a step, or the end of the session if there is no step.

    With `makes_page` false nothing is made but a refused post's page, because a redirect will ask for the rest.
    """

    enrolment: Enrolment
    version: Frozen
    plan: Plan
    is_study_closed: bool = False
    makes_page: bool = True
    step: Step | None = None
    page: Page | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    notice: str = ""
    kept: dict[str, Any] = field(default_factory=dict)
    found_at: int = 0
    n_views: int = 0
    """How often the step at `found_at`, where the session was at the beginning of the request, had been shown."""

    def context(self, step: Step) -> StepContext:
        """What a runner may look at."""
        return StepContext(step, self.enrolment, self.version.definition, self.version.study.seed, self.kept)


def present(shown: Shown, now: datetime, *, layout: str = "") -> Shown:
    """Fill in the page of the current step and record that it is shown, in the walk's transaction.

    After `VIEWS_KEPT` displays of a step it is shown and no longer recorded.
    """
    if not shown.makes_page and not shown.errors:
        return shown
    step = shown.plan.at(shown.enrolment.position)
    assert step is not None, "a session that goes on has a step"
    if not shown.errors and not shown.values:
        shown.values = draft_of(step)
    shown.step = step
    shown.page = block_runner(step.block).present(shown.context(step), shown.values, shown.errors, now)
    if step.position != shown.found_at or shown.n_views < VIEWS_KEPT:
        PageView.objects.create(step=step, shown_at=now, shown=shown.page.shown, layout=layout)
    return shown


def keeps_drafts(step: Step) -> bool:
    """Whether what is typed on the step and not yet sent is kept."""
    return bool(getattr(block_runner(step.block), "keeps_drafts", False))


def draft_of(step: Step) -> Values:
    """What is typed on the step and not yet sent."""
    if not keeps_drafts(step):
        return {}
    payload: Any = Draft.objects.filter(step_id=step.pk).values_list("payload", flat=True).first()
    return payload or {}


def keep_draft(step: Step, payload: Payload, now: datetime) -> bool:
    """Keep what is typed on the step; False if its block keeps no drafts."""
    if not keeps_drafts(step):
        return False
    Draft.objects.update_or_create(step=step, defaults={"payload": payload.storable(), "saved_at": now})
    return True


def forget_draft(step: Step) -> None:
    """Drop what was typed on a step that is now submitted."""
    if keeps_drafts(step):
        Draft.objects.filter(step_id=step.pk).delete()
