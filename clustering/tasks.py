"""Celery's way in: one service a task."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from clustering import live
from clustering.reporting.services import purge_files


@shared_task(name="clustering.purge_files", ignore_result=True)
def purge() -> None:
    """Delete figures and reports that nobody may download any more."""
    purge_files(now=timezone.now())


@shared_task(name="clustering.sweep_live", ignore_result=True)
def sweep_live() -> None:
    """Queue live views that are due."""
    live.sweep_live()
