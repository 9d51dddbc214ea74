"""Settings from the environment fail with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.env import env_bool, env_choice, env_int, env_list, env_text


def test_a_secret_may_come_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("from the file\n")
    monkeypatch.setenv("X_FILE", str(tmp_path / "secret"))

    assert env_text("X") == "from the file"


def test_a_missing_secret_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_FILE", "/nowhere/secret")

    with pytest.raises(ImproperlyConfigured, match="X_FILE names /nowhere/secret, which cannot be read"):
        env_text("X")


def test_a_value_and_a_file_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "a")
    monkeypatch.setenv("X_FILE", "/nowhere/secret")

    with pytest.raises(ImproperlyConfigured, match="both set"):
        env_text("X")


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("TRUE", True), ("yes", True), ("0", False), ("off", False), ("", False)]
)
def test_yes_and_no(text: str, value: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", text)

    assert env_bool("X") is value


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (env_bool, "maybe", "write 1 for yes or 0 for no"),
        (lambda name: env_int(name, 1, minimum=1), "0", "whole number of at least 1"),
        (lambda name: env_int(name, 1), "1.5", "whole number"),
        (lambda name: env_int(name, 1), "²", "whole number"),
        (lambda name: env_choice(name, "a", choices=("a", "b")), "c", "write one of a, b"),
    ],
    ids=["bool", "too small", "fraction", "superscript", "choice"],
)
def test_what_is_wrong_is_said(read: object, text: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", text)

    with pytest.raises(ImproperlyConfigured, match=sentence):
        read("X")  # type: ignore[operator]


def test_lists_leave_out_empty_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", " a, ,b,")

    assert env_list("X") == ["a", "b"]
