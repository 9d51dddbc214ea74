"""What the specifications of the figures promise; that they are drawn, tests/e2e/test_results.py sees."""

from __future__ import annotations

from typing import Any

import pytest

from clustering.figures import opinion_map, score_intervals, specification

PEOPLE = [
    {"x": -1.0, "y": 0.0, "group": "A", "votes": 20},
    {"x": 9.0, "y": 1.0, "group": "A", "votes": 19},
    {"x": 4.0, "y": 3.0, "group": "B", "votes": 3},
]


def encoding_of(people: list[dict[str, Any]]) -> dict[str, Any]:
    points: dict[str, Any] = specification(opinion_map(people, ["A", "B"]))["layer"][0]
    return points["encoding"]


def test_a_step_on_either_axis_of_the_map_is_as_long() -> None:
    encoding = encoding_of(PEOPLE)
    (left, right), (low, high) = (encoding[axis]["scale"]["domain"] for axis in ("x", "y"))

    assert right - left == pytest.approx(high - low)
    assert left < -1 < 9 < right
    assert low < 0 < 3 < high


def test_people_in_one_place_are_still_on_a_map() -> None:
    encoding = encoding_of([{"x": 2.0, "y": 2.0, "group": "A", "votes": 1}] * 3)

    assert encoding["x"]["scale"]["domain"] == encoding["y"]["scale"]["domain"] == [1.0, 3.0]
    assert encoding["size"]["legend"]["values"] == [1]


def test_the_size_of_a_mark_counts_votes_from_zero() -> None:
    size = encoding_of(PEOPLE)["size"]

    assert size["scale"]["domain"] == [0, 20]
    assert size["scale"]["range"][0] == 0
    assert size["legend"]["values"] == [5, 10, 20]


def test_marks_get_smaller_where_many_stand() -> None:
    few, many = (encoding_of(PEOPLE * n)["size"]["scale"]["range"][1] for n in (1, 1000))

    assert many < few


def test_scores_are_told_apart_by_colour_and_shape_under_one_legend() -> None:
    row = {"source": "S", "variant": "weighted", "value": 0.5, "low": 0.4, "high": 0.6}
    marks = specification(score_intervals([row], ["S"]))["layer"][1]["encoding"]

    assert marks["color"]["legend"] == marks["shape"]["legend"]
    assert marks["color"]["scale"]["domain"] == marks["shape"]["scale"]["domain"] == ["unweighted", "weighted"]
