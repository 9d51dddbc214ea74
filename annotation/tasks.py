"""Celery's way in: one service a task."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from annotation.services import sharing


@shared_task(name="annotation.purge_exports", ignore_result=True)
def purge() -> None:
    """Delete archives of audits that nobody may download any more."""
    sharing.purge(now=timezone.now())
