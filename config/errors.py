"""The two places where a broken rule of the domain becomes an answer: one for pages, one for programs."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from core.errors import DomainError

PAGES = {HTTPStatus.FORBIDDEN: "403.html", HTTPStatus.NOT_FOUND: "404.html"}


class DomainErrorMiddleware:
    """Answer a rule that a page's view did not catch with the page that says so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page for a broken rule; leave every other exception alone."""
        if not isinstance(error, DomainError):
            return None
        page = PAGES.get(HTTPStatus(error.http_status), "409.html")
        return render(request, page, {"message": str(error)}, status=error.http_status)


def answer_program(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return every error of the interface for programs as `code`, `message` and `fields`."""
    if isinstance(error, DomainError):
        return Response(error.to_dict(), status=error.http_status)
    response = exception_handler(error, context)
    if response is None:
        return None
    response.data = {"code": _code(error), "message": _message(error, response), "fields": _fields(error)}
    return response


def _code(error: Exception) -> str:
    if isinstance(error, Http404):
        return "not_there"
    if isinstance(error, PermissionDenied):
        return "not_allowed"
    if isinstance(error, ValidationError):
        return "invalid"
    return str(getattr(error, "default_code", "error"))


def _message(error: Exception, response: Response) -> str:
    if isinstance(error, APIException) and not isinstance(error, ValidationError):
        return str(error.detail)
    return HTTPStatus(response.status_code).phrase


def _fields(error: Exception) -> dict[str, list[str]]:
    if not isinstance(error, ValidationError):
        return {}
    detail = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
    return {name: [str(message) for message in messages] for name, messages in detail.items()}
