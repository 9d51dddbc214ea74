import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from benchmarks.groups import planted_votes
from clustering.stats.dynamic import cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.plain import plain
from clustering.stats.quality import group_quality, peer_voting
from tests.clustering.stats.strategies import vote_matrices

NAN = np.nan
AUTHORS = {"by-a": "a", "by-b": "b", "by-c": "c"}


@pytest.fixture
def matrix():
    # a and b are one group, c another; the seed has no author.
    values = [[1, 1, -1, 1], [1, NAN, 0, 1], [-1, 0, 1, -1]]
    return VoteMatrix.from_arrays(["a", "b", "c"], ["by-a", "by-b", "by-c", "seed"], values)


LABELS = np.array([0, 0, 1])


def test_rates_within_and_outside_groups(matrix):
    peers = peer_voting(matrix, LABELS, AUTHORS)

    # Within: a on b's, b on a's. Outside: a and b on c's, c on a's and b's. One's own never count.
    np.testing.assert_array_equal(peers.within, [[1, 0, 0], [NAN, NAN, NAN]])
    np.testing.assert_array_equal(peers.outside, [[0, 0.5, 0.5], [0, 0.5, 0.5]])
    assert peers.n_within.tolist() == [2, 0]
    assert peers.n_outside.tolist() == [2, 2]
    assert peers.n_own == 2
    assert peers.n_unattributed == 3


def test_groups_without_such_votes_are_skipped_not_counted_as_zero(matrix):
    peers = peer_voting(matrix, LABELS, AUTHORS)

    assert peers.mean_within.tolist() == [1, 0, 0]
    assert peers.cohesion == 1.0


def test_pooled_rates_count_votes_and_means_count_groups():
    # Group 0 has three votes on its own statements, group 1 has one.
    votes = [("a", "by-b", 1), ("b", "by-a", 1), ("d", "by-a", 1), ("c", "by-e", -1), ("a", "by-e", 0)]
    matrix = VoteMatrix.from_votes(votes, participants=["e"])

    peers = peer_voting(matrix, np.array([0, 0, 1, 0, 1]), AUTHORS | {"by-e": "e"})

    assert peers.mean_within.tolist() == [0.5, 0.5, 0]
    assert peers.pooled_within.tolist() == [0.75, 0.25, 0]
    assert peers.pooled_outside.tolist() == [0, 0, 1]
    assert (peers.n_groups_within, peers.n_groups_outside) == (2, 1)


def test_cohesion_leaves_singletons_out():
    # The singleton d approves nothing but is no group that could cohere.
    votes = [("a", "by-b", 1), ("b", "by-a", -1), ("d", "by-a", -1)]
    matrix = VoteMatrix.from_votes(votes)

    assert peer_voting(matrix, np.array([0, 0, 1]), AUTHORS).cohesion == 0.5


def test_without_peer_statements_there_is_a_reason(matrix):
    peers = peer_voting(matrix, LABELS, {})

    assert peers.undefined == "no grouped participant voted on a statement by another one"
    assert np.isnan(peers.cohesion)
    json.dumps(peers.to_dict(), allow_nan=False)


def test_labels_that_do_not_fit_are_refused(matrix):
    with pytest.raises(ValueError, match="2 labels for 3"):
        peer_voting(matrix, LABELS[:2], AUTHORS)


@given(matrix=vote_matrices(people=(2, 6), statements=(1, 6)), data=st.data())
def test_rates_are_those_of_counting_by_hand(matrix, data):
    people = matrix.participants
    labels = data.draw(hnp.arrays(np.int64, len(people), elements=st.integers(-1, 1)))
    authors = {s: data.draw(st.sampled_from([*people, "nobody"])) for s in matrix.statements}
    group = dict(zip(people, labels.tolist(), strict=True))

    peers = peer_voting(matrix, labels, authors)

    for label in range(int(labels.max()) + 1):
        votes = [
            (group.get(authors[statement], -1), matrix.values[row, column])
            for row, person in enumerate(people)
            for column, statement in enumerate(matrix.statements)
            if group[person] == label and authors[statement] != person and matrix.seen[row, column]
        ]
        inside = [value for by, value in votes if by == label]
        across = [value for by, value in votes if by not in (label, -1)]
        for counted, rates in ((inside, peers.within[label]), (across, peers.outside[label])):
            expected = [counted.count(v) / len(counted) if counted else NAN for v in (1.0, -1.0, 0.0)]
            np.testing.assert_allclose(rates, expected)


def test_quality_of_groups():
    votes = [(f"p{i}", f"s{j}", 1 if i < 4 else -1) for i in range(5) for j in range(4)]
    matrix = VoteMatrix.from_votes(votes)
    groups = cluster_opinions(matrix, seed=0)

    quality = group_quality(groups, matrix)

    assert groups.sizes == (4, 1)
    assert quality.singleton_share == 0.5
    assert quality.largest_share == 0.8
    assert (quality.n_groups, quality.n_grouped) == (2, 5)
    assert quality.silhouette == groups.silhouette
    assert quality.share_without_common == 0.0
    assert quality.peers is None
    assert group_quality(groups, matrix, authors={"s0": "p0"}).peers.n_own == 1


def test_the_silhouette_on_the_map_is_that_of_the_clusterer_in_the_projection():
    matrix, _, _ = planted_votes(votes_each=15, seed=3)
    groups = cluster_opinions(matrix, seed=0)

    quality = group_quality(groups, matrix)

    assert quality.map_silhouette == pytest.approx(groups.silhouette, abs=1e-12)
    assert (quality.group_silhouettes * groups.sizes).sum() / 60 == pytest.approx(quality.map_silhouette)
    assert group_quality(cluster_opinions(matrix, seed=0, space="votes"), matrix).map_silhouette != groups.silhouette


def test_the_share_without_a_common_statement_leaves_own_votes_out():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "x", 1), ("c", "x", 1), ("c", "y", 1), ("a", "y", 1)])
    groups = cluster_opinions(matrix, seed=0)

    assert group_quality(groups, matrix).share_without_common == 0
    assert group_quality(groups, matrix, authors={"x": "c"}).share_without_common == 1 / 3


def test_pairs_of_very_many_people_are_left_out_with_a_reason(monkeypatch):
    monkeypatch.setattr("clustering.stats.quality.MOST_PEOPLE", 5)
    matrix, _, _ = planted_votes(votes_each=15, seed=3)

    quality = group_quality(cluster_opinions(matrix, seed=0), matrix)

    assert quality.pairs_undefined.startswith("more than 5,000 participants")
    assert np.isnan([quality.map_silhouette, *quality.group_silhouettes, quality.share_without_common]).all()
    json.dumps(quality.to_dict(), allow_nan=False)


def test_groups_of_another_matrix_are_refused(matrix):
    other = VoteMatrix.from_votes([("x", "s", 1)])

    with pytest.raises(ValueError, match="another matrix"):
        group_quality(cluster_opinions(other, seed=0), matrix)


def test_plain_copies_know_only_plain_values():
    assert plain({"a": (np.float64("nan"), np.int64(3), True, None, "x")}) == {"a": [None, 3, True, None, "x"]}
    with pytest.raises(TypeError, match="set has no plain form"):
        plain({1, 2})
