"""UTF-8 is read, everything else is refused with its place and a remedy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, InputProblem
from core.textfiles import read_text


def problem_of(source: bytes | Path, **limits: int) -> InputProblem:
    with pytest.raises(BadInput) as caught:
        read_text(source, "notes.csv", **limits)
    assert caught.value.exit_status == 2
    return caught.value.problems[0]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_any_text_is_read_unchanged(text: str) -> None:
    assert read_text(text.encode(), "notes.csv") == text
    assert read_text(b"\xef\xbb\xbf" + text.encode(), "notes.csv") == text


def test_only_the_first_byte_order_mark_is_dropped() -> None:
    assert read_text("\ufeffa\n\ufeffb".encode(), "x") == "a\n\ufeffb"


def test_wrong_encoding_names_line_and_character() -> None:
    problem = problem_of("a,b\r\n日本,caf".encode() + "é au lait\n".encode("latin-1"))

    assert (problem.file, problem.line, problem.column) == ("notes.csv", 2, 7)
    assert "byte 0xE9 (“é” in Windows-1252)" in problem.message
    assert "UTF-8" in problem.remedy


def test_a_byte_that_windows_1252_does_not_know_is_named_too() -> None:
    assert "byte 0x81." in problem_of(b"a\x81b").message


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("a,b\n".encode("utf-16"), "UTF-16"),
        ("a,b\n".encode("utf-16-be").join([b"\xfe\xff", b""]), "UTF-16"),
        (b"PK\x03\x04rest", "Excel"),
        (b"PAR1rest", "Parquet"),
        (b"\x1f\x8brest", "gzip"),
    ],
)
def test_other_kinds_of_file_are_recognised_and_refused(content: bytes, kind: str) -> None:
    problem = problem_of(content)

    assert problem.line == 1
    assert kind in problem.message
    assert "UTF-8" in problem.remedy


def test_utf_16_without_a_mark_is_refused_for_its_nul_characters() -> None:
    problem = problem_of("ab\ncd".encode("utf-16-le"))

    assert (problem.line, problem.column) == (1, 2)
    assert "NUL" in problem.message


def test_a_missing_file_and_a_folder_are_bad_input(tmp_path: Path) -> None:
    assert "No such file" in problem_of(tmp_path / "absent.csv").message
    assert "directory" in problem_of(tmp_path).message


def test_a_file_over_the_limit_is_refused_before_it_is_read() -> None:
    assert "11 bytes; at most 10" in problem_of(b"\xff" * 11, maximum_bytes=10).message
    assert read_text(b"x" * 10, "x", maximum_bytes=10) == "x" * 10


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "votes.csv")

    with pytest.raises(BadInput, match="pipe or a device"):
        read_text(tmp_path / "votes.csv", "votes.csv")
