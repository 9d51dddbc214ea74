"""What every answer tells the browser, and what a form without its token gets."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

PAGES = ["/", "/healthz", "/s/there-is-no-such-study/", "/admin/login/", "/api/v1/schema/", "/no-such-page/"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_every_answer_carries_the_strict_policy(path: str, client: Client) -> None:
    policy = client.get(path).headers["Content-Security-Policy"]

    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "font-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_no_answer_may_be_framed_sniffed_or_leak_its_address(path: str, client: Client) -> None:
    headers = client.get(path).headers

    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_kindly() -> None:
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "a"})

    assert answer.status_code == 403
    assert b"<h1" in answer.content
    assert b"CSRF" not in answer.content


@pytest.mark.django_db
def test_a_login_form_with_its_token_is_taken() -> None:
    User.objects.create_superuser("r", password="long enough for anyone")
    client = Client(enforce_csrf_checks=True)
    token = client.get("/admin/login/").cookies["csrftoken"]

    answer = client.post(
        "/admin/login/", {"username": "r", "password": "long enough for anyone", "csrfmiddlewaretoken": token.value}
    )

    assert answer.status_code == 302
    assert token["httponly"]
