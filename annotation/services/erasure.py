"""What withdrawal does to a person's texts in items and to their judgements. The one place that deletes judgements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.models import (
    Assignment,
    Item,
    ItemEvent,
    ItemText,
    Judgement,
    JudgementDraft,
    Place,
    Qualification,
    Rater,
    RaterConsent,
    Submission,
    TextOrigin,
)
from studies.models import Enrolment, Study


@transaction.atomic
def erase_participation(*, enrolment: Enrolment, policy: str, now: datetime) -> int:
    """Erase by the study's policy and return the number of rows erased or blanked. The caller has locked the enrolment.

    Texts that the person wrote vanish from items under either policy, with the salt of the item: its hash stays, and
    with it the hash of the packet, but nobody can confirm a guess of the text by it. Judgements that the person gave
    are deleted (`delete_all`) or lose their evidence (`keep_votes`).
    """
    n = _blank_texts(enrolment, now)
    for rater in Rater.objects.select_for_update(no_key=True).filter(enrolment=enrolment).order_by("pk"):
        n += _blank_words(rater) if policy == Study.WithdrawalPolicy.KEEP_VOTES else _delete_work(rater, now)
    return n


def _blank_texts(enrolment: Enrolment, now: datetime) -> int:
    of_person = TextOrigin.objects.filter(enrolment=enrolment)
    items = Item.objects.filter(texts__origin__in=of_person, erased_at=None).values_list("pk", flat=True)
    Item.objects.filter(pk__in=list(items)).update(salt="", erased_at=now)
    n = ItemText.objects.filter(origin__in=of_person).update(text="")
    of_person.update(enrolment=None)
    return n


def _blank_words(rater: Rater) -> int:
    n = _deleted(JudgementDraft, assignment__rater=rater)
    Assignment.objects.filter(rater=rater).exclude(skip_reason="").update(skip_reason="")
    return n + Judgement.objects.filter(assignment__rater=rater).exclude(evidence="").update(evidence="")


def _delete_work(rater: Rater, now: datetime) -> int:
    """Delete what the rater did; the places are free again for others as long as the packet is judged."""
    Place.objects.filter(holder__rater=rater).update(holder=None)
    n = _deleted(JudgementDraft, assignment__rater=rater)
    n += _deleted(Judgement, assignment__rater=rater)
    n += _deleted(Submission, assignment__rater=rater)
    n += _deleted(ItemEvent, assignment__rater=rater)
    n += _deleted(Assignment, rater=rater)
    n += _deleted(Qualification, rater=rater)
    n += _deleted(RaterConsent, rater=rater)
    Rater.objects.filter(pk=rater.pk).update(name="", recruitment="", removed_at=now)
    return n


def _deleted(model: Any, **of: Any) -> int:
    deleted: int = model.objects.filter(**of).delete()[0]
    return deleted
