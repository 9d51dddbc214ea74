"""Every reason of the statistics is in the catalogue of strings."""

from __future__ import annotations

import numpy as np
import pytest

from clustering.stats.coverage import question_coverage
from clustering.stats.dynamic import cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.overton import overton_scores
from clustering.stats.ratings import RatingMatrix
from clustering.words import REASONS, in_words

NAN = np.nan
MATRICES = {
    "nobody": np.zeros((0, 0)),
    "one voter": [[1.0, -1.0]],
    "two people": [[1.0, -1.0], [-1.0, 1.0]],
    "one statement": [[1.0], [-1.0], [0.0]],
    "all agree": np.ones((5, 4)),
    "all disagree": -np.ones((5, 4)),
    "all neutral": np.zeros((5, 4)),
    "alike": [[1.0, -1.0, NAN], [1.0, NAN, -1.0], [NAN, -1.0, -1.0], [1.0, -1.0, -1.0]],
    "no overlap": [[1.0, NAN, NAN], [NAN, -1.0, NAN], [NAN, NAN, 1.0]],
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("space", ["projection", "votes"])
def test_the_reason_for_no_groups_is_known(name: str, space: str) -> None:
    values = np.array(MATRICES[name])
    rows, columns = values.shape
    matrix = VoteMatrix.from_arrays([f"p{i}" for i in range(rows)], [f"s{i}" for i in range(columns)], values)
    found = cluster_opinions(matrix, seed=1, space=space)  # type: ignore[arg-type]
    assert found.undefined in REASONS
    assert in_words(found.undefined) == found.undefined


def test_the_reasons_for_no_coverage_and_no_score_are_known() -> None:
    unrated = question_coverage(RatingMatrix.from_ratings([], sources=["a"]), {"p": 0}, question="q")
    ungrouped = question_coverage(RatingMatrix.from_ratings([("p", "a", 4)]), {}, question="q")
    reasons = {unrated.undefined, *unrated.undefined_sources, ungrouped.undefined, *ungrouped.undefined_sources}
    table = overton_scores([unrated], seed=1)
    reasons |= {table.undefined, table.best.unweighted.undefined, table.scores[0].weighted.undefined}
    assert reasons <= REASONS
    assert in_words(None) == in_words("") == ""
