"""Guessed staff passwords are locked out, and the traces of it do not stay."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from config.addresses import client_address
from config.celery import app
from config.tasks import purge_login_attempts

PASSWORD = "long enough for anyone"


def log_in(client: Client, password: str, address: str = "203.0.113.9") -> int:
    form = {"username": "r", "password": password, "next": "/"}
    return client.post("/admin/login/", form, REMOTE_ADDR=address).status_code


@pytest.mark.django_db
def test_five_wrong_passwords_close_the_name_from_that_address(client: Client) -> None:
    User.objects.create_superuser("r", password=PASSWORD)

    statuses = [log_in(client, "wrong") for _ in range(5)]

    assert statuses[:4] == [200] * 4
    assert statuses[4] == 429
    assert log_in(client, PASSWORD) == 429


@pytest.mark.django_db
def test_the_rightful_person_elsewhere_is_not_locked_out(client: Client) -> None:
    User.objects.create_superuser("r", password=PASSWORD)
    for _ in range(5):
        log_in(client, "wrong")

    assert log_in(client, PASSWORD, address="203.0.113.10") == 302


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "more"), [(AccessAttempt, {"failures_since_start": 1}), (AccessFailureLog, {}), (AccessLog, {})]
)
def test_attempts_are_gone_after_thirty_days(model: type[AccessLog], more: dict[str, int]) -> None:
    old, young = (model.objects.create(username=name, ip_address="203.0.113.9", **more) for name in ("old", "young"))
    model.objects.filter(pk=old.pk).update(attempt_time=timezone.now() - timedelta(days=31))
    model.objects.filter(pk=young.pk).update(attempt_time=timezone.now() - timedelta(days=29))

    purge_login_attempts()

    assert list(model.objects.values_list("username", flat=True)) == ["young"]


def test_the_beat_schedule_names_tasks_that_exist() -> None:
    app.loader.import_default_modules()

    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


@pytest.mark.parametrize(
    ("behind_proxy", "address"), [(True, "198.51.100.7"), (False, "203.0.113.9")], ids=["proxy", "direct"]
)
def test_only_our_own_proxy_is_believed(behind_proxy: bool, address: str, settings: Settings) -> None:
    settings.BEHIND_PROXY = behind_proxy
    request = RequestFactory().get("/", REMOTE_ADDR="203.0.113.9", HTTP_X_FORWARDED_FOR="192.0.2.1, 198.51.100.7")

    assert client_address(request) == address
