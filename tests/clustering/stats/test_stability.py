import json
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

from benchmarks.groups import planted_votes
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.stability import adjusted_rand, bootstrap_stability, seed_stability
from tests.clustering.stats.strategies import as_votes

NAN = np.nan
SMALL = Grid(k_max=(4,), distance_threshold=(0.9,), outlier_threshold=(0.6,), minimum_size=(1, 3), n_seeds=2)


@dataclass(frozen=True)
class Found:
    participants: tuple[str, ...]
    labels: np.ndarray
    undefined: str | None = None


def dynamic(matrix, seed):
    return cluster_opinions(matrix, seed=seed, grid=SMALL)


def by_first_vote(matrix, _seed):
    """A clusterer that looks at nobody else: people go by their vote on the first statement."""
    return Found(matrix.participants, (matrix.values[:, 0] < 0).astype(np.int64))


def camps(n=8):
    votes = [(f"p{i}", f"s{j}", 1 if i % 2 == 0 else -1) for i in range(n) for j in range(3)]
    return VoteMatrix.from_votes(votes)


@given(
    left=hnp.arrays(np.int64, 9, elements=st.integers(0, 3)), right=hnp.arrays(np.int64, 9, elements=st.integers(0, 3))
)
def test_the_adjusted_rand_index_is_scikit_learns(left, right):
    ours = adjusted_rand(left, right)

    if np.isnan(ours):
        assert len(set(left)) == len(set(right)) in (1, 9)
    else:
        assert ours == pytest.approx(adjusted_rand_score(left, right), abs=1e-12)


def test_the_index_leaves_out_who_is_in_no_group():
    left, right = np.array([0, 0, 1, 1, -1, 0]), np.array([1, 1, 0, 0, 1, -1])

    assert adjusted_rand(left, right) == 1.0
    assert np.isnan(adjusted_rand(np.array([-1, 0]), np.array([0, -1])))
    with pytest.raises(ValueError, match="2 labels beside 6"):
        adjusted_rand(left[:2], right)


def test_seeds_are_compared_in_pairs():
    labels = {1: [0, 0, 1, 1], 2: [1, 1, 0, 0], 3: [0, 1, 0, 1], 4: [-1] * 4}

    found = seed_stability(
        lambda matrix, seed: Found(matrix.participants, np.array(labels[seed]), "too few" if seed == 4 else None),
        camps(4),
        seeds=[1, 2, 3, 4],
    )

    other = adjusted_rand_score([0, 0, 1, 1], [0, 1, 0, 1])
    assert found.adjusted_rand[0, 1] == 1.0
    assert found.mean == pytest.approx((1 + other + other) / 3)
    assert found.lowest == pytest.approx(other)
    assert found.n_groups == (2, 2, 2, 0)
    assert found.reasons[3] == "too few"
    assert (found.n_partitions, found.share_of_commonest) == (2, 2 / 3)
    assert np.isnan(found.adjusted_rand[3]).all()
    json.dumps(found.to_dict(), allow_nan=False)


def test_without_groups_there_is_no_stability_but_a_reason():
    nobody = VoteMatrix.from_votes([("a", "x", 1)])

    seeds = seed_stability(dynamic, nobody, seeds=[1, 2])
    boot = bootstrap_stability(dynamic, nobody, dynamic(nobody, 0), seed=0)

    assert seeds.undefined == "fewer than two seeds gave groups that can be compared"
    assert np.isnan(seeds.mean)
    assert boot.undefined == "only one participant voted"
    assert np.isnan(boot.overall)
    json.dumps([seeds.to_dict(), boot.to_dict()], allow_nan=False)


@pytest.mark.parametrize("seeds", [[1], [1, 1]], ids=str)
def test_fewer_than_two_seeds_are_refused(seeds):
    with pytest.raises(ValueError, match="two seeds"):
        seed_stability(dynamic, camps(), seeds=seeds)


@pytest.mark.parametrize("multiples", ["once", "keep"])
def test_groups_that_do_not_depend_on_others_are_stable(multiples):
    matrix = camps()

    found = bootstrap_stability(
        by_first_vote, matrix, by_first_vote(matrix, 0), seed=3, replicates=40, multiples=multiples
    )

    assert found.undefined is None
    same = np.equal.outer(np.arange(8) % 2, np.arange(8) % 2)
    expected = np.where(np.eye(8, dtype=bool), NAN, same.astype(float))
    np.testing.assert_array_equal(found.pairs, expected)
    assert found.person.tolist() == [1.0] * 8
    assert found.group.tolist() == found.jaccard.tolist() == [1.0, 1.0]
    assert found.overall == found.adjusted_rand == 1.0


def test_shares_are_those_of_counting_by_hand():
    """A clusterer that puts everybody into one of two groups by where they stand among those drawn."""

    def halves(matrix, _seed):
        n = len(matrix.participants)
        return Found(matrix.participants, (np.arange(n) >= n // 2).astype(np.int64))

    matrix, replicates, seed = camps(), 25, 5
    reference = halves(matrix, 0)
    found = bootstrap_stability(halves, matrix, reference, seed=seed, replicates=replicates)

    together, both = np.zeros((8, 8)), np.zeros((8, 8))
    for replicate in range(replicates):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate,)))
        drawn = sorted(set(rng.choice(np.arange(8), size=8).tolist()))
        half = {person: place >= len(drawn) // 2 for place, person in enumerate(drawn)}
        for one, other in combinations(drawn, 2):
            both[one, other] += 1
            together[one, other] += half[one] == half[other]
    together, both = together + together.T, both + both.T
    np.testing.assert_allclose(found.pairs, np.where(both > 0, together / np.maximum(both, 1), NAN))
    for person in range(8):
        mates = [other for other in range(8) if other != person and reference.labels[other] == reference.labels[person]]
        assert found.person[person] == pytest.approx(together[person, mates].sum() / both[person, mates].sum())
    assert found.group[0] == pytest.approx(found.person[:4].mean())
    assert (found.jaccard < 1).all()


def test_a_group_of_one_meets_nobody():
    matrix = camps(5)
    reference = Found(matrix.participants, np.array([0, 0, 0, 0, 1]))

    found = bootstrap_stability(by_first_vote, matrix, reference, seed=1, replicates=20)

    assert np.isnan(found.person[4])
    assert np.isnan(found.group[1])
    assert 0 < found.jaccard[1] < 1


def test_replicates_without_groups_are_counted_and_left_out():
    matrix = camps()

    def seldom(matrix, seed):
        alone = len(matrix.participants) < 5
        return Found(matrix.participants, by_first_vote(matrix, seed).labels, "too few" if alone else None)

    found = bootstrap_stability(seldom, matrix, by_first_vote(matrix, 0), seed=2, replicates=40)
    never = bootstrap_stability(
        lambda matrix, _: Found(matrix.participants, np.full(len(matrix.participants), -1), "never"),
        matrix,
        by_first_vote(matrix, 0),
        seed=2,
        replicates=3,
    )

    assert 0 < found.n_undefined < 40
    assert found.overall == 1.0
    assert (never.n_undefined, never.undefined) == (3, "no replicate had groups")


@pytest.mark.parametrize("multiples", ["once", "keep"])
def test_planted_groups_are_stable_and_noise_is_not(multiples):
    matrix, _, _ = planted_votes(votes_each=30, seed=1)
    coins = np.random.default_rng(0).choice([1.0, -1.0], size=matrix.values.shape)
    noise = VoteMatrix(matrix.participants, matrix.statements, np.where(matrix.seen, coins, np.nan))

    planted, chance = (
        bootstrap_stability(dynamic, votes, dynamic(votes, 0), seed=0, replicates=20, multiples=multiples)
        for votes in (matrix, noise)
    )

    assert planted.jaccard.min() > 0.75
    assert planted.overall > 0.9
    assert np.nanmin(chance.jaccard) < 0.6
    assert chance.overall < planted.overall


def test_shuffled_votes_give_the_same_bytes_and_the_matrix_can_be_left_out():
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    votes = as_votes(matrix)
    np.random.default_rng(0).shuffle(votes)
    again = VoteMatrix.from_votes([(p, s, float(v)) for p, s, v in votes])

    one, other = (bootstrap_stability(dynamic, m, dynamic(m, 1), seed=1, replicates=5) for m in (matrix, again))
    small = bootstrap_stability(dynamic, matrix, dynamic(matrix, 1), seed=1, replicates=5, keep_pairs=False)

    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert small.pairs is None
    np.testing.assert_array_equal(small.person, one.person)


def test_options_and_groups_that_do_not_fit_are_refused():
    matrix = camps()
    with pytest.raises(ValueError, match="another matrix"):
        bootstrap_stability(dynamic, matrix, dynamic(camps(6), 0), seed=0)
    for options in ({"seed": -1}, {"seed": 0, "replicates": 0}, {"seed": 0, "multiples": "twice"}):
        with pytest.raises(ValueError, match="seed is at least 0"):
            bootstrap_stability(dynamic, matrix, dynamic(matrix, 0), **options)
