"""Axes and places from votes alone are those of the whole matrix."""

import numpy as np
import pytest
from hypothesis import assume, given

from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis import gram
from clustering.stats.polis.axes import find_axes, places_of_people
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.projection import project
from tests.clustering.stats.strategies import vote_matrices


def random_matrix(n, m, density, seed=0):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((n, m)) < 0.5 + 0.4 * np.sign(np.arange(n) % 3 - 0.5)[:, None], 1.0, -1.0)
    values[rng.random((n, m)) > density] = np.nan
    return VoteMatrix.from_arrays([f"p{i:05d}" for i in range(n)], [f"s{j:05d}" for j in range(m)], values)


def nothing(matrix):
    return np.zeros(len(matrix.statements), dtype=bool)


def compare(matrix, *, atol=1e-9):
    votes, whole = SparseVotes.from_matrix(matrix), project(matrix)
    axes = find_axes(votes, nothing(matrix), zeroed=False)
    assert axes.undefined == whole.undefined
    np.testing.assert_allclose(axes.means, whole.means, rtol=0, atol=1e-12)
    if whole.undefined is None:
        np.testing.assert_allclose(axes.explained, whole.explained, rtol=0, atol=1e-9)
        np.testing.assert_allclose(axes.components, whole.components, rtol=0, atol=atol)
    places = places_of_people(votes, axes, nothing(matrix), zeroed=False)
    np.testing.assert_allclose(places, whole.coordinates, rtol=0, atol=10 * atol)


@given(vote_matrices(people=(1, 9), statements=(1, 7)))
def test_they_are_the_singular_vectors_of_the_imputed_matrix(matrix):
    # Where two axes explain equally much, either way may turn them in their plane.
    assume(project(matrix).caution is None)
    compare(matrix, atol=1e-6)


@pytest.mark.parametrize("shape", [(200, 30), (30, 200)])
@pytest.mark.parametrize("density", [0.6, 0.2])
def test_either_side_may_be_the_shorter(shape, density):
    compare(random_matrix(*shape, density))


@pytest.mark.parametrize("shape", [(200, 40), (40, 200)])
def test_dense_sparse_and_iterative_products_agree(shape, monkeypatch):
    matrix = random_matrix(*shape, 0.2)
    monkeypatch.setattr(gram, "DENSE", 0.0)
    compare(matrix)
    monkeypatch.setattr(gram, "DENSE", 1.0)
    compare(matrix)
    monkeypatch.setattr(gram, "LARGEST_GRAM", 10)
    compare(matrix)


@pytest.mark.parametrize("size", [1024, 1025])
def test_rows_are_taken_in_chunks(size):
    compare(random_matrix(size, 6, 0.5))


def test_people_who_voted_alike_stand_at_the_very_same_place():
    matrix = random_matrix(40, 12, 0.5)
    twins = VoteMatrix.from_arrays(
        [*matrix.participants, "twin"], matrix.statements, np.vstack([matrix.values, matrix.values[7]])
    )
    votes = SparseVotes.from_matrix(twins)

    places = places_of_people(votes, find_axes(votes, nothing(twins), zeroed=False), nothing(twins), zeroed=False)

    assert places[-1].tobytes() == places[7].tobytes()


def test_a_hidden_statement_that_is_missing_leaves_no_trace():
    matrix = random_matrix(40, 12, 0.5)
    hidden = np.arange(12) == 3
    rest = matrix.subset(np.ones(40, dtype=bool), ~hidden)
    votes = SparseVotes.from_matrix(matrix)

    axes = find_axes(votes, hidden, zeroed=False)

    expected = project(rest)
    assert np.isnan(axes.means[3])
    np.testing.assert_allclose(axes.components[:, ~hidden], expected.components, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        places_of_people(votes, axes, hidden, zeroed=False), expected.coordinates, rtol=0, atol=1e-12
    )


def test_a_hidden_statement_that_is_zeroed_counts_as_passed_by_everybody():
    matrix = random_matrix(40, 12, 0.5)
    hidden = np.arange(12) == 3
    values = matrix.values.copy()
    values[:, 3] = 0.0
    votes = SparseVotes.from_matrix(matrix)

    axes = find_axes(votes, hidden, zeroed=True)

    expected = project(VoteMatrix(matrix.participants, matrix.statements, values))
    np.testing.assert_allclose(axes.means, expected.means, rtol=0, atol=1e-12)
    np.testing.assert_allclose(axes.components, expected.components, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        places_of_people(votes, axes, hidden, zeroed=True), expected.coordinates, rtol=0, atol=1e-12
    )


def test_whoever_voted_on_zeroed_statements_alone_stands_in_the_middle():
    votes = SparseVotes.from_arrays(["a", "b", "c"], ["x", "y"], [0, 1, 2], [0, 0, 1], [1, -1, 1])
    hidden = np.array([False, True])

    for zeroed, place in ((True, [0.0, 0.0]), (False, [np.nan, np.nan])):
        axes = find_axes(votes, hidden, zeroed=zeroed)
        np.testing.assert_array_equal(places_of_people(votes, axes, hidden, zeroed=zeroed)[2], place)
