"""The health check fails only for what participants need."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from core.models import Pulse

ROOT = Path(__file__).resolve().parents[2]
AWAY = "127.0.0.1:9"  # the discard port, where nothing listens


@pytest.mark.django_db
def test_a_copy_that_can_serve_says_so(client: Client) -> None:
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "database": True,
        "migrations": True,
        "broker": True,
        "swept_at": None,
        "swept_s_ago": None,
    }
    assert "no-cache" in answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_the_last_sweep_is_shown(client: Client) -> None:
    Pulse.objects.beat("sweep", at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))

    assert client.get("/healthz").json()["swept_at"] == "2026-01-02T03:04:05+00:00"


@pytest.mark.django_db
def test_a_broker_that_is_away_is_no_reason_to_stop_serving(client: Client, settings: Settings) -> None:
    settings.CELERY_BROKER_URL = f"redis://{AWAY}/0"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {}

    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()["broker"]) == (200, False)


@pytest.mark.django_db
def test_a_missing_migration_is(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="core").delete()

    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()["migrations"]) == (503, False)


def test_a_database_that_is_away_is_too() -> None:
    program = (
        "import django; django.setup();"
        "from django.test import Client; answer = Client().get('/healthz', headers={'host': 'localhost'});"
        "print(answer.status_code, answer.json()['database'], answer.json()['status'])"
    )
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgres://nobody@{AWAY}/none",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )

    assert done.stdout.split() == ["503", "False", "failed"], done.stderr
