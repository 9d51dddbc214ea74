from __future__ import annotations

import numpy as np
import pytest

from clustering.stats.distributions import rating_counts
from clustering.stats.ratings import RatingMatrix

RATINGS = [("p1", "s1", 5), ("p2", "s1", 5), ("p3", "s1", 1), ("p3", "s2", 3), ("p4", "s1", 2)]


def test_each_rating_of_a_member_is_counted_once_and_others_are_not() -> None:
    counts = rating_counts(RatingMatrix.from_ratings(RATINGS), {"p1": 0, "p2": 0, "p3": 1})

    assert counts.sources == ("s1", "s2")
    assert counts.group_labels == (0, 1)
    assert counts.counts.tolist() == [[[0, 0, 0, 0, 2], [0] * 5], [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]]


def test_members_without_a_rating_change_nothing() -> None:
    matrix = RatingMatrix.from_ratings(RATINGS)
    some = rating_counts(matrix, {"p1": 0})
    more = rating_counts(matrix, {"p1": 0, "nobody": 0})
    assert np.array_equal(some.counts, more.counts)


def test_without_groups_there_is_nothing_to_count() -> None:
    counts = rating_counts(RatingMatrix.from_ratings(RATINGS), {})
    assert counts.counts.shape == (0, 2, 5)
    assert counts.to_dict()["counts"] == []


def test_a_rating_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of"):
        rating_counts(RatingMatrix.from_ratings([("p1", "s1", 2.5)]), {"p1": 0})
