import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from benchmarks.groups import planted_votes
from clustering.stats.matrix import VoteMatrix
from clustering.stats.projection import participant_coordinates, project
from tests.clustering.stats.strategies import vote_matrices


def complete(values):
    rows, columns = np.shape(values)
    return VoteMatrix.from_arrays([f"p{i:02d}" for i in range(rows)], [f"s{j:02d}" for j in range(columns)], values)


def test_complete_votes_give_the_principal_components():
    values = np.random.default_rng(1).choice([1.0, -1.0, 0.0], size=(12, 6))
    oracle = PCA(n_components=2).fit(values)

    projection = project(complete(values))

    signs = np.sign((projection.components * oracle.components_).sum(axis=1))
    np.testing.assert_allclose(projection.components, oracle.components_ * signs[:, None], atol=1e-12)
    np.testing.assert_allclose(projection.coordinates, oracle.transform(values) * signs, atol=1e-12)
    np.testing.assert_allclose(projection.explained, oracle.explained_variance_ratio_, atol=1e-12)


def test_a_worked_example_in_one_dimension():
    # Means 0 and 0; the only axis is (1, -1) / sqrt 2; the first loading is made positive.
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("a", "y", -1), ("b", "x", -1), ("b", "y", 1), ("c", "x", 1)])

    projection = project(matrix)

    # Column x has mean 1/3, so the axes are those of the imputed matrix [[2/3, -1], [-4/3, 1], [2/3, 0]].
    imputed = np.array([[2 / 3, -1.0], [-4 / 3, 1.0], [2 / 3, 0.0]])
    axes = np.linalg.svd(imputed)[2]
    axes *= np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])[:, None]
    np.testing.assert_allclose(projection.means, [1 / 3, 0.0])
    np.testing.assert_allclose(projection.components, axes, atol=1e-12)
    # c voted on one of two statements: the place is stretched by sqrt(2 / 1).
    np.testing.assert_allclose(projection.coordinates[2], np.sqrt(2) * 2 / 3 * axes[:, 0], atol=1e-12)
    # A statement stands where somebody who only agrees with it would stand.
    np.testing.assert_allclose(projection.statement_coordinates[0], np.sqrt(2) * (1 - 1 / 3) * axes[:, 0], atol=1e-12)
    np.testing.assert_allclose(projection.extremity, np.linalg.norm(projection.statement_coordinates, axis=1))


def test_a_statement_lies_at_the_place_of_its_only_agreeing_voter():
    matrix, _, _ = planted_votes(votes_each=20, seed=3)
    projection = project(matrix)
    column = 7
    alone = np.full((1, len(matrix.statements)), np.nan)
    alone[0, column] = 1.0

    place = participant_coordinates(alone, projection.means, projection.components)

    np.testing.assert_allclose(projection.statement_coordinates[column], place[0], atol=1e-12)


def test_the_largest_loading_of_each_axis_is_positive():
    matrix, _, _ = planted_votes(votes_each=20, seed=0)

    components = project(matrix).components

    for loadings in components:
        assert loadings[np.abs(loadings).argmax()] > 0


def test_among_equally_large_loadings_the_first_statement_decides():
    projection = project(complete([[1, -1], [-1, 1]]))

    np.testing.assert_allclose(projection.components[0], [np.sqrt(0.5), -np.sqrt(0.5)])
    np.testing.assert_allclose(projection.components[1], [0.0, 0.0])


def test_axes_without_order_are_said_to_be_arbitrary():
    projection = project(complete([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]))

    assert projection.caution == "axes 1 and 2 explain equally much: their direction is arbitrary"
    assert project(complete([[1, 1], [-1, -1], [1, 0]])).caution is None


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (VoteMatrix.from_votes([]), "no votes"),
        (VoteMatrix.from_votes([], participants=["a"], statements=["x"]), "no votes"),
        (complete([[1, -1], [1, -1]]), "on every statement all votes are the same"),
        (complete([[1, -1, 0]]), "on every statement all votes are the same"),
    ],
    ids=["nothing", "keys only", "all alike", "one voter"],
)
def test_without_variation_there_is_no_place(matrix, reason):
    projection = project(matrix)

    assert projection.undefined == reason
    assert np.isnan(projection.coordinates).all()
    assert np.isnan(projection.extremity).all()
    json.dumps(projection.to_dict(), allow_nan=False)


def test_somebody_without_votes_has_no_place():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "x", -1)], participants=["c"], statements=["y"])

    projection = project(matrix)

    assert np.isnan(projection.coordinates[2]).all()
    assert np.isnan(projection.statement_coordinates[1]).all()
    np.testing.assert_array_equal(projection.components[:, 1], 0.0)


@given(matrix=vote_matrices(people=(2, 9)))
def test_opposite_votes_mirror_the_map(matrix):
    projection = project(matrix)
    assume(projection.caution is None)

    mirrored = project(VoteMatrix(matrix.participants, matrix.statements, -matrix.values))

    np.testing.assert_allclose(mirrored.coordinates, -projection.coordinates, atol=1e-9)
    np.testing.assert_allclose(mirrored.components, projection.components, atol=1e-9)


@given(matrix=vote_matrices(), count=st.integers(1, 3))
def test_statements_nobody_voted_on_move_nobody(matrix, count):
    more = VoteMatrix.from_arrays(
        matrix.participants,
        [*matrix.statements, *(f"r{i}" for i in range(count))],
        np.hstack([matrix.values, np.full((len(matrix.participants), count), np.nan)]),
    )

    assert project(more).coordinates.tobytes() == project(matrix).coordinates.tobytes()
