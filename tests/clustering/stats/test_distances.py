import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import silhouette_samples as sklearn_samples
from sklearn.metrics import silhouette_score as sklearn_score

from clustering.stats.distances import (
    euclidean_distances,
    linked_components,
    share_without_common,
    shared_vote_distances,
    silhouette_samples,
    silhouette_score,
)
from tests.clustering.stats.strategies import vote_matrices

NAN = np.nan
# A distance table with its silhouettes from Pol.is' own tests.
TABLE = np.array([[0, 1, 3, 4], [1, 0, 3, 4], [3, 3, 0, 2], [4, 4, 2, 0]], dtype=float)


def test_a_worked_silhouette():
    scores = silhouette_samples(TABLE, np.array([0, 0, 1, 1]))

    assert scores[0] == pytest.approx(0.71428, abs=1e-5)
    assert silhouette_score(TABLE, np.array([0, 0, 1, 1])) == pytest.approx(0.5654, abs=1e-4)


def test_a_singleton_has_silhouette_zero():
    assert silhouette_samples(TABLE, np.array([0, 0, 0, 1]))[3] == 0.0


def test_one_group_has_no_silhouette():
    assert np.isnan(silhouette_samples(TABLE, np.zeros(4, dtype=int))).all()
    assert np.isnan(silhouette_score(TABLE, np.zeros(4, dtype=int)))
    assert np.isnan(silhouette_score(np.zeros((0, 0)), np.zeros(0, dtype=int)))


def test_points_in_one_place_have_silhouette_zero():
    assert silhouette_score(np.zeros((4, 4)), np.array([0, 0, 1, 1])) == 0.0


@given(
    points=hnp.arrays(np.float64, st.tuples(st.integers(4, 12), st.just(2)), elements=st.integers(-50, 50)),
    data=st.data(),
)
def test_silhouettes_are_those_of_scikit_learn(points, data):
    raw = data.draw(hnp.arrays(np.int64, len(points), elements=st.integers(0, 3)))
    labels = np.unique(raw, return_inverse=True)[1]
    distances = euclidean_distances(points, points)
    if not 2 <= labels.max() + 1 <= len(points) - 1:
        return

    np.testing.assert_allclose(
        silhouette_samples(distances, labels), sklearn_samples(distances, labels, metric="precomputed"), atol=1e-12
    )
    assert silhouette_score(distances, labels) == pytest.approx(
        sklearn_score(distances, labels, metric="precomputed"), abs=1e-12
    )


@given(matrix=vote_matrices())
def test_distances_of_votes_are_root_mean_squares_over_what_both_saw(matrix):
    values = matrix.values
    expected = np.full((len(values), len(values)), NAN)
    for i, mine in enumerate(values):
        for j, theirs in enumerate(values):
            both = ~np.isnan(mine) & ~np.isnan(theirs)
            if i != j and both.any():
                expected[i, j] = np.sqrt(((mine - theirs)[both] ** 2).mean())
    defined = ~np.isnan(expected)
    expected[~defined] = expected[defined].mean() if defined.any() else 0.0
    np.fill_diagonal(expected, 0.0)

    np.testing.assert_allclose(shared_vote_distances(values), expected, atol=1e-12)


def test_the_share_of_pairs_without_a_common_statement():
    values = np.array([[1, NAN, NAN], [1, 1, NAN], [NAN, -1, NAN], [NAN, NAN, 1], [NAN, NAN, NAN]])

    # Of the six pairs of four voters, two share a statement; the one without votes does not count.
    assert share_without_common(values) == pytest.approx(4 / 6)
    assert np.isnan(share_without_common(values[:1]))


def test_components_are_linked_by_chains_and_ordered_by_size():
    values = np.array([[1, NAN, NAN, NAN], [NAN, 1, 1, NAN], [NAN, NAN, 1, 0], [NAN, NAN, NAN, 1], [1, NAN, NAN, NAN]])

    assert linked_components(values).tolist() == [1, 0, 0, 0, 1]
    assert linked_components(np.zeros((0, 3))).tolist() == []
