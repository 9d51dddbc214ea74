"""The tasks that belong to the house and to no app."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone


@shared_task(name="config.purge_login_attempts", ignore_result=True)
def purge_login_attempts() -> None:
    """Delete staff login attempts and logs, names and addresses with them, after the promised days."""
    from axes.models import AccessAttempt, AccessFailureLog, AccessLog

    before = timezone.now() - timedelta(days=settings.LOGIN_ATTEMPTS_KEPT_DAYS)
    for model in (AccessAttempt, AccessFailureLog, AccessLog):
        model.objects.filter(attempt_time__lt=before).delete()
