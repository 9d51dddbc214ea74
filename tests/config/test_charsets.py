"""Requests in other character sets than UTF-8."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import RequestFactory

from config.charsets import Utf8Only
from config.wsgi import application

NOT_UTF_8 = ["hex", "base64", "rot13", "zlib", "undefined", "idna", "utf-7", "unicode_escape", "latin-1", "x", ""]
FORM = b'--X\r\nContent-Disposition: form-data; name="start"\r\n\r\n+2AA-\r\n--X--\r\n'


def status_of(content_type: str, *, path: str = "/s/a/", query: str = "", body: bytes = b"") -> str:
    environ = RequestFactory()._base_environ(
        PATH_INFO=path,
        QUERY_STRING=query,
        REQUEST_METHOD="POST" if body else "GET",
        CONTENT_TYPE=content_type,
        CONTENT_LENGTH=str(len(body)),
        HTTP_HOST="localhost",
    )
    environ["wsgi.input"] = io.BytesIO(body)
    seen: list[str] = []

    def start(status: str, headers: Any, error: Any = None) -> Any:
        seen.append(status)

    answer = application(environ, start)
    if hasattr(answer, "close"):
        answer.close()
    return seen[0]


@pytest.mark.parametrize("charset", NOT_UTF_8)
@pytest.mark.parametrize("path", ["/s/a/", "/admin/login/", "/api/v1/studies/"])
def test_a_query_in_another_character_set_is_refused(db, charset: str, path: str) -> None:
    assert status_of(f"text/plain; charset={charset}", path=path, query="PROLIFIC_PID=%2B2AA-") == "400 Bad Request"


@pytest.mark.parametrize("charset", NOT_UTF_8)
@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=X", "application/x-www-form-urlencoded"])
def test_a_form_in_another_character_set_is_refused(db, charset: str, kind: str) -> None:
    assert status_of(f"{kind}; charset={charset}", path="/s/a/start/", body=FORM) == "400 Bad Request"


@pytest.mark.parametrize("kind", ["", "text/plain", "text/plain; charset=utf-8", 'text/plain; charset="UTF-8"', ";;="])
def test_what_is_in_utf_8_is_passed_on(kind: str) -> None:
    seen: list[str] = []

    def inner(environ: Any, start: Any) -> list[bytes]:
        start("204 No Content", [])
        return []

    Utf8Only(inner)({"CONTENT_TYPE": kind}, lambda status, headers, error=None: seen.append(status))
    assert seen == ["204 No Content"]
