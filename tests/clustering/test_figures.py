"""What the specifications of the figures promise; that they are drawn, tests/e2e/test_results.py sees."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from clustering import figures
from clustering.figures import opinion_map, score_intervals, specification

PEOPLE = [
    {"x": -1.0, "y": 0.0, "group": "A", "votes": 20},
    {"x": 9.0, "y": 1.0, "group": "A", "votes": 19},
    {"x": 4.0, "y": 3.0, "group": "B", "votes": 3},
]


def drawn(people: list[dict[str, Any]]) -> dict[str, Any]:
    return specification(opinion_map(people, ["A", "B"]))


def rows_of(spec: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    source = layer.get("data") or spec["data"]
    rows: list[dict[str, Any]] = source.get("values") or spec["datasets"][source["name"]]
    return rows


def points_of(spec: dict[str, Any]) -> dict[str, Any]:
    """The layer of the people in groups."""
    layers: list[dict[str, Any]] = [layer for layer in spec["layer"] if "shape" in layer["encoding"]]
    assert len(layers) == 1
    return layers[0]


def encoding_of(people: list[dict[str, Any]]) -> dict[str, Any]:
    encoding: dict[str, Any] = points_of(drawn(people))["encoding"]
    return encoding


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


def test_an_outline_encloses_a_group_of_three_and_joins_two() -> None:
    third = {"x": 4.0, "y": 9.0, "group": "A", "votes": 3}
    spec = drawn([*PEOPLE, third])
    outline = next(layer for layer in spec["layer"] if layer["mark"].get("fillOpacity"))

    corners = [(row["group"], row["x"], row["y"]) for row in rows_of(spec, outline)]
    assert corners == [("A", -1.0, 0.0), ("A", 9.0, 1.0), ("A", 4.0, 9.0)]  # B is one person


def test_people_in_no_group_are_open_marks_and_no_group_of_the_legend() -> None:
    alone = {"x": 0.0, "y": 0.0, "group": "", "votes": 2}
    spec = drawn([*PEOPLE, alone])
    aside = [layer for layer in spec["layer"] if layer["mark"].get("style") == "aside"]

    assert [rows_of(spec, layer) for layer in aside] == [[alone]]
    assert aside[0]["mark"]["filled"] is False
    assert alone not in rows_of(spec, points_of(spec))
    assert points_of(spec)["encoding"]["color"]["scale"]["domain"] == ["A", "B"]


def test_scores_are_told_apart_by_colour_and_shape_under_one_legend() -> None:
    row = {"source": "S", "variant": "weighted", "value": 0.5, "low": 0.4, "high": 0.6}
    marks = specification(score_intervals([row], ["S"]))["layer"][1]["encoding"]

    assert marks["color"]["legend"] == marks["shape"]["legend"]
    assert marks["color"]["scale"]["domain"] == marks["shape"]["scale"]["domain"] == ["unweighted", "weighted"]


def test_numbers_at_the_arrows_stand_apart() -> None:
    rows = [
        {"number": n, "statement": f"s{n}", "line": f"{n}. s{n}", "x": 0.5, "y": 0.4 + n / 1000} for n in range(1, 6)
    ]
    spec = specification(figures.statement_loadings(rows))
    heights = sorted(row["label_y"] for row in rows_of(spec, spec["layer"][0]))

    room = 2 * 1.15 * 0.5 * 0.045
    assert all(above - below >= room * 0.999 for below, above in pairwise(heights))


def test_axes_of_loadings_have_one_scale_around_the_middle() -> None:
    rows = [{"number": 1, "statement": "s", "line": "1. s", "x": 0.2, "y": -0.9}]
    encoding = specification(figures.statement_loadings(rows))["layer"][0]["encoding"]

    low, high = encoding["x"]["scale"]["domain"]
    assert encoding["y"]["scale"]["domain"] == [low, high]
    assert low == -high < -0.9


def test_the_chosen_fit_is_ringed_and_named() -> None:
    fits = [
        {"n_groups": 2, "silhouette": 0.5, "n_fits": 3, "is_chosen": True},
        {"n_groups": 3, "silhouette": 0.4, "n_fits": 1, "is_chosen": False},
    ]
    layers = specification(figures.silhouette_grid(fits))["layer"]

    assert [layer["transform"] for layer in layers[1:]] == [[{"filter": "datum.is_chosen"}]] * 2
    assert layers[2]["encoding"]["text"] == {"value": "chosen"}


def test_more_sources_than_colours_take_a_longer_palette() -> None:
    names = [f"s{n}" for n in range(9)]
    rows = [{"threshold": 4.0, "source": name, "value": 0.5} for name in names]
    spec = specification(figures.threshold_sensitivity(rows, names, 4.0))
    scale = spec["layer"][1]["encoding"]["color"]["scale"]

    assert scale == {"domain": names, "scheme": "tableau20"}


def test_no_specification_decides_about_colours_and_fonts_of_the_page() -> None:
    assert "config" not in drawn(PEOPLE)
