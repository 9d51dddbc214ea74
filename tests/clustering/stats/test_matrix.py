import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.stats.matrix import VoteMatrix
from tests.clustering.stats.strategies import as_votes, vote_matrices

VOTES = [("p10", "s2", 1), ("p2", "s10", -1), ("p2", "s2", 0)]


def test_rows_and_columns_are_in_the_order_of_their_keys():
    matrix = VoteMatrix.from_votes(VOTES)

    assert matrix.participants == ("p10", "p2")
    assert matrix.statements == ("s10", "s2")
    np.testing.assert_array_equal(matrix.values, [[np.nan, 1], [-1, 0]])


def test_a_missing_vote_is_not_a_neutral_one():
    matrix = VoteMatrix.from_votes(VOTES)

    assert matrix.n_votes == 3
    np.testing.assert_array_equal(matrix.seen, [[False, True], [True, True]])


def test_two_votes_of_one_person_on_one_statement_are_refused():
    with pytest.raises(ValueError, match="'p2' has two votes on statement 's2'"):
        VoteMatrix.from_votes([*VOTES, ("p2", "s2", 0)])


@pytest.mark.parametrize("value", [2, 0.5, float("nan"), None, "1"])
def test_other_values_are_refused(value):
    with pytest.raises(ValueError, match="not one of 1, -1, 0"):
        VoteMatrix.from_votes([("p", "s", value)])


def test_other_values_in_an_array_are_refused():
    with pytest.raises(ValueError, match=r"participant 'a' on statement 'y' is .*2.*not one of 1, -1, 0"):
        VoteMatrix.from_arrays(["a"], ["x", "y"], [[1, 2]])


def test_a_key_given_twice_is_refused():
    with pytest.raises(ValueError, match="participant 'a' occurs twice"):
        VoteMatrix.from_arrays(["a", "a"], ["x"], [[1], [1]])


def test_an_array_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="shape"):
        VoteMatrix.from_arrays(["a"], ["x"], [[1, 1]])
    with pytest.raises(ValueError, match="shape"):
        VoteMatrix(("a",), ("x",), np.ones((2, 1)))


def test_keys_out_of_order_are_refused_by_the_constructor():
    with pytest.raises(ValueError, match="not in order"):
        VoteMatrix(("b", "a"), (), np.ones((2, 0)))


def test_people_and_statements_without_votes_can_be_named():
    matrix = VoteMatrix.from_votes(VOTES, participants=["p1"], statements=["s9", "s2"])

    assert matrix.participants == ("p1", "p10", "p2")
    assert matrix.statements == ("s10", "s2", "s9")
    assert not matrix.seen[0].any()


def test_an_empty_matrix_is_a_matrix():
    assert VoteMatrix.from_votes([]).values.shape == (0, 0)
    assert VoteMatrix.from_arrays(["a"], [], []).values.shape == (1, 0)


def test_values_cannot_be_written_and_the_array_given_is_not():
    given_values = np.array([[1.0, np.nan]])
    matrix = VoteMatrix.from_arrays(["a"], ["x", "y"], given_values)

    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 0.0
    given_values[0, 0] = -1.0
    assert matrix.values[0, 0] == 1.0


def test_votes_on_ones_own_statement_are_recognised():
    matrix = VoteMatrix.from_votes(VOTES)

    own = matrix.own_votes({"s2": "p2", "s10": "somebody else"})

    np.testing.assert_array_equal(own, [[False, False], [False, True]])
    assert matrix.without(own).n_votes == 2


def test_the_digest_tells_missing_from_neutral_and_counts_keys():
    digests = {
        VoteMatrix.from_votes([("a", "x", 1)], statements=["y"]).sha256(),
        VoteMatrix.from_votes([("a", "x", 1), ("a", "y", 0)]).sha256(),
        VoteMatrix.from_votes([("a", "x", 1)]).sha256(),
        VoteMatrix.from_votes([("b", "x", 1)]).sha256(),
        VoteMatrix.from_votes([], participants=["a"], statements=["x"]).sha256(),
        VoteMatrix.from_votes([], participants=["a,x"]).sha256(),
    }

    assert len(digests) == 6


def test_the_digest_does_not_depend_on_the_sign_of_zero():
    assert VoteMatrix.from_votes([("a", "x", -0.0)]).sha256() == VoteMatrix.from_votes([("a", "x", 0)]).sha256()


@given(matrix=vote_matrices(), data=st.data())
def test_the_order_of_votes_changes_nothing(matrix, data):
    votes = as_votes(matrix)
    shuffled = data.draw(st.permutations(votes))

    again = VoteMatrix.from_votes(shuffled, participants=matrix.participants, statements=matrix.statements)

    assert again.sha256() == matrix.sha256()
    np.testing.assert_array_equal(again.values, matrix.values)
