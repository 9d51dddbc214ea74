"""Canonical JSON, hashes and replayable orders."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.canonical import canonical_json, content_sha256, text_sha256
from core.randomness import ALPHABET, drawn_order, generator_for, new_code

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
)


@given(json_values)
def test_canonical_json_reads_back_as_the_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


def test_the_order_of_keys_does_not_matter_and_that_of_lists_does() -> None:
    assert content_sha256({"a": 1, "b": [1, 2]}) == content_sha256({"b": [1, 2], "a": 1})
    assert content_sha256([1, 2]) != content_sha256([2, 1])


def test_canonical_json_stays_unicode_and_its_hash_is_that_of_utf_8() -> None:
    assert canonical_json({"字": "é"}) == '{"字":"é"}'
    # The published SHA-256 of the empty string.
    assert text_sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json([value])


def test_an_order_can_be_drawn_again_and_differs_by_person_and_purpose() -> None:
    items = list(range(8))
    first = drawn_order(items, seed="s", code="p1", purpose="rate:q1")
    assert first == drawn_order(items, seed="s", code="p1", purpose="rate:q1")
    assert sorted(first) == items
    others = {
        tuple(drawn_order(items, seed="s", code=code, purpose=purpose))
        for code in ("p1", "p2", "p3")
        for purpose in ("rate:q1", "rate:q2")
    }
    assert len(others) == 6


def test_the_parts_of_a_seed_do_not_run_together() -> None:
    assert generator_for("a", "bc", "d").random() != generator_for("ab", "c", "d").random()


def test_every_order_of_three_comes_about_equally_often() -> None:
    counts: dict[tuple[int, ...], int] = {}
    for person in range(6000):
        order = tuple(drawn_order([1, 2, 3], seed="s", code=str(person), purpose="x"))
        counts[order] = counts.get(order, 0) + 1
    # Chi-square with 5 degrees of freedom: 20.5 is its 0.1 % point.
    assert len(counts) == 6
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 20.5


def test_codes_are_unambiguous_and_drawn_anew() -> None:
    assert set(new_code(200)) <= set(ALPHABET)
    assert new_code(10) != new_code(10)
