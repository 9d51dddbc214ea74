"""Celery's way in: ids in, one service called, nothing returned that matters."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from core import runs
from core.models import Pulse


@shared_task(name="core.execute_run", acks_late=True, ignore_result=True)
def execute_run(run_id: int) -> None:
    """Compute one run if it is free."""
    runs.execute(run_id)


@shared_task(name="core.sweep", ignore_result=True)
def sweep() -> None:
    """Publish again what was lost."""
    runs.sweep()
    Pulse.objects.beat("sweep", at=timezone.now())
