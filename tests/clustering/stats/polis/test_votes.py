"""Votes as integer arrays are the vote matrix in another form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis.portraits import count_group_votes
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.profiles import count_votes
from tests.clustering.stats.strategies import vote_matrices


@given(vote_matrices(people=(0, 6), statements=(0, 5)))
def test_a_matrix_survives_the_round_trip(matrix):
    votes = SparseVotes.from_matrix(matrix)
    back = votes.to_matrix()

    np.testing.assert_array_equal(back.values, matrix.values)
    assert (back.participants, back.statements) == (matrix.participants, matrix.statements)
    assert votes.n_votes == matrix.n_votes
    assert votes.sha256() == matrix.sha256()


@pytest.mark.parametrize("cells", [1, 7, 20, 21])
def test_the_digest_does_not_depend_on_how_it_is_cut(cells, monkeypatch):
    monkeypatch.setattr("clustering.stats.polis.votes.CHUNK", cells)
    matrix = VoteMatrix.from_votes([(f"p{i}", f"s{i % 3}", 1) for i in range(7)])

    assert SparseVotes.from_matrix(matrix).sha256() == matrix.sha256()


@given(vote_matrices(), st.randoms(use_true_random=False))
def test_any_order_of_keys_and_votes_gives_the_same(matrix, random):
    votes = SparseVotes.from_matrix(matrix)
    people, statements = list(range(len(matrix.participants))), list(range(len(matrix.statements)))
    random.shuffle(people)
    random.shuffle(statements)
    entries = [
        (people.index(r), statements.index(c), v)
        for r, c, v in zip(votes.rows, votes.columns, votes.values, strict=True)
    ]
    random.shuffle(entries)

    shuffled = SparseVotes.from_arrays(
        [matrix.participants[p] for p in people],
        [matrix.statements[s] for s in statements],
        *(np.array([entry[part] for entry in entries], dtype=int) for part in range(3)),
    )

    for ours, theirs in zip(
        (shuffled.rows, shuffled.columns, shuffled.values), (votes.rows, votes.columns, votes.values), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert shuffled.sha256() == matrix.sha256()


@given(vote_matrices(), st.lists(st.integers(-1, 2), min_size=9, max_size=9))
def test_votes_are_counted_as_in_the_matrix(matrix, groups):
    labels = np.array(groups[: len(matrix.participants)])
    votes = SparseVotes.from_matrix(matrix)

    ours, theirs = count_group_votes(votes, labels), count_votes(matrix.values, labels)

    for name in ("agree", "disagree", "neutral", "seen"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_array_equal(votes.votes_each(), matrix.seen.sum(axis=1))
    np.testing.assert_array_equal(votes.votes_on(-1), (matrix.values == -1).sum(axis=0))


def test_own_votes_are_known_and_can_be_left_out():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("a", "y", -1), ("b", "x", 0), ("b", "y", 1)])
    votes = SparseVotes.from_matrix(matrix)
    authors = {"x": "a", "y": "nobody"}

    own = votes.own_votes(authors)

    assert own.tolist() == [True, False, False, False]
    np.testing.assert_array_equal(votes.only(~own).to_matrix().values, matrix.without(matrix.own_votes(authors)).values)
    assert not votes.own_votes({}).any()


@pytest.mark.parametrize(
    ("people", "statements", "rows", "columns", "values", "message"),
    [
        (["a", "a"], ["x"], [0], [0], [1], "participant 'a' occurs twice"),
        (["a", "b"], ["y", "x", "y"], [0], [0], [1], "statement 'y' occurs twice"),
        (["b", "a"], ["x"], [0, 1, 0], [0, 0, 0], [1, 1, -1], "participant 'b' has two votes on statement 'x'"),
        (["a"], ["x"], [1], [0], [1], "a participant outside 0 to 0"),
        (["a"], ["x"], [0], [-1], [1], "a statement outside 0 to 0"),
        (["a"], ["x"], [0], [0], [2], "none of 1, -1, 0"),
        (["a"], ["x"], [0, 0], [0], [1], "one entry for each vote"),
    ],
)
def test_what_is_no_vote_is_refused(people, statements, rows, columns, values, message):
    with pytest.raises(ValueError, match=message):
        SparseVotes.from_arrays(people, statements, rows, columns, values)


def test_the_arrays_cannot_be_changed():
    votes = SparseVotes.from_arrays(["a"], ["x"], [0], [0], [1])

    with pytest.raises(ValueError, match="read-only"):
        votes.values[0] = -1
