"""Taking answers. Append-only: changing one supersedes the earlier row; the same post twice is one post."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.answers import Checked, Given, check
from annotation.errors import ConsentMissing, StaleForm
from annotation.models import (
    Assignment,
    Dimension,
    ItemEvent,
    Judgement,
    JudgementDraft,
    Place,
    Rater,
    Submission,
)
from annotation.selectors.raters import needs_consent
from annotation.services import qualifying
from annotation.services.common import hold_open, lock_rater, place_of
from core.canonical import content_sha256
from core.errors import Conflict, Invalid

Status = Assignment.Status
Purpose = Assignment.Purpose
DRAFT_MAXIMUM = 100_000


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a post: `is_repeat` if it was there already, `is_extra` if the item's place was lost before."""

    submission: Submission
    is_repeat: bool
    is_extra: bool


@transaction.atomic
def submit(
    *, assignment: Assignment, given: Mapping[str, Given], client_key: uuid.UUID, version: int, now: datetime
) -> Submitted:
    """Store the answers to an item, by the code of the dimension, in terms of the page (labels as shown).

    `client_key` is made with the form: the same key again answers alike and stores nothing. `version` is the
    assignment's version that the form was made from.

    Raises
    ------
    Invalid
        With the messages by dimension.
    StaleForm
        If the answers were changed since the form was shown.
    PacketLocked, NotOpen, RaterRemoved, ConsentMissing
        If nobody, or not this rater, may answer now.
    """
    rater = assignment.rater
    lock_rater(rater)
    hold_open(assignment.item.packet)
    if needs_consent(rater):
        raise ConsentMissing
    # Whoever takes an expired place locks it first: after this the holder stays who it is.
    place = place_of(assignment)
    assignment.refresh_from_db(fields=["status", "version", "is_extra", "lease_until", "done_at", "swapped"])
    before = Submission.objects.filter(assignment=assignment, client_key=client_key).first()
    if before is not None:
        return Submitted(before, is_repeat=True, is_extra=assignment.is_extra)
    _refuse_finished_qualification(assignment)
    if version != assignment.version:
        raise StaleForm
    dimensions = dimensions_of(assignment)
    by_model = rater.kind == Rater.Kind.MODEL
    answers = check(dimensions, given, swapped=assignment.swapped, by_model=by_model)
    submission = _store(assignment, answers, client_key, now)
    _finish(assignment, place, now)
    if assignment.purpose == Purpose.GOLD:
        qualifying.decide_if_answered(assignment, now)
    return Submitted(submission, is_repeat=False, is_extra=assignment.is_extra)


def dimensions_of(assignment: Assignment) -> Sequence[Dimension]:
    """What is asked about the item, in order, with labels."""
    rows = Dimension.objects.filter(kind=assignment.item.kind_id).order_by("position", "code")
    return list(rows.prefetch_related("labels"))


def _refuse_finished_qualification(assignment: Assignment) -> None:
    """Answers to training and gold items stay: their right answers have been shown, or counted."""
    if assignment.purpose in (Purpose.TRAINING, Purpose.GOLD) and assignment.status == Status.DONE:
        raise Conflict(_("You have answered this item already; it was for practice and stays."), code="answered")


def _store(assignment: Assignment, answers: Sequence[Checked], client_key: uuid.UUID, now: datetime) -> Submission:
    submission = Submission.objects.create(
        assignment=assignment,
        number=assignment.version + 1,
        client_key=client_key,
        payload_sha256=content_sha256({each.dimension.code: each.to_dict() for each in answers}),
        received_at=now,
    )
    current = {row.dimension_id: row for row in Judgement.objects.current().filter(assignment=assignment)}
    new = [each for each in answers if not _stands(each, current.get(each.dimension.pk))]
    replaced = [current[each.dimension.pk].pk for each in new if each.dimension.pk in current]
    Judgement.objects.filter(pk__in=replaced).update(superseded_at=now)
    Judgement.objects.bulk_create(
        [
            Judgement(
                assignment=assignment,
                submission=submission,
                dimension=each.dimension,
                label=each.label,
                shown_label=each.shown_label,
                labels=each.labels,
                missing=each.missing,
                evidence=each.evidence,
                swapped=assignment.swapped,
                rank=assignment.rank,
                judged_at=now,
            )
            for each in new
        ]
    )
    return submission


def _stands(answer: Checked, row: Judgement | None) -> bool:
    return row is not None and answer.says(row)


def _finish(assignment: Assignment, place: Place | None, now: datetime) -> None:
    """Mark the item as done. Work in a place that went to somebody else is extra."""
    assignment.is_extra = _is_extra(assignment, place)
    assignment.status = Status.DONE
    assignment.version += 1
    assignment.done_at = assignment.done_at or now
    assignment.lease_until = assignment.postponed_at = None
    assignment.save(update_fields=["status", "version", "is_extra", "done_at", "lease_until", "postponed_at"])
    JudgementDraft.objects.filter(assignment=assignment).delete()
    ItemEvent.objects.create(assignment=assignment, kind=ItemEvent.Kind.SUBMITTED, at=now)


def _is_extra(assignment: Assignment, place: Place | None) -> bool:
    if assignment.status == Status.DONE:
        return assignment.is_extra
    needs_place = assignment.purpose == Purpose.WORK and assignment.rater.kind == Rater.Kind.PERSON
    return needs_place and place is None


@transaction.atomic
def save_draft(*, assignment: Assignment, payload: Mapping[str, Any], now: datetime) -> None:
    """Keep what is chosen and typed until it is sent; a locked packet keeps nothing."""
    rater = assignment.rater
    lock_rater(rater)
    hold_open(assignment.item.packet)
    if len(str(payload)) > DRAFT_MAXIMUM:
        raise Invalid(_("This is too much text to keep."), code="too_long")
    JudgementDraft.objects.update_or_create(assignment=assignment, defaults={"payload": dict(payload), "saved_at": now})
    ItemEvent.objects.create(assignment=assignment, kind=ItemEvent.Kind.DRAFTED, at=now)
