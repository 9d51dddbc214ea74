"""Asking models as raters: queue the run, store each reply once, with the judgement that it states."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.answers import Given
from annotation.judging import replies
from annotation.models import Assignment, Campaign, Judge, JudgeCall, Judgement, Rater
from annotation.selectors.cards import card
from annotation.services import judgements
from annotation.services.common import hold_open, lock_rater, record
from core.endpoints import ChatReply, EndpointError, configured
from core.errors import Conflict, Invalid
from core.models import Run
from core.runs import publish, queue_run

KIND = "judge"
Outcome = JudgeCall.Outcome
LONGEST_ERROR = 500


@transaction.atomic
def start(*, campaign: Campaign, rater: Rater, by: Any, now: datetime) -> Run:
    """Queue a run that asks the model about all it has not judged; the unfinished run of this model if there is one.

    Raises
    ------
    Conflict
        If nobody may judge now, the rater is no model at an endpoint, or its endpoint has another model by now.
    Invalid
        If the endpoint is not configured.
    """
    if rater.came_by != Rater.CameBy.ENDPOINT:
        raise Conflict(_("This rater is not asked through a model endpoint."), code="no_judge")
    if campaign.current_packet is None:
        raise Conflict(_("Freeze the packet first: a model judges what people judge."), code="not_frozen")
    lock_rater(rater)
    hold_open(campaign.current_packet)
    refuse_another_model(rater.judge)
    run = queue_run(
        kind=KIND,
        subject_kind="campaign",
        subject_id=campaign.public_id,
        parameters={"rater": rater.code, "packet": campaign.current_packet.number},
        seed=0,
        by=by,
        now=now,
    )
    record(campaign, "judge_started", by=by, now=now, rater=rater.code, run=str(run.public_id))
    publish(run)
    return run


def refuse_another_model(judge: Judge) -> None:
    """Refuse to ask an endpoint that has another model than the one this rater is."""
    try:
        endpoint = configured(judge.endpoint)
    except EndpointError as problem:
        raise Invalid(str(problem), fields={"endpoint": [str(problem)]}) from problem
    if endpoint.model != judge.model:
        message = _("The endpoint %(endpoint)s now has the model %(now)s; this rater is %(was)s. Add another judge.")
        values = {"endpoint": judge.endpoint, "now": endpoint.model, "was": judge.model}
        raise Conflict(message % values, code="another_model")


@transaction.atomic
def keep_reply(
    *, assignment: Assignment, prompt_sha256: str, reply: ChatReply, asked_at: datetime, now: datetime
) -> str | None:
    """Store a reply and, with the last one that is asked for, the judgement; its outcome.

    A reply that cannot be read is asked for again until the judge's `attempts` replies came; then it is recorded as
    unreadable. None if there is nothing to store: another worker has stored a reply to this item.
    """
    rater = assignment.rater
    lock_rater(rater)
    if not Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.OPEN).exists():
        return None
    shown = card(assignment)
    given = replies.refused(shown) if reply.refusal else replies.read(shown, reply.text)
    unreadable = not reply.refusal and replies.unreadable(given)
    outcome = Outcome.REFUSED if reply.refusal else Outcome.UNPARSABLE if unreadable else Outcome.ANSWERED
    call = _write_call(
        assignment,
        outcome,
        asked_at,
        now,
        prompt_sha256=prompt_sha256,
        model=reply.model[:200],
        raw_output=reply.raw,
        usage=_usage(reply),
    )
    n_came = assignment.calls.exclude(outcome=Outcome.FAILED).count()
    if not unreadable or n_came >= rater.judge.attempts:
        _submit(assignment, given, call, now)
    return str(outcome)


def _submit(assignment: Assignment, given: Mapping[str, Given], call: JudgeCall, now: datetime) -> None:
    """Submit as a person would; the same call is the same submission."""
    key = uuid.uuid5(assignment.public_id, f"call {call.attempt}")
    try:
        with transaction.atomic():
            judgements.submit(assignment=assignment, given=given, client_key=key, version=assignment.version, now=now)
    except Invalid as error:
        # What the form of the reply does not rule out: the call says what came, the answer counts as unreadable.
        kept = {code: given[code] for code in given if code not in error.fields}
        kept |= {code: Given(missing=Judgement.Missing.UNPARSABLE) for code in error.fields}
        JudgeCall.objects.filter(pk=call.pk).update(outcome=Outcome.UNPARSABLE)
        judgements.submit(assignment=assignment, given=kept, client_key=key, version=assignment.version, now=now)


@transaction.atomic
def keep_failure(
    *, assignment: Assignment, prompt_sha256: str, error: EndpointError, asked_at: datetime, now: datetime
) -> None:
    """Note a call without a reply; the item stays open for the next run."""
    lock_rater(assignment.rater)
    _write_call(
        assignment, Outcome.FAILED, asked_at, now, prompt_sha256=prompt_sha256, error=str(error)[:LONGEST_ERROR]
    )


def _write_call(assignment: Assignment, outcome: str, asked_at: datetime, now: datetime, **columns: Any) -> JudgeCall:
    """The rater is locked, so that calls of an item are numbered one after another."""
    return JudgeCall.objects.create(
        assignment=assignment,
        attempt=assignment.calls.count() + 1,
        outcome=outcome,
        parameters=assignment.rater.judge.parameters,
        asked_at=asked_at,
        answered_at=now,
        **columns,
    )


def _usage(reply: ChatReply) -> dict[str, Any]:
    found = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
    return {name: n for name, n in found.items() if n is not None} | {"requests": reply.attempts}


def compute(running: Any) -> Any:
    """Executor of runs that ask a model."""
    from annotation.judging import computing

    return computing.judge(running)
