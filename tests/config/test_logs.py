"""Logs name no participant."""

from __future__ import annotations

import logging

import pytest
from gunicorn.config import Config

from config import gunicorn
from config.logs import WithoutTraces, without_traces


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Not Found: /s/public-life/r/SECRET-token/", "Not Found: /s/public-life/…"),
        ("Forbidden: /s/public-life/", "Forbidden: /s/public-life/"),
        ('"GET /s/a/?PROLIFIC_PID=5f&SESSION_ID=9 HTTP/1.1" 200', '"GET /s/a/… HTTP/1.1" 200'),
        ('"GET /results/a/?page=2 HTTP/1.1"', '"GET /results/a/?… HTTP/1.1"'),
        ("Invalid request from ip=203.0.113.9: bad", "Invalid request from ip=… bad"),
        ("42 votes counted", "42 votes counted"),
    ],
    ids=["token", "slug", "recruiter", "query", "address", "plain"],
)
def test_what_could_name_a_person_is_cut(line: str, kept: str) -> None:
    assert without_traces(line) == kept


def test_arguments_are_cleaned_and_the_request_is_dropped() -> None:
    record = logging.LogRecord(
        "django.request", logging.WARNING, "", 1, "%s: %s", ("Not Found", "/s/a/r/SECRET/"), None
    )
    record.request = object()

    assert WithoutTraces().filter(record)
    assert record.getMessage() == "Not Found: /s/a/…"
    assert not hasattr(record, "request")


def test_the_web_server_writes_no_access_line_and_no_address(capsys: pytest.CaptureFixture[str]) -> None:
    config = Config()
    config.set("errorlog", gunicorn.errorlog)
    config.set("accesslog", gunicorn.accesslog)
    config.set("logger_class", gunicorn.logger_class)

    log = config.logger_class(config)
    log.access(object(), object(), {}, object())
    log.warning("Invalid request from ip=203.0.113.9: nonsense")

    written = capsys.readouterr()
    assert written.out == ""
    assert "nonsense" in written.err
    assert "203.0.113.9" not in written.err
