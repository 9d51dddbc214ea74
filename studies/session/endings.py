"""How a session ends. An end is never overwritten; only the erasure service may turn one into 'withdrawn'."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from core.errors import DomainError
from core.registry import block_runner
from studies.models import Enrolment, Slot, Step
from studies.session.selectors import Plan

logger = logging.getLogger(__name__)

GRACE = timedelta(seconds=60)
"""How long after its time a session still takes the post that was on its way; what ends then is complete but late."""
BATCH = 500


class Incomplete(DomainError):
    """A session would end as complete although something is missing: an error of ours, shown with the contact."""

    default_message = _(
        "Your last answer could not be taken in, because something before it is missing. What you sent is kept. "
        "Please write to the team."
    )
    default_code = "incomplete"
    http_status = 500


def is_over(enrolment: Enrolment, now: datetime) -> bool:
    """Whether the session is under way although its time and the grace are over."""
    return enrolment.is_past_its_time(now - GRACE)


def is_late(enrolment: Enrolment) -> bool:
    """Whether the session was completed within the grace after its time."""
    ends = (enrolment.finished_at, enrolment.expires_at)
    return enrolment.status == Enrolment.Status.COMPLETE and None not in ends and ends[0] > ends[1]  # type: ignore[operator]


def finish(enrolment: Enrolment, status: str, *, now: datetime) -> bool:
    """End a session that is under way and free its reserved questions. False if it had ended before."""
    ended = Enrolment.objects.filter(pk=enrolment.pk, status=Enrolment.Status.ACTIVE).update(
        status=status, finished_at=now, last_seen_at=now
    )
    if not ended:
        return False
    enrolment.status, enrolment.finished_at, enrolment.last_seen_at = status, now, now
    Slot.objects.filter(enrolment=enrolment, status=Slot.Status.RESERVED).update(status=Slot.Status.RELEASED)
    return True


def complete(enrolment: Enrolment, plan: Plan, *, now: datetime) -> None:
    """End a session as complete, in the transaction of its last post.

    Raises
    ------
    Incomplete
        If a page was not submitted or a block lacks something: the code must not be shown then.
    """
    open_steps = Step.objects.filter(enrolment=enrolment, submitted_at=None).count()
    lacking = {kind: n for kind in {step.block for step in plan} if (n := _lacks(kind, enrolment, plan))}
    if open_steps or lacking:
        logger.error("enrolment %s would end incomplete: %s open steps, lacking %s", enrolment.pk, open_steps, lacking)
        raise Incomplete
    finish(enrolment, Enrolment.Status.COMPLETE, now=now)


def _lacks(kind: str, enrolment: Enrolment, plan: Plan) -> int:
    lacks = getattr(block_runner(kind), "lacks", None)
    return lacks(enrolment, [step for step in plan if step.block == kind]) if lacks is not None else 0


def expire_sessions(*, now: datetime) -> int:
    """Time out the sessions whose time and grace are over, and free their questions. Returns how many."""
    due = Enrolment.objects.filter(status=Enrolment.Status.ACTIVE, expires_at__lte=now - GRACE)
    return sum(_expire(pk, now) for pk in list(due.order_by("expires_at").values_list("pk", flat=True)[:BATCH]))


@transaction.atomic
def _expire(enrolment_id: int, now: datetime) -> bool:
    # Whoever posts at this moment holds the row: if that post ends the session, there is nothing left to time out.
    enrolment = Enrolment.objects.select_for_update(no_key=True).get(pk=enrolment_id)
    return is_over(enrolment, now) and finish(enrolment, Enrolment.Status.TIMED_OUT, now=now)
