"""Predictions by a person of the team, one answer at a time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from prediction.models import Prediction, PredictionBatch
from prediction.points import Target
from prediction.services.batches import batch_for
from studies.models import Enrolment, Study


def hand_batch(*, study: Study, by: Any, now: datetime) -> PredictionBatch:
    """The batch of one person's hand predictions; it says who predicted."""
    return batch_for(
        study=study,
        method=PredictionBatch.Method.HAND,
        parameters={"account": by.pk},
        name=_("by hand"),  # a second person gets a number behind it: names of accounts stay in their own column
        now=now,
        by_id=by.pk,
        predicted_by=by,
    )


@transaction.atomic
def store_by_hand(*, study: Study, target: Target, value: int | None, by: Any, now: datetime) -> Prediction:
    """Store what `by` thinks the person rated, or that they cannot tell (None). Another opinion supersedes the first.

    Raises
    ------
    Invalid
        If the value is no rating.
    Conflict
        If the participant has withdrawn.
    """
    if value is not None and value not in range(1, 6):
        raise Invalid(_("A rating is a whole number from 1 to 5."))
    batch = hand_batch(study=study, by=by, now=now)
    person = Enrolment.objects.select_for_update(no_key=True).get(pk=target.enrolment_id)
    if person.status == Enrolment.Status.WITHDRAWN:
        raise Conflict(_("This participant has withdrawn."))
    key: dict[str, Any] = {
        "batch": batch,
        "enrolment": person,
        "answer_id": target.answer_id,
        "candidate_answer_id": target.candidate_answer_id,
        "repeat": 1,
    }
    before = Prediction.objects.current().filter(**key).first()
    if before is not None and before.value == value:
        return before
    if before is not None:
        Prediction.objects.filter(pk=before.pk).update(superseded_at=now)
    return Prediction.objects.create(
        **key,
        outcome=Prediction.Outcome.RATING if value is not None else Prediction.Outcome.REFUSED,
        value=value,
        reason="" if value is not None else _("the person who predicts cannot tell"),
        predicted_at=now,
    )
