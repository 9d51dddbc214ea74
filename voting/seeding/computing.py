"""The executor of a generation: asks what is still open, keeps each reply at once."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core.canonical import text_sha256
from core.endpoints import ChatReply, EndpointError, chat_all, configured
from core.errors import Conflict
from core.models import Run
from core.runs import CannotCompute, Computed, RunningRun
from studies.models import Enrolment, Study
from voting.seeding import prompts
from voting.seeding.models import SeedDraft
from voting.seeding.planning import Job, Plan, planned
from voting.seeding.settings import Seeding


def generate(running: RunningRun) -> Computed:
    """Ask for every statement that the series lacks.

    Raises
    ------
    CannotCompute
        If the plan cannot be made, the endpoint refuses, or some calls failed after their retries. What came is kept:
        the same settings started again ask for the rest alone.
    """
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    try:
        seeding = Seeding.from_dict(run.parameters)
        plan = planned(study, seeding, run.seed)
    except (Conflict, EndpointError) as error:
        raise CannotCompute(str(error)) from error
    failed = _ask(running, plan, seeding)
    if failed:
        message = _("%(n)d of %(total)d calls failed, the last one with: %(why)s Start again to repeat only these.")
        raise CannotCompute(message % {"n": len(failed), "total": len(plan.jobs), "why": f"{failed[-1]}."})
    return Computed(plan.input_sha256, _result(plan, seeding))


def _ask(running: RunningRun, plan: Plan, seeding: Seeding) -> list[EndpointError]:
    total = len(plan.jobs)
    done = total - len(plan.open_jobs)
    failed: list[EndpointError] = []
    running.progress(done, total)
    with contextlib.closing(_replies(plan, seeding)) as replies:
        for job, outcome in replies:
            if isinstance(outcome, ChatReply):
                _keep(running.run, seeding, job, outcome)
                done += 1
            elif outcome.is_transient:
                failed.append(outcome)
            else:
                raise CannotCompute(str(outcome)) from outcome
            running.progress(done, total, job.question.code)
    return failed


def _replies(plan: Plan, seeding: Seeding) -> Generator[tuple[Job, ChatReply | EndpointError]]:
    endpoint = configured(seeding.endpoint)
    with contextlib.closing(chat_all(endpoint, [job.request for job in plan.open_jobs])) as replies:
        for index, outcome in replies:
            yield plan.open_jobs[index], outcome


def _keep(run: Run, seeding: Seeding, job: Job, reply: ChatReply) -> None:
    draft = SeedDraft(
        question=job.question,
        run=run,
        series=job.series,
        position=job.position,
        example=job.example.enrolment.public_code,
        example_question=job.example.question.code,
        endpoint=seeding.endpoint,
        model=reply.model[:200],
        prompt_version=prompts.VERSION,
        prompt_sha256=reply.prompt_sha256,
        raw=reply.raw,
        text=reply.text.strip(),
        refusal=reply.refusal,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        created_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            # Locked first: whoever withdraws either finds this row, or we find that they have withdrawn.
            person = Enrolment.objects.select_for_update(no_key=True).get(pk=job.example.enrolment_id)
            if person.status != Enrolment.Status.WITHDRAWN:
                draft.save(force_insert=True)
    except IntegrityError:
        # A worker that was given up on was quicker with this one; its statement stays.
        series, example, prompt = job.key
        if not SeedDraft.objects.filter(series=series, example=example, prompt_sha256=prompt).exists():
            raise


def _result(plan: Plan, seeding: Seeding) -> dict[str, Any]:
    drafts = SeedDraft.objects.filter(series__in={job.series for job in plan.jobs}).select_related("question")
    by_key = {(draft.series, draft.example, draft.prompt_sha256): draft for draft in drafts}
    # Whose example withdrew while the model wrote is in the plan, but has no row.
    rows = [by_key[job.key] for job in plan.jobs if job.key in by_key]
    return {
        "prompt_version": prompts.VERSION,
        "endpoint": configured(seeding.endpoint).described(),
        "n_refused": sum(bool(row.refusal) for row in rows),
        "prompt_tokens": _total([row.prompt_tokens for row in rows]),
        "completion_tokens": _total([row.completion_tokens for row in rows]),
        "drafts": [
            {
                "question": row.question.code,
                "position": row.position,
                "example": row.example,
                "example_question": row.example_question,
                "model": row.model,
                "prompt_sha256": row.prompt_sha256,
                "text_sha256": text_sha256(row.text),
                "is_refused": bool(row.refusal),
            }
            for row in rows
        ],
    }


def _total(counts: list[int | None]) -> int | None:
    """The sum, None if a server left one out."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
