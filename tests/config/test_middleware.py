"""Participants' pages carry nothing of staff."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from config.middleware import StaffLocaleMiddleware, is_light


@pytest.mark.parametrize(
    ("path", "light"),
    [("/s/a/", True), ("/healthz", True), ("/studies/", False), ("/admin/", False), ("/", False), ("/sx/", False)],
)
def test_which_pages_know_no_account(path: str, light: bool) -> None:
    assert is_light(RequestFactory().get(path)) is light


@pytest.mark.django_db
def test_a_researcher_who_opens_a_participants_page_is_nobody_there(client: Client) -> None:
    client.force_login(User.objects.create_superuser("r", password="long enough for anyone"))

    answer = client.get("/s/there-is-no-such-study/")

    assert answer.status_code == 404
    assert not hasattr(answer.wsgi_request, "session")
    assert not hasattr(answer.wsgi_request, "user")
    assert "sessionid" not in answer.cookies


@pytest.mark.django_db
def test_a_missing_participants_page_costs_one_query_at_most(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(1):
        client.get("/s/there-is-no-such-study/")


def test_a_participants_page_does_not_inherit_the_language_of_the_request_before() -> None:
    seen: list[str] = []
    middleware = StaffLocaleMiddleware(lambda request: seen.append(translation.get_language()))

    with translation.override("de"):
        middleware(RequestFactory().get("/s/a/"))

    assert seen == ["en"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path",
    ["/studies/%00/", "/results/a/questions/%00/", "/?a=%00", "/?%00=a", "/api/v1/questions/?study=a&study=%00"],
)
def test_an_address_with_nul_is_a_bad_request_rather_than_an_error_of_the_database(path: str, client: Client) -> None:
    client.force_login(User.objects.create_superuser("r", password="long enough for anyone"))

    answer = client.get(path)

    assert answer.status_code == 400
    assert answer.headers["X-Frame-Options"] == "DENY"


@pytest.mark.django_db
def test_a_participants_broken_link_is_left_to_its_page(client: Client) -> None:
    assert client.get("/s/there-is-no-such-study/?PROLIFIC_PID=%00").status_code == 404
