"""A broken rule becomes the page, or the document, that says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import Client, RequestFactory
from rest_framework.exceptions import NotAuthenticated, Throttled, ValidationError

from config.errors import DomainErrorMiddleware, answer_program
from core.errors import Conflict, Invalid, NotAllowed, NotThere


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (Conflict("The study is closed & frozen."), 409, "The study is closed &amp; frozen."),
        (NotAllowed(), 403, "You may not open this page"),
        (NotThere(), 404, "<h1"),
        (Invalid("Only whole numbers."), 422, "Only whole numbers."),
    ],
    ids=["conflict", "not allowed", "not there", "invalid"],
)
def test_a_page_says_which_rule_stands_in_the_way(error: Exception, status: int, text: str) -> None:
    middleware = DomainErrorMiddleware(lambda request: HttpResponse())

    answer = middleware.process_exception(RequestFactory().get("/"), error)

    assert answer is not None
    assert answer.status_code == status
    assert text in answer.content.decode()


def test_an_error_of_the_program_is_not_explained_away() -> None:
    middleware = DomainErrorMiddleware(lambda request: HttpResponse())

    assert middleware.process_exception(RequestFactory().get("/"), ValueError("a bug")) is None
    assert answer_program(ValueError("a bug"), {}) is None


@pytest.mark.parametrize(
    ("error", "status", "data"),
    [
        (Conflict("Closed."), 409, {"code": "conflict", "message": "Closed.", "fields": {}}),
        (Http404(), 404, {"code": "not_there", "message": "Not Found", "fields": {}}),
        (PermissionDenied(), 403, {"code": "not_allowed", "message": "Forbidden", "fields": {}}),
        (
            ValidationError({"page_size": ["Too large."]}),
            400,
            {"code": "invalid", "message": "Bad Request", "fields": {"page_size": ["Too large."]}},
        ),
        (
            ValidationError("Nonsense."),
            400,
            {"code": "invalid", "message": "Bad Request", "fields": {"non_field_errors": ["Nonsense."]}},
        ),
        (
            NotAuthenticated(),
            401,
            {"code": "not_authenticated", "message": "Authentication credentials were not provided.", "fields": {}},
        ),
        (Throttled(), 429, {"code": "throttled", "message": "Request was throttled.", "fields": {}}),
    ],
    ids=["conflict", "404", "403", "fields", "no field", "no login", "throttled"],
)
def test_programs_get_every_error_in_one_form(error: Exception, status: int, data: dict[str, Any]) -> None:
    answer = answer_program(error, {})

    assert answer is not None
    assert (answer.status_code, answer.data) == (status, data)


@pytest.mark.django_db
def test_the_schema_is_not_for_strangers(client: Client) -> None:
    answer = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"})

    assert answer.status_code == 403
    assert answer.json()["code"] == "not_authenticated"
