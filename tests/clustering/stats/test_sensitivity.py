import json

import numpy as np
import pytest

from clustering.stats.inputs import QuestionInput, panel_of_inputs, with_groups_from
from clustering.stats.ratings import RatingMatrix
from clustering.stats.sensitivity import (
    compare_panels,
    rule_sensitivity,
    size_sensitivity,
    threshold_sensitivity,
)
from clustering.stats.subgroups import subgroup_tables
from tests.clustering.stats.panels import plain_panel, planted_questions


def question(code, rows, attributes=None):
    """Ratings and groups from rows of (person, group, {source: rating})."""
    return QuestionInput(
        code=code,
        domain="",
        ratings=RatingMatrix.from_ratings(
            [(person, source, rating) for person, _, given in rows for source, rating in given.items()]
        ),
        members={person: group for person, group, _ in rows if group is not None},
        attributes=attributes or {},
    )


def test_mean_and_majority_can_disagree():
    # Of three members two are content and one is not at all: a majority, but a mean of 11/3.
    rows = [("a", 0, {"m": 5, "n": 4}), ("b", 0, {"m": 5, "n": 4}), ("c", 0, {"m": 1, "n": 4})]

    unweighted, _ = rule_sensitivity([question("q", rows)])

    scores = {row.setting: dict(zip(unweighted.sources, row.scores, strict=True)) for row in unweighted.rows}
    assert scores == {"mean": {"m": 0, "n": 1}, "majority": {"m": 1, "n": 1}}
    assert unweighted.rows[1].kendall.undefined == "one side does not vary"


def test_a_lower_threshold_covers_at_least_as_much():
    questions = planted_questions(4)

    for table in threshold_sensitivity(questions):
        scores = np.array([row.scores for row in table.rows])
        assert [row.setting for row in table.rows] == ["3.6", "3.7", "3.8", "3.9", "4"]
        assert (np.diff(scores, axis=0) <= 1e-12).all()
        assert table.rows[-1].kendall.value == pytest.approx(1)
        others = [row.kendall.value for row in table.rows[:-1]]
        assert table.median_kendall == pytest.approx(np.median(others))
        panel = panel_of_inputs(questions, threshold=3.8)
        assert scores[2] == pytest.approx(panel.values(table.variant).mean(axis=0))


def test_stability_counts_settings_and_ties_go_to_neither():
    panels = {
        "one": plain_panel(np.array([[0.6, 0.4, 0.2]])),
        "two": plain_panel(np.array([[0.4, 0.6, 0.2]])),
        "three": plain_panel(np.array([[0.5, 0.5, 0.2]])),
    }

    table, _ = compare_panels("choice", panels, "one")

    assert table.win_rate == pytest.approx(
        np.array([[np.nan, 1 / 3, 1], [1 / 3, np.nan, 1], [0, 0, np.nan]]), nan_ok=True
    )
    assert [(top.k, top.sources, top.share) for top in table.top] == [
        (1, ("m0",), pytest.approx(1 / 3)),
        (2, ("m0", "m1"), 1.0),
    ]
    assert [row.kendall.value for row in table.rows] == pytest.approx([1, 1 / 3, 2 / np.sqrt(6)])
    json.dumps(table.to_dict(), allow_nan=False)


def test_the_reference_is_one_of_the_settings():
    with pytest.raises(ValueError, match="reference"):
        compare_panels("choice", {"one": plain_panel(np.array([[0.5]]))}, "two")


def test_singletons_and_small_groups_leave_with_their_members():
    rows = [("a", 0, {"m": 5}), ("b", 1, {"m": 1}), ("c", 1, {"m": 1}), ("d", None, {"m": 5})]
    asked = question("q", rows)

    unweighted, weighted = size_sensitivity([asked], sizes=(1, 2, 3))

    assert with_groups_from(asked, 2).members == {"b": 1, "c": 1}
    assert [row.scores.tolist() for row in unweighted.rows[:2]] == [[0.5], [0.0]]
    assert [row.scores.tolist() for row in weighted.rows[:2]] == [[pytest.approx(1 / 3)], [0.0]]
    assert [row.n_groups for row in unweighted.rows] == [2, 1, 0]
    assert np.isnan(unweighted.rows[2].scores).all()
    assert unweighted.rows[2].n_questions == 0
    json.dumps(unweighted.to_dict(), allow_nan=False)


def test_scores_within_subgroups():
    rows = [
        *((f"r{i}", 0, {"m": 5}) for i in range(5)),
        *((f"d{i}", 0, {"m": 1}) for i in range(5)),
        *((f"d{i}", 1, {"m": 4}) for i in range(5, 8)),
        ("x", 1, {"m": 4}),
    ]
    party = {person: person[0].upper() for person, _, _ in rows if person != "x"}
    party |= {"x": "few"}

    (table,) = subgroup_tables([question("q", rows, {"party": party})], seed=0, replicates=50)

    found = {row.value: row for row in table.rows}
    assert found["R"].unweighted.value == 1.0
    assert (found["R"].n_people, found["R"].n_ratings, found["R"].mean_rating, found["R"].share_reaching) == (
        5,
        5,
        5,
        1,
    )
    assert found["D"].unweighted.value == 0.5
    assert found["D"].weighted.value == pytest.approx(3 / 8)
    assert found["D"].mean_rating == pytest.approx((5 * 1 + 3 * 4) / 8)
    assert "fewer than 5 people" in found["few"].undefined
    assert found["few"].n_people == 0
    json.dumps(table.to_dict(), allow_nan=False)


def test_people_without_a_value_are_counted_and_questions_with_few_members_do_not_count():
    questions = planted_questions(2, n_questions=3)
    lacking = {name: dict(list(values.items())[3:]) for name, values in questions[0].attributes.items()}
    questions[0] = type(questions[0])(
        questions[0].code, questions[0].domain, questions[0].ratings, questions[0].members, lacking
    )

    (table,) = subgroup_tables(questions, seed=0, replicates=20, minimum_people=14)

    assert table.n_without_value == 3
    # 40 people of whom every third is A, B or C: 14, 13, 13; without the first three of question 1, A has 13 there.
    a = next(row for row in table.rows if row.value == "A")
    assert a.unweighted.n_questions == 2
    assert all(row.undefined for row in table.rows if row.value in "BC")


def test_a_subgroup_has_at_least_one_person():
    with pytest.raises(ValueError, match="at least one person"):
        subgroup_tables([], seed=0, minimum_people=0)
