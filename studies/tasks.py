"""Celery's way in: one service a task."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from studies.data.services import purge_exports
from studies.session.endings import expire_sessions


@shared_task(name="studies.expire", ignore_result=True)
def expire() -> None:
    """Time out sessions whose time is over, and free their questions."""
    expire_sessions(now=timezone.now())


@shared_task(name="studies.purge_exports", ignore_result=True)
def purge() -> None:
    """Delete archives of exports that nobody may download any more."""
    purge_exports(now=timezone.now())
