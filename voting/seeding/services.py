"""Start a generation of seeds, and decide on what came of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from core.models import Run
from core.randomness import new_code
from core.runs import Computed, RunningRun, publish, queue_run
from core.text import check_length, is_blank, normalise_typed
from studies.models import Enrolment, Study
from studies.models.validators import WRITE_MAXIMUM
from studies.services import lock, record, refuse_if_published
from voting.models import Statement
from voting.seeding.models import SeedDraft
from voting.seeding.planning import planned
from voting.seeding.settings import SEEDING, Seeding
from voting.services.statements import load_seeds

PREFIX = "generated-"


def compute(running: RunningRun) -> Computed:
    """Executor of a generation."""
    from voting.seeding import computing

    return computing.generate(running)


@transaction.atomic
def start_seeding(*, study: Study, seeding: Seeding, seed: int, by: Any, now: datetime) -> Run:
    """Queue a generation for a draft and tell a worker; the unfinished run of these settings if there is one.

    Raises
    ------
    Conflict
        If the study is published, or there are too few examples.
    """
    lock(study)
    refuse_if_published(study)
    planned(study, seeding, seed)
    run = queue_run(
        kind=SEEDING,
        subject_kind="study",
        subject_id=study.public_id,
        parameters=seeding.to_dict(),
        seed=seed,
        by=by,
        now=now,
    )
    record(study, "seeds.requested", by=by, now=now, run=str(run.public_id))
    publish(run)
    return run


@transaction.atomic
def approve_draft(*, draft: SeedDraft, text: str, by: Any, now: datetime) -> Statement:
    """Make a generated text, as a person has read and perhaps edited it, a seed of the draft study.

    What the model wrote stays beside it. Approving the same text again changes nothing.

    Raises
    ------
    Conflict
        If the study is published, the question is not in it any more, or another text was approved.
    Invalid
        If the text is empty or too long.
    """
    row, study = _locked(draft)
    text = normalise_typed(text)
    if is_blank(text):
        raise Invalid(_("This text is empty."), code="empty")
    check_length(text, maximum=WRITE_MAXIMUM.most)
    if row.status == SeedDraft.Status.APPROVED:
        if row.approved_text == text and row.statement is not None:
            return row.statement
        raise Conflict(_("This one was approved already. Change the seed itself, or remove it."))
    if not row.question.is_current:
        raise Conflict(_("The question was replaced by another wording since."))
    code = PREFIX + new_code(8).lower()
    load_seeds(study=study, rows=[{"question": row.question.code, "code": code, "text": text}], now=now)
    row.statement = Statement.objects.get(question=row.question, code=code)
    row.approved_text = text
    _decide(row, SeedDraft.Status.APPROVED, by=by, now=now)
    record(study, "seed.approved", by=by, now=now, draft=str(row.public_id), edited=row.is_edited)
    return row.statement


@transaction.atomic
def reject_draft(*, draft: SeedDraft, by: Any, now: datetime) -> SeedDraft:
    """Put a generated text aside; it may still be approved later. Rejecting it again changes nothing.

    Raises
    ------
    Conflict
        If the study is published, or the text is a seed already: then the seed is removed where seeds are edited.
    """
    row, study = _locked(draft)
    if row.status == SeedDraft.Status.APPROVED:
        raise Conflict(_("This one was approved already. Change the seed itself, or remove it."))
    if row.status == SeedDraft.Status.WAITING:
        _decide(row, SeedDraft.Status.REJECTED, by=by, now=now)
        record(study, "seed.rejected", by=by, now=now, draft=str(row.public_id))
    return row


@transaction.atomic
def erase_examples(*, enrolment: Enrolment, now: datetime) -> int:
    """Blank what a model wrote after a response of somebody who withdraws; returns how many drafts that were.

    A model may repeat the words of its example, so they go under either policy; ids and hashes stay. A text that a
    person read and let in is the study's own and stays. Nobody can let in what is blank, so what waited is put aside.
    """
    rows = SeedDraft.objects.filter(
        example=enrolment.public_code, run__parameters__pilot=str(enrolment.study.public_id)
    ).select_for_update(no_key=True, of=("self",))
    for row in rows:
        row.raw = row.refusal = ""
        if row.status == SeedDraft.Status.WAITING:
            row.status, row.decided_at = SeedDraft.Status.REJECTED, now
        if row.text != row.approved_text:
            row.text = ""
        row.save(update_fields=["raw", "refusal", "text", "status", "decided_at"])
    return len(rows)


def _locked(draft: SeedDraft) -> tuple[SeedDraft, Study]:
    study = Study.objects.get(questions=draft.question_id)
    lock(study)
    refuse_if_published(study)
    rows = SeedDraft.objects.select_for_update(no_key=True, of=("self",)).select_related("question", "statement")
    return rows.get(pk=draft.pk), study


def _decide(row: SeedDraft, status: SeedDraft.Status, *, by: Any, now: datetime) -> None:
    row.status = status
    row.decided_at = now
    row.decided_by_id = by.pk if by is not None and by.is_authenticated else None
    row.save(update_fields=["status", "approved_text", "decided_at", "decided_by", "statement"])
