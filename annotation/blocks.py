"""The annotate block of a session: a participant judges items of a campaign, as many as the study asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Assignment, Campaign, Packet, Rater, Submission
from annotation.rating import flow, showing
from annotation.rating.flow import Again
from annotation.rating.showing import Over, Screen
from annotation.selectors.stages import progress_of
from annotation.services.block import rater_for
from studies.models import Enrolment
from studies.session.blocks import Next, Page, PlanContext, StepContext, StepPlan, Submitted

KIND = "annotate"


class AnnotateRunner:
    """Shows the consent of the campaign, practice and qualification if it has them, then items one at a time.

    One step takes all of it. The person goes on when they have judged what the study asks for, or when there is
    nothing for them: they declined, did not qualify, or all is judged.
    """

    kind = KIND
    per_question = False

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """One step; which items it shows is decided when they are shown."""
        return [StepPlan(kind=KIND)]

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """What the person has before them; after a post that was not taken, the same item with what was sent."""
        screen = _again(context, values, errors, now) if errors else None
        if screen is None:
            screen = _screen(context, now)
        more = {"may_finish": screen.over is not None, "own_progress": screen.progress}
        return Page(screen.template, screen.title, {**screen.context, **more}, screen.shown)

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Take consent, an answer, a skip, or the wish to go on."""
        if flow.last(data, "action") == "finish":
            return _finish(context, now)
        rater = _rater(context, now)
        packet = None if rater is None else rater.campaign.current_packet
        if rater is None or packet is None or not rater.is_active:
            return Submitted(Next.STAY)
        taken = flow.take(rater, packet, data, now, at_most=_asked_for(context))
        screen = taken.screen
        if screen is None or screen.over is not None:
            return Submitted(Next.STAY, notice=taken.notice)
        if screen.errors:
            return Submitted(Next.STAY, errors=screen.errors)
        if screen.notice:
            return Submitted(Next.STAY, errors={_first_field(screen): screen.notice})
        return Submitted(Next.STAY, notice=taken.notice)

    def is_repeat(self, context: StepContext, data: Mapping[str, Sequence[str]]) -> bool:
        """Whether a post for the finished step says what is stored: to finish it, or an answer that was taken."""
        if flow.last(data, "action") == "finish":
            return True
        key = flow.client_key(data)
        return (
            key is not None
            and Submission.objects.filter(client_key=key, assignment__rater__enrolment=context.enrolment).exists()
        )


def _screen(context: StepContext, now: datetime) -> Screen:
    if context.enrolment.origin != Enrolment.Origin.LIVE:
        return showing.over(Over.NOT_STARTED, message=_("Items are given to participants only, not to a preview."))
    rater = _rater(context, now)
    if rater is None:
        return showing.over(Over.NOT_STARTED)
    if not rater.is_active:
        return showing.over(Over.REMOVED)
    packet, items = rater.campaign.current_packet, _asked_for(context)
    if packet is not None and _is_enough(rater, packet, items):
        return showing.over(Over.ENOUGH, message=_("You have judged all items that this study asks for."))
    return flow.screen_for(rater, packet, now, at_most=items)


def _again(context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime) -> Screen | None:
    """The item of a refused post with what was sent; None if it is not this person's."""
    rater = _rater(context, now)
    packet = None if rater is None else rater.campaign.current_packet
    if rater is None or packet is None:
        return None
    assignment = flow.assignment_of(rater, packet, flow.last(values, "assignment"))
    if assignment is None:
        return None
    is_stale = assignment.status == Assignment.Status.DONE
    again = Again(values, errors, is_stale=is_stale)
    return flow.item_screen(assignment, again, at_most=_asked_for(context))


def _finish(context: StepContext, now: datetime) -> Submitted:
    if _screen(context, now).over is not None:
        return Submitted(Next.ADVANCE)
    return Submitted(Next.STAY, notice=_("There is still something for you to judge."))


def _rater(context: StepContext, now: datetime) -> Rater | None:
    """The participant as a rater; None in a preview, or if the campaign is gone."""
    if KIND in context.kept:
        found: Rater | None = context.kept[KIND]
        return found
    campaign = None
    if context.enrolment.origin == Enrolment.Origin.LIVE:
        slug = context.definition[KIND]["campaign"]
        campaign = Campaign.objects.select_related("current_packet").filter(slug=slug).first()
    rater = None
    if campaign is not None:
        definition = context.definition
        rater = rater_for(enrolment=context.enrolment, campaign=campaign, definition=definition, now=now)
        rater.campaign = campaign
    context.kept[KIND] = rater
    return rater


def _asked_for(context: StepContext) -> int:
    return int(context.definition[KIND]["items"])


def _is_enough(rater: Rater, packet: Packet, items: int) -> bool:
    return progress_of(rater, packet).done >= items


def _first_field(screen: Screen) -> str:
    fields = screen.context.get("fields") or ()
    return fields[0].name if fields else "decision"
