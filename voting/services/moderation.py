"""Letting statements in and taking them out of what participants are shown."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from voting.errors import NotModeratable
from voting.models import Statement


@transaction.atomic
def approve_statement(*, statement: Statement, by: Any, now: datetime) -> Statement:
    """Let a statement in: it may be shown from now on. Approving it again changes nothing.

    Raises
    ------
    NotModeratable
        If it was withdrawn, or is a seed that waits for the study's publication.
    """
    return _moderate(statement, Statement.Status.APPROVED, by=by, now=now)


@transaction.atomic
def reject_statement(*, statement: Statement, by: Any, now: datetime) -> Statement:
    """Take a statement out: nobody is shown it from now on, and its votes are not analysed. They stay stored.

    Raises
    ------
    NotModeratable
        If it was withdrawn, or is a seed that waits for the study's publication.
    """
    return _moderate(statement, Statement.Status.REJECTED, by=by, now=now)


def _moderate(statement: Statement, status: Statement.Status, *, by: Any, now: datetime) -> Statement:
    row = (
        Statement.objects.select_for_update(no_key=True, of=("self",))
        .select_related("question__study")
        .get(pk=statement.pk)
    )
    if row.status == status:
        return row
    if row.status == Statement.Status.WITHDRAWN:
        raise NotModeratable(_("The statement %(code)s was withdrawn by its author.") % {"code": row.code})
    if row.status == Statement.Status.PENDING and row.origin == Statement.Origin.SEED:
        message = _("The seed %(code)s is a draft. It is let in when the study is published; change it there.")
        raise NotModeratable(message % {"code": row.code})
    before, row.status = row.status, status
    if status == Statement.Status.APPROVED:
        row.approved_at, row.removed_at = now, None
    else:
        row.removed_at = now
    row.save(update_fields=["status", "approved_at", "removed_at"])
    _record(row, before, by=by, now=now)
    return row


def _record(statement: Statement, before: str, *, by: Any, now: datetime) -> None:
    audit.record(
        f"statement.{statement.status}",
        subject_kind="statement",
        subject_id=statement.public_id,
        study_id=statement.question.study.public_id,
        by=by,
        now=now,
        before=before,
    )
