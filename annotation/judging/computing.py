"""The executor of runs that ask a model to judge. Imported by the worker alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.judging.consistency import swap_consistency
from annotation.judging.planning import Requests, open_assignments
from annotation.judging.prompting import VERSION
from annotation.models import Assignment, Campaign, Judge, JudgeCall, Packet, Rater
from annotation.services import judging
from annotation.services.claims import assign_everything
from core.canonical import content_sha256
from core.endpoints import ChatReply, EndpointError, chat_all, configured
from core.errors import DomainError
from core.runs import CannotCompute, Computed, RunningRun

FAILURES_IN_A_ROW = 5
"""After so many calls in a row without a reply the run gives up. What was answered stays."""
ABOUT_THE_PROMPT = frozenset({400, 413, 422})
"""Statuses that refuse one request, too long a prompt for instance: the next may be answered, so these do not count."""


@dataclass(slots=True)
class Asking:
    """A run under way: what became of its calls, and the items without a reply, which this run does not ask again."""

    running: RunningRun
    rater: Rater
    packet: Packet
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    given_up: set[int] = field(default_factory=set)
    in_a_row: int = 0

    @property
    def judge(self) -> Judge:
        """How the model is asked."""
        return self.rater.judge

    def progress(self) -> None:
        """Say how much of everything is judged."""
        rows = Assignment.objects.filter(rater=self.rater, item__packet=self.packet)
        self.running.progress(rows.filter(status=Assignment.Status.DONE).count(), rows.count(), self.judge.model)


def judge(running: RunningRun) -> Computed:
    """Ask the model about every item it has not judged; each reply is stored as it comes."""
    parameters = running.run.parameters
    campaign = Campaign.objects.get(public_id=running.run.subject_id)
    rater = Rater.objects.select_related("judge", "campaign").get(campaign=campaign, code=parameters["rater"])
    packet = Packet.objects.select_related("campaign").get(campaign=campaign, number=parameters["packet"])
    asking = Asking(running, rater, packet)
    try:
        judging.refuse_another_model(rater.judge)
        configured(rater.judge.endpoint).key()
        assign_everything(rater=rater, packet=packet, now=timezone.now())
        while todo := [row for row in open_assignments(rater, packet) if row.pk not in asking.given_up]:
            asking.progress()
            _ask(asking, todo)
    except DomainError as problem:
        raise CannotCompute(str(problem)) from problem
    asking.progress()
    return _computed(asking)


def _ask(asking: Asking, todo: list[Assignment]) -> None:
    """Ask about each of these once; who could not be read comes again with the next call of this."""
    requests = Requests(todo, asking.judge)
    asked_at = timezone.now()
    with closing(chat_all(configured(asking.judge.endpoint), requests)) as found:
        for index, reply in found:
            sha256 = reply.prompt_sha256 if isinstance(reply, ChatReply) else requests[index].sha256
            _keep(asking, todo[index], sha256, reply, asked_at)
            asking.progress()


def _keep(
    asking: Asking, assignment: Assignment, prompt_sha256: str, reply: ChatReply | EndpointError, asked_at: datetime
) -> None:
    now = timezone.now()
    if isinstance(reply, EndpointError):
        judging.keep_failure(
            assignment=assignment, prompt_sha256=prompt_sha256, error=reply, asked_at=asked_at, now=now
        )
        asking.failures[reply.code] += 1
        asking.given_up.add(assignment.pk)
        asking.in_a_row += reply.status not in ABOUT_THE_PROMPT
        if asking.in_a_row >= FAILURES_IN_A_ROW:
            raise CannotCompute(_given_up(reply))
        return
    asking.in_a_row = 0
    outcome = judging.keep_reply(
        assignment=assignment, prompt_sha256=prompt_sha256, reply=reply, asked_at=asked_at, now=now
    )
    if outcome is not None:
        asking.outcomes[outcome] += 1


def _given_up(error: EndpointError) -> str:
    message = _(
        "The endpoint gave no reply %(n)d times in a row, at last: %(error)s What was answered is kept. Start the "
        "judge again to go on from there."
    )
    return message % {"n": FAILURES_IN_A_ROW, "error": error}


def _computed(asking: Asking) -> Computed:
    prompts = _prompts(asking.rater, asking.packet)
    described = {
        "endpoint": asking.judge.endpoint,
        "model": asking.judge.model,
        "parameters": asking.judge.parameters,
        "form_of_message": VERSION,
        "instructions_sha256": asking.judge.prompt_sha256,
        "attempts": asking.judge.attempts,
        "asks_both_ways": asking.judge.asks_both_ways,
    }
    rows = Assignment.objects.filter(rater=asking.rater, item__packet=asking.packet)
    result = {
        "rater": asking.rater.code,
        "packet": asking.packet.number,
        "packet_sha256": asking.packet.sha256,
        "judge": described,
        "n_assigned": rows.count(),
        "n_judged": rows.filter(status=Assignment.Status.DONE).count(),
        "calls_of_this_run": dict(sorted(asking.outcomes.items())),
        "failures_of_this_run": dict(sorted(asking.failures.items())),
        "calls": _counted(asking.rater, asking.packet),
        "swap_consistency": swap_consistency(asking.rater, asking.packet),
    }
    digest = content_sha256({"judge": described, "packet": asking.packet.sha256, "prompts": prompts})
    return Computed(digest, result)


def _prompts(rater: Rater, packet: Packet) -> list[list[str]]:
    """Item, purpose and hash of the message of every call that brought a reply."""
    calls = JudgeCall.objects.filter(assignment__rater=rater, assignment__item__packet=packet)
    columns = ("assignment__item__key", "assignment__purpose", "prompt_sha256")
    rows = calls.exclude(outcome=JudgeCall.Outcome.FAILED).order_by(*columns).values_list(*columns).distinct()
    return [list(row) for row in rows]


def _counted(rater: Rater, packet: Packet) -> Mapping[str, Any]:
    calls = JudgeCall.objects.filter(assignment__rater=rater, assignment__item__packet=packet)
    rows = list(calls.values_list("outcome", "usage"))
    return {
        "outcomes": dict(sorted(Counter(outcome for outcome, _usage in rows).items())),
        "prompt_tokens": sum(usage.get("prompt_tokens", 0) for _outcome, usage in rows),
        "completion_tokens": sum(usage.get("completion_tokens", 0) for _outcome, usage in rows),
    }
