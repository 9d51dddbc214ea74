"""Writing what was predicted, at once and once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core.endpoints import ChatReply
from prediction.judging.replies import rating_in
from prediction.models import JudgeReply, Prediction, PredictionBatch
from prediction.points import Target
from studies.models import Enrolment

Outcome = Prediction.Outcome
CHUNK = 1_000
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Kept:
    """A prediction as it stands in the database: its outcome, its value, and the hash of the prompt it answers."""

    outcome: str
    value: float | None
    prompt_sha256: str


def keep_reply(
    *, batch: PredictionBatch, target: Target, repeat: int, prompt_sha256: str, reply: ChatReply, now: datetime
) -> Kept | None:
    """Store one reply of a judge and what can be read from it; an answer to another prompt is superseded.

    None if there is nothing to store: the person withdrew while the judge thought, or another worker stored the same.
    """
    outcome, value, reason = _read(reply)
    try:
        with transaction.atomic():
            # Locked first: whoever withdraws either finds this row, or we find that they have withdrawn.
            person = Enrolment.objects.select_for_update(no_key=True).get(pk=target.enrolment_id)
            if person.status == Enrolment.Status.WITHDRAWN:
                return None
            key = _key(batch, target, repeat)
            Prediction.objects.current().filter(**key).exclude(prompt_sha256=prompt_sha256).update(superseded_at=now)
            prediction = Prediction.objects.create(
                **key, outcome=outcome, value=value, reason=reason, prompt_sha256=prompt_sha256, predicted_at=now
            )
            JudgeReply.objects.create(
                prediction=prediction,
                text=reply.text,
                raw=reply.raw,
                refusal=reply.refusal,
                model=reply.model[:200],
                finish_reason=reply.finish_reason[:100],
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                attempts=reply.attempts,
                received_at=now,
            )
    except IntegrityError:
        return None
    return Kept(outcome, value, prompt_sha256)


def _read(reply: ChatReply) -> tuple[str, float | None, str]:
    """Outcome, value and reason of a reply."""
    if reply.refusal:
        return Outcome.REFUSED, None, _("the judge refused")
    value = rating_in(reply.text)
    if value is None:
        return Outcome.UNREADABLE, None, _("the reply states no rating from 1 to 5")
    return Outcome.RATING, float(value), ""


def _key(batch: PredictionBatch, target: Target, repeat: int) -> dict[str, Any]:
    return {
        "batch": batch,
        "enrolment_id": target.enrolment_id,
        "answer_id": target.answer_id,
        "candidate_answer_id": target.candidate_answer_id,
        "repeat": repeat,
    }


@transaction.atomic
def keep_guesses(
    *, batch: PredictionBatch, guesses: Iterable[tuple[Target, float | None, str]], now: datetime
) -> list[Kept]:
    """Store what a baseline says of each target: a value, or the reason why there is none. Runs in `_finish`.

    What says the same as before stays; what says something else supersedes it.
    """
    wanted = list(guesses)
    people = [target.enrolment_id for target, _value, _reason in wanted]
    locked = Enrolment.objects.filter(pk__in=set(people)).order_by("pk").select_for_update(no_key=True)
    present = {key for key, status in locked.values_list("pk", "status") if status != Enrolment.Status.WITHDRAWN}
    stored = {
        (row.enrolment_id, row.answer_id, row.candidate_answer_id): row
        for row in Prediction.objects.current().filter(batch=batch)
    }
    new: list[Prediction] = []
    old: list[int] = []
    kept = []
    for target, value, reason in wanted:
        if target.enrolment_id not in present:
            continue
        outcome = Outcome.RATING if value is not None else Outcome.UNDEFINED
        kept.append(Kept(outcome, value, ""))
        row = stored.get((target.enrolment_id, *target.answer_key))
        if row is not None and (row.value, row.reason) == (value, reason[:LONGEST_REASON]):
            continue
        if row is not None:
            old.append(row.pk)
        new.append(
            Prediction(
                **_key(batch, target, 1),
                outcome=outcome,
                value=value,
                reason=reason[:LONGEST_REASON],
                predicted_at=now,
            )
        )
    _supersede(old, now)
    Prediction.objects.bulk_create(new, batch_size=CHUNK)
    return kept


def _supersede(keys: Sequence[int], now: datetime) -> None:
    for start in range(0, len(keys), CHUNK):
        Prediction.objects.filter(pk__in=keys[start : start + CHUNK]).update(superseded_at=now)
