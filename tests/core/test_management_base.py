"""Exit statuses, one JSON document, and problems one a line on standard error."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import BadInput, Conflict, InputProblem, Invalid
from core.management_base import Outcome, PolyphonyCommand


class Speak(PolyphonyCommand):
    requires_system_checks: list[str] = []
    fault: Exception | None = None

    def perform(self, **options: Any) -> Outcome:
        self.progress("half way")
        if self.fault is not None:
            raise self.fault
        return Outcome(text="2 rows", data={"rows": 2, "text": "日本"})


def run(fault: Exception | None = None, *arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    command = Speak(stdout=out, stderr=err, no_color=True)
    command.fault = fault
    try:
        command.run_from_argv(["manage.py", "speak", *arguments])
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True)
def _keep_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """`run_from_argv` closes the database connections, which other tests still use."""
    monkeypatch.setattr("django.core.management.base.connections.close_all", lambda: None)


def test_done_prints_text() -> None:
    assert run() == (0, "2 rows\n", "half way\n")


def test_done_prints_one_json_document_if_asked() -> None:
    status, out, _err = run(None, "--json")

    assert status == 0
    assert json.loads(out) == {"rows": 2, "text": "日本"}


def test_a_broken_rule_is_exit_status_1() -> None:
    assert run(Conflict("The study is closed."), "--json") == (1, "", "half way\nThe study is closed.\n")


def test_bad_input_is_exit_status_2_with_one_line_a_problem() -> None:
    problems = [InputProblem("a.csv", 2, 1, "Wrong\nvalue", name="id"), InputProblem("a.csv", 3, 1, "Wrong", name="id")]

    status, out, err = run(BadInput(problems))

    assert (status, out) == (2, "")
    assert err.splitlines()[1:] == ["a.csv:2:1 (id): Wrong\\nvalue.", "a.csv:3:1 (id): Wrong."]


def test_called_from_code_the_error_is_raised() -> None:
    command = Speak(stderr=io.StringIO())
    command.fault = Conflict()

    with pytest.raises(Conflict):
        call_command(command)


def test_settings_that_cannot_be_are_exit_status_2_and_say_which() -> None:
    status, out, err = run(Invalid("These settings cannot be run.", fields={"threshold": ["From 1 to 5."]}), "--json")

    assert (status, out) == (2, "")
    assert err.splitlines()[1:] == ["These settings cannot be run.", "threshold: From 1 to 5."]
