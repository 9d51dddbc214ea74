import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.stats.coverage import question_coverage
from clustering.stats.ratings import RatingMatrix


def ratings_by_group(sizes, rating_of, *, source="m"):
    """Everybody of group g rates as told; people and their groups."""
    people = [(f"g{g}-{i:03d}", g) for g, size in enumerate(sizes) for i in range(size)]
    ratings = RatingMatrix.from_ratings((person, source, rating_of(g)) for person, g in people)
    return ratings, dict(people)


def test_the_worked_example_of_the_paper():
    # Six views; covered are those of 61 % and 5 % of participants: 2/6 = 0.33, and 0.61 + 0.05 = 0.66.
    ratings, groups = ratings_by_group([61, 5, 20, 8, 4, 2], lambda group: 4 if group < 2 else 3)

    result = question_coverage(ratings, groups, question="gun control")

    assert result.coverage[0] == pytest.approx(2 / 6)
    assert result.coverage_weighted[0] == pytest.approx(0.66)
    assert result.group_sizes.tolist() == [61, 5, 20, 8, 4, 2]
    assert result.covered[:, 0].tolist() == [1, 1, 0, 0, 0, 0]


def rated(*rows):
    return RatingMatrix.from_ratings((person, source, rating) for person, source, rating in rows)


def test_the_mean_of_a_group_decides():
    ratings = rated(("a", "m", 5), ("b", "m", 3), ("c", "m", 5), ("d", "m", 2))

    result = question_coverage(ratings, {"a": 0, "b": 0, "c": 1, "d": 1}, question="q")

    assert result.mean_rating[:, 0].tolist() == [4.0, 3.5]
    assert result.covered[:, 0].tolist() == [1.0, 0.0]


def test_a_mean_that_reaches_the_threshold_but_for_rounding_reaches_it():
    # 4.1 and 3.9 and 4 average to 4 only up to rounding on some orders of addition.
    ratings = rated(("a", "m", 4.1), ("b", "m", 3.8), ("c", "m", 4.1))
    threshold = 4.0 + 5e-10

    assert question_coverage(ratings, dict.fromkeys("abc", 0), question="q", threshold=threshold).coverage[0] == 1.0
    assert question_coverage(ratings, dict.fromkeys("abc", 0), question="q", threshold=4.00001).coverage[0] == 0.0


def test_a_majority_is_more_than_half():
    ratings = rated(("a", "m", 4), ("b", "m", 1), ("c", "m", 4), ("d", "m", 4), ("e", "m", 1))
    groups = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}

    majority = question_coverage(ratings, groups, question="q", rule="majority")
    mean = question_coverage(ratings, groups, question="q", rule="mean")

    assert majority.covered[:, 0].tolist() == [0.0, 1.0]
    assert majority.share_reaching[:, 0].tolist() == [0.5, pytest.approx(2 / 3)]
    assert mean.covered[:, 0].tolist() == [0.0, 0.0]


def test_members_who_did_not_rate_an_answer_are_ignored_for_it():
    ratings = rated(("a", "m", 4), ("b", "n", 1))

    result = question_coverage(ratings, {"a": 0, "b": 0, "c": 0}, question="q")

    assert result.mean_rating.tolist() == [[4.0, 1.0]]
    assert result.n_ratings.tolist() == [[1, 1]]
    assert result.group_sizes.tolist() == [3]


def test_a_group_without_a_rating_of_an_answer_has_no_say_and_is_counted():
    ratings = rated(("a", "m", 4), ("b", "m", 1), ("b", "n", 5), ("c", "n", 1))

    result = question_coverage(ratings, {"a": 0, "b": 1, "c": 2, "c2": 2}, question="q")

    np.testing.assert_array_equal(result.covered, [[1, np.nan], [0, 1], [np.nan, 0]])
    assert result.coverage.tolist() == [0.5, 0.5]
    assert result.coverage_weighted.tolist() == [0.5, pytest.approx(1 / 3)]
    assert result.n_groups_unrated.tolist() == [1, 1]


def test_the_best_across_sources_counts_a_group_that_any_answer_represents():
    ratings = rated(("a", "m", 5), ("a", "n", 1), ("b", "m", 1), ("b", "n", 5), ("c", "m", 1), ("c", "n", 1))
    groups = {"a": 0, "b": 1, "c": 2, "d": 2, "e": 3}

    result = question_coverage(ratings, groups, question="q")

    # Group 3 rated nothing and has no say.
    assert result.best_coverage == pytest.approx(2 / 3)
    assert result.best_coverage_weighted == pytest.approx(2 / 4)


def test_raters_in_no_group_are_left_out_and_counted():
    result = question_coverage(rated(("a", "m", 5), ("stranger", "m", 1)), {"a": 7}, question="q")

    assert result.coverage.tolist() == [1.0]
    assert result.n_raters_ungrouped == 1
    assert result.group_labels == (7,)


def test_without_groups_nothing_is_covered_and_nothing_uncovered():
    result = question_coverage(rated(("a", "m", 5)), {}, question="q")

    assert result.undefined == "the question has no opinion groups"
    assert result.undefined_sources == ("the question has no opinion groups",)
    assert np.isnan(result.coverage).all()
    assert np.isnan(result.best_coverage)
    assert result.to_dict()["coverage"] == [None]
    json.dumps(result.to_dict(), allow_nan=False)


def test_an_answer_nobody_rated_has_a_reason_beside_others_that_have_a_number():
    ratings = RatingMatrix.from_ratings([("a", "m", 5)], sources=["n"])

    result = question_coverage(ratings, {"a": 0}, question="q")

    assert result.undefined is None
    assert result.undefined_sources == (None, "no member of a group rated it")
    np.testing.assert_array_equal(result.coverage, [1.0, np.nan])


def test_a_question_nobody_in_a_group_rated_is_undefined():
    result = question_coverage(RatingMatrix.from_ratings([("z", "m", 5)]), {"a": 0}, question="q")

    assert result.undefined == "nobody in a group rated an answer"


@pytest.mark.parametrize("rating", [0.5, 6, float("nan"), float("inf")])
def test_ratings_outside_the_scale_are_refused(rating):
    with pytest.raises(ValueError, match="outside 1 to 5"):
        rated(("a", "m", rating))


def test_two_ratings_of_one_answer_by_one_person_are_refused():
    with pytest.raises(ValueError, match="two ratings"):
        rated(("a", "m", 1), ("a", "m", 1))


def test_unknown_rules_are_refused():
    with pytest.raises(ValueError, match="rule"):
        question_coverage(rated(("a", "m", 1)), {"a": 0}, question="q", rule="median")


@st.composite
def rated_groups(draw):
    people = draw(st.integers(1, 8))
    groups = {f"p{i}": draw(st.integers(0, 3)) for i in range(people) if draw(st.booleans())}
    cells = [
        (f"p{i}", f"m{j}", rating)
        for i in range(people)
        for j in range(3)
        if (rating := draw(st.sampled_from([None, 1, 2, 3, 4, 5]))) is not None
    ]
    return cells, groups


@given(case=rated_groups(), data=st.data())
def test_the_order_of_ratings_and_the_numbers_of_groups_change_nothing(case, data):
    cells, groups = case
    shuffled = data.draw(st.permutations(cells))
    renumbered = {person: 9 - group for person, group in groups.items()}

    one = question_coverage(RatingMatrix.from_ratings(cells), groups, question="q")
    other = question_coverage(RatingMatrix.from_ratings(shuffled), renumbered, question="q")

    np.testing.assert_array_equal(one.coverage, other.coverage)
    np.testing.assert_array_equal(one.coverage_weighted, other.coverage_weighted)


@given(case=rated_groups(), rule=st.sampled_from(["mean", "majority"]))
def test_a_lower_threshold_never_covers_less_and_the_best_is_at_least_any(case, rule):
    cells, groups = case
    ratings = RatingMatrix.from_ratings(cells)

    strict, mild = (question_coverage(ratings, groups, question="q", rule=rule, threshold=t) for t in (4.5, 3.5))

    defined = ~np.isnan(strict.coverage)
    assert (mild.coverage[defined] >= strict.coverage[defined]).all()
    represented = np.nansum(mild.covered, axis=0)
    n_with_say = (~np.isnan(mild.covered)).any(axis=1).sum()
    if n_with_say and len(represented):
        assert mild.best_coverage >= represented.max() / n_with_say - 1e-12
