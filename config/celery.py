"""The task queue: `celery -A config.celery worker` runs what the apps declare in tasks.py."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("polyphony")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
