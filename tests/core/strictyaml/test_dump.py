"""What is written reads back as the same data, whatever people typed."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from core.canonical import canonical_json
from core.errors import Invalid
from core.strictyaml import Anything, dump, read

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
nasty = st.text(
    st.sampled_from(list(" \t\n\r-#:>|\"'\\{}[],&*!%@`?=~0ay\x85\u2028\u2029\ufeff\u200b\u202e\ufffe\x07é😀\u0301")),
    max_size=12,
)
texts = st.one_of(st.text(characters, max_size=40), nasty, st.lists(nasty, max_size=4).map("\n".join))
keys = st.one_of(st.text(characters, max_size=20), nasty)
numbers = st.one_of(st.integers(-(10**18) + 1, 10**18 - 1), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
data = st.recursive(
    scalars,
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(keys, below, max_size=4)),
    max_leaves=15,
)
definitions = st.dictionaries(keys, data, max_size=5)


def read_back(text: str) -> object:
    return read(text, "study.yaml", Anything())


@given(definitions)
@example({"a": "trailing \n space", "b": "\ttab", "c": "a\r\nb", "d": "\n", "e": "a\n\n\nb\n\n", "f": " lead\nb"})
@example(
    {"a": "x\x85y", "b": "x\u2028y\nz", "c": "\ufeff", "d": "😀\u0301\n\u200b", "e": "# no\n--- \n...", "f": "a\n# b\n"}
)
@example(
    {
        "": {"": [[], {}, [[]], [{}], ""]},
        "yes": "yes",
        "010": "010",
        "null": None,
        "~": "~",
        "<<": "=",
        "a b": [["x"], ["y", "z"]],
    }
)
@example({"a": ["one\ntwo", {"b": "three\nfour\n"}, ["five\nsix"]]})
def test_what_is_written_reads_back_as_equal_canonical_json(definition: dict[str, object]) -> None:
    assert canonical_json(read_back(dump(definition))) == canonical_json(definition)


@given(definitions)
def test_another_reader_of_yaml_1_2_reads_the_same(definition: dict[str, object]) -> None:
    assert canonical_json(YAML(typ="safe", pure=True).load(dump(definition))) == canonical_json(definition)


@given(st.dictionaries(keys, texts, max_size=5))
def test_a_reader_of_yaml_1_1_takes_no_text_for_anything_else(definition: dict[str, str]) -> None:
    assert yaml.safe_load(dump(definition)) == definition


def test_the_file_is_pleasant_to_read_and_edit() -> None:
    definition = {
        "slug": "public-life",
        "title": "What do you think?",
        "places": 200,
        "open": True,
        "amount": "4.50",
        "blocks": ["consent", "form", "write"],
        "consent": "First paragraph.\n\nSecond: with a colon.\n",
        "questions": [{"code": "q1", "text": "Line one\nline two"}, {"code": "q2", "options": []}],
        "settings": {},
    }

    assert dump(definition) == (
        "slug: public-life\n"
        "title: What do you think?\n"
        "places: 200\n"
        "open: true\n"
        'amount: "4.50"\n'
        "blocks: [consent, form, write]\n"
        "consent: |\n"
        "  First paragraph.\n"
        "\n"
        "  Second: with a colon.\n"
        "questions:\n"
        "  - code: q1\n"
        "    text: |-\n"
        "      Line one\n"
        "      line two\n"
        "  - code: q2\n"
        "    options: []\n"
        "settings: {}\n"
    )


@pytest.mark.parametrize(
    "definition", [{"a": float("nan")}, {"a": float("inf")}, {"k" * 129: 1}, {1: "a"}, {"a": object()}]
)
def test_what_yaml_of_ours_cannot_hold_is_refused(definition: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        dump(definition)


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "a\n\0b"])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        dump({"a": text})
