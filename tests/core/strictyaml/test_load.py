"""YAML that cannot be trusted is refused, with the line, the column and a remedy."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, InputProblem
from core.strictyaml import Anything, ListNode, MapNode, ScalarNode, load, locate, read


def problems_of(text: str) -> tuple[InputProblem, ...]:
    with pytest.raises(BadInput) as caught:
        read(text, "study.yaml", Anything())
    return caught.value.problems


def test_nodes_know_their_place_and_style() -> None:
    node = load('a: one\nb:\n  - "two"\n  - |\n    three\n', "study.yaml")

    assert isinstance(node, MapNode)
    assert node.get("a") == ScalarNode("study.yaml", 1, 4, "one", plain=True)
    items = node.get("b")
    assert isinstance(items, ListNode)
    assert items.items[0] == ScalarNode("study.yaml", 3, 5, "two", plain=False)
    assert items.items[1] == ScalarNode("study.yaml", 4, 5, "three\n", plain=False)
    assert node.get("c") is None
    assert locate(node, "b", 1).line == 4
    assert locate(node, "b", 7) is items


def test_a_duplicate_key_names_both_lines() -> None:
    (problem,) = problems_of("slug: a\ntitle: b\nslug: c\n")

    assert (problem.line, problem.column) == (3, 1)
    assert "“slug” stands here a second time; the first is on line 1" in problem.message


def test_a_duplicate_key_deep_inside_is_found() -> None:
    (problem,) = problems_of("- {a: 1, b: {c: 1, c: 2}}\n")

    assert (problem.line, problem.column) == (1, 20)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: &x 1\nb: *x\n", (1, 4), "Anchors"),
        ("a: 1\nb: *a\n", (2, 4), "Anchors"),
        ("a: !!str 1\n", (1, 4), "Tags"),
        ("a: !!python/object:os.system x\n", (1, 4), "Tags"),
        ("%YAML 1.1\n---\na: 1\n", (2, 1), "Directives"),
        ("a: 1\n---\nb: 1\n", (2, 1), "second document"),
        ("[a]: 1\n", (1, 1), "key must be a text"),
        ("yes: 1\n", (1, 1), "“yes” is read as true or false"),
        ("010: 1\n", (1, 1), "“010” is read as another number"),
        ("<<: 1\na: 1\na: 2\n", (3, 1), "second time"),
    ],
)
def test_what_readers_disagree_on_is_refused(text: str, place: tuple[int, int], words: str) -> None:
    problem = problems_of(text)[0]

    assert (problem.line, problem.column) == place
    assert words in problem.message
    assert problem.remedy


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("# only a comment\n", 1),
        ("a:\n\t- b\n", 2),
        ("a: 1\n  b: 2\n", 2),
        ("a: [1, 2\nb: 3\n", 2),
        ("a: 'it\n", 2),
        ('a: "\\q"\n', 1),
        ("a: 1\nb: \x01\n", 2),
        ("a: 1\nb: x\u2028y\n", 2),
        ("a: 1\nb: \ufeff\n", 2),
        ("[" * 5000, 1),
        ("- " * 5000, 1),
    ],
    ids=[
        "empty",
        "comment",
        "tab",
        "nested",
        "bracket",
        "quote",
        "escape",
        "control",
        "U+2028",
        "bom",
        "deep",
        "deep-block",
    ],
)
def test_what_is_no_yaml_names_its_line(text: str, line: int) -> None:
    (problem,) = problems_of(text)

    assert problem.line == line
    assert str(problem).startswith("study.yaml:")


def test_an_escape_beyond_unicode_is_no_crash() -> None:
    (problem,) = problems_of('a: b\nc: "\\UFFFFFFFF"\n')

    assert "no character" in problem.message
    assert problem.line == 2


@pytest.mark.parametrize("escape", ["\\0", "\\ud83d", "\\ud83d\\ude00"])
def test_escapes_that_are_no_text_are_refused(escape: str) -> None:
    (problem,) = problems_of(f'a: 1\nb: "{escape}"\n')

    assert problem.line == 2
    assert "character itself" in problem.remedy


def test_everything_wrong_is_said_at_once() -> None:
    problems = problems_of("a: yes\na: 1\nb: &x 2020-01-01\nc: 0x1F\n")

    assert [problem.line for problem in problems] == [2, 3, 1, 3, 4]


def test_windows_line_ends_and_comments_are_read() -> None:
    assert read("a: b # why\r\nc: |\r\n  d\r\n  e\r\n", "x", Anything()) == {"a": "b", "c": "d\ne\n"}


def test_free_data_follow_the_core_schema() -> None:
    text = 'o: ~\nt: true\ni: -3\nf: 1.5\ne: 1e3\ns: text\nq: "010"\nl: []\nm: {}\nu: null\n'

    assert read(text, "x", Anything()) == {
        "o": None, "t": True, "i": -3, "f": 1.5, "e": 1000.0, "s": "text", "q": "010", "l": [], "m": {}, "u": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "scalar", ["yes", "Off", "n", "010", "0x1F", "1_000", "12:30", "2024-05-01", ".inf", ".nan", "9" * 30, "1e999"]
)
def test_free_data_refuse_what_programs_read_differently(scalar: str) -> None:
    (problem,) = problems_of(f"a: {scalar}\n")

    assert problem.name == "a"
    assert "quotes" in problem.remedy


@given(st.text(st.sampled_from(list(" \t\n\r-#:>|\"'\\{}[],&*!%@`?=~0a+.x<é\x85😀")), max_size=25))
def test_no_input_causes_anything_but_bad_input(text: str) -> None:
    with contextlib.suppress(BadInput):
        read(text, "study.yaml", Anything())
