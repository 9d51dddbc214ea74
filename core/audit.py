"""The record of what the team did."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils import timezone

from core.models import AuditEvent


def record(
    event: str,
    *,
    subject_kind: str,
    subject_id: object,
    by: AbstractBaseUser | AnonymousUser | None,
    study_id: object = "",
    now: datetime | None = None,
    **detail: Any,
) -> AuditEvent:
    """Write one audit event in the caller's transaction. `by` is None for a command; details hold ids and numbers."""
    person = by if by is not None and by.is_authenticated else None
    return AuditEvent.objects.create(
        event=event,
        subject_kind=subject_kind,
        subject_id=str(subject_id),
        study_id=str(study_id),
        by_id=person.pk if person else None,
        by_name=person.get_username() if person else "command line",
        at=now or timezone.now(),
        detail=detail,
    )
