"""Withdrawal: the one service that deletes what people gave.

Every app erases its own through the registry, higher apps first, because their rows refer to those of `studies`. What
stays is an enrolment without content and a tombstone of ids and numbers, so that exports and runs can say what is gone.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from core import audit
from core.registry import modules
from studies.models import (
    Answer,
    Draft,
    Enrolment,
    ExternalIdentity,
    FreeResponse,
    LateSubmission,
    PageView,
    RepresentationRating,
    Slot,
    Step,
    Study,
    Tombstone,
)
from studies.session.outcomes import HAD_FINISHED
from studies.session.selectors import definition_of

KEEP_VOTES = Study.WithdrawalPolicy.KEEP_VOTES
ERASED_HASH = "withdrawn"


@transaction.atomic
def withdraw_enrolment(
    *, enrolment: Enrolment, by: AbstractBaseUser | AnonymousUser | None, now: datetime
) -> Tombstone:
    """Erase what `enrolment` gave, by its study's policy, and end it as withdrawn. Repeating it changes nothing.

    `by` is the researcher who does it for the person, None for the person. Also a session that has ended otherwise is
    withdrawn; it is the only end that replaces another.
    """
    locked = Enrolment.objects.select_related("study").select_for_update(no_key=True, of=("self",)).get(pk=enrolment.pk)
    stone = Tombstone.objects.filter(enrolment_public_id=locked.public_id).first()
    if stone is None:
        stone = _withdraw(locked, now)
        if by is not None:
            audit.record(
                "enrolment.withdraw",
                subject_kind="enrolment",
                subject_id=locked.public_id,
                by=by,
                study_id=locked.study.public_id,
                now=now,
                policy=stone.policy,
            )
    enrolment.status, enrolment.finished_at = locked.status, locked.finished_at
    return stone


def _withdraw(enrolment: Enrolment, now: datetime) -> Tombstone:
    policy = _policy_of(enrolment)
    had_finished = enrolment.status == Enrolment.Status.COMPLETE
    erased = {
        module.slug: module.erase(enrolment, policy) for module in reversed(modules()) if module.erase is not None
    }
    enrolment.status = Enrolment.Status.WITHDRAWN
    enrolment.finished_at = enrolment.finished_at or now
    enrolment.last_seen_at = now
    enrolment.save(update_fields=["status", "finished_at", "last_seen_at"])
    return Tombstone.objects.create(
        study=enrolment.study,
        enrolment_public_id=enrolment.public_id,
        withdrawn_at=now,
        policy=policy,
        erased=erased | {HAD_FINISHED: int(had_finished)},
    )


def _policy_of(enrolment: Enrolment) -> str:
    """The policy that the person agreed to; imported people agreed to none of ours: the study's present one holds."""
    agreed = definition_of(enrolment.version_id).get("withdrawal") if enrolment.version_id is not None else None
    return agreed or enrolment.study.withdrawal_policy


def erase(enrolment: Enrolment, policy: str) -> int:
    """Erase what `studies` holds of `enrolment`; returns how many rows were deleted or emptied.

    Texts, the form's answers and the recruiter's ids go under either policy; ratings and the record of pages stay
    under "keep votes", where they hang on a number that leads to nobody.
    """
    n = _deleted(Draft, step__enrolment=enrolment)
    n += _deleted(LateSubmission, step__enrolment=enrolment)
    n += _deleted(FreeResponse, enrolment=enrolment)
    n += _deleted(ExternalIdentity, enrolment=enrolment)
    reserved = Slot.objects.filter(enrolment=enrolment)
    reserved.update(status=Slot.Status.RELEASED, completed_at=None)
    return n + (_empty(enrolment) if policy == KEEP_VOTES else _delete_rest(enrolment))


def _empty(enrolment: Enrolment) -> int:
    # The hash of a page's fields would confirm a guess of what was typed.
    Step.objects.filter(enrolment=enrolment).exclude(submitted_at=None).update(payload_sha256=ERASED_HASH)
    return Answer.objects.filter(enrolment=enrolment).update(
        value_choice=None,
        value_choices=None,
        value_integer=None,
        value_text=None,
        missing=Answer.Missing.WITHDRAWN,
    )


def _delete_rest(enrolment: Enrolment) -> int:
    n = _deleted(Answer, enrolment=enrolment)
    n += _deleted(RepresentationRating, enrolment=enrolment)
    n += _deleted(PageView, step__enrolment=enrolment)
    return n + _deleted(Step, enrolment=enrolment)


def _deleted(model: Any, **of: Any) -> int:
    deleted: int = model.objects.filter(**of).delete()[0]
    return deleted
