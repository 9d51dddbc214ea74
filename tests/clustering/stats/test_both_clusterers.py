"""What must hold of every clusterer: no crash and no number where there is no answer, and votes alone decide.

The cases are list 32 of the reference on Pol.is and its peers (what red-dwarf 0.4.0 ends with stands beside each), and
more of the kind.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.planted import World
from clustering.stats.advice import what_to_collect
from clustering.stats.clusterers import DYNAMIC, METHODS, POLIS, cluster
from clustering.stats.matrix import VoteMatrix
from clustering.stats.partitions import adjusted_rand
from clustering.stats.profiles import profile_groups
from clustering.stats.quality import group_quality
from clustering.stats.stability import bootstrap_stability
from clustering.words import REASONS
from tests.clustering.stats.strategies import as_votes, vote_matrices

DEFINED = None


def everybody(people, statements, value_of):
    return [(f"p{i:02d}", f"s{j:02d}", value_of(i, j)) for i in range(people) for j in range(statements)]


def blocs(people, statements, at):
    return everybody(people, statements, lambda i, j: 1 if i < at else -1)


ONLY_ONE = "only one participant voted"
ONE_STATEMENT = "only one statement has votes: groups need at least two"
SAME = {value: f"every vote is the same ({value})" for value in ("agree", "disagree", "neutral")}
# Votes, then what dynamic and polis say; DEFINED where there are groups.
CASES = {
    # KeyError
    "no votes": ([], "no votes", "no votes"),
    # ValueError
    "one participant": ([("a", "x", 1), ("a", "y", -1)], ONLY_ONE, ONLY_ONE),
    # two groups of one
    "two participants": (
        [("a", "x", 1), ("a", "y", -1), ("b", "x", -1), ("b", "y", 1)],
        "only two participants can be compared: a silhouette needs at least three",
        "only two participants can be compared: groups need at least three",
    ),
    # sizes 3, 1, 1
    "five participants": (blocs(5, 8, 3), DEFINED, DEFINED),
    # "All the 4 fits failed"
    "all 20 agree on everything": (everybody(20, 8, lambda i, j: 1), SAME["agree"], SAME["agree"]),
    "all disagree": (everybody(20, 8, lambda i, j: -1), SAME["disagree"], SAME["disagree"]),
    "all are neutral": (everybody(20, 8, lambda i, j: 0), SAME["neutral"], SAME["neutral"]),
    # the same error: nobody reaches 7 votes
    "30 people on 5 statements": (blocs(30, 5, 12), DEFINED, DEFINED),
    # ValueError
    "one statement": (everybody(20, 1, lambda i, j: 1 if i % 2 else -1), ONE_STATEMENT, ONE_STATEMENT),
    # ValueError in its statistics
    "ids that are no numbers": ([(f"é {p}", f"№ {s}", v) for p, s, v in blocs(12, 8, 5)], DEFINED, DEFINED),
    # taken
    "two identical blocs": (blocs(40, 9, 15), DEFINED, DEFINED),
    "everybody alike": (
        everybody(20, 8, lambda i, j: (1, -1)[j % 2]),
        "all participants voted alike on every statement they share",
        "on every statement all votes are the same",
    ),
    "no statement in common": (
        [(f"p{i}", f"s{i}", (1, -1)[i % 2]) for i in range(6)],
        "no two participants voted on a common statement",
        "on every statement all votes are the same",
    ),
    "three people": (
        [("a", "x", 1), ("a", "y", 1), ("b", "x", 1), ("b", "y", 1), ("c", "x", -1), ("c", "y", -1)],
        DEFINED,
        DEFINED,
    ),
    "one dissenter": (blocs(20, 8, 19), DEFINED, DEFINED),
    "a stranger with statements of their own": ([*blocs(12, 8, 5), ("z", "own", 1)], DEFINED, DEFINED),
}
EXPECTED = [
    pytest.param(votes, method, reason, id=f"{method}-{name}")
    for name, (votes, *reasons) in CASES.items()
    for method, reason in zip((DYNAMIC, POLIS), reasons, strict=True)
]


@pytest.mark.parametrize(("votes", "method", "reason"), EXPECTED)
def test_degenerate_votes_give_groups_or_a_reason(votes, method, reason):
    matrix = VoteMatrix.from_votes(votes)

    groups = cluster(matrix, method=method, seed=0)
    quality = group_quality(groups, matrix, authors={})
    stable = bootstrap_stability(
        lambda m, seed: cluster(m, method=method, seed=seed), matrix, groups, seed=0, replicates=2
    )
    documents = [
        groups.to_dict(),
        profile_groups(matrix, groups.labels).to_dict(),
        quality.to_dict(),
        stable.to_dict(),
        what_to_collect(matrix, quality, bootstrap=stable).to_dict(),
    ]

    json.dumps(documents, allow_nan=False)
    assert groups.undefined == reason == quality.undefined
    if reason is not None:
        assert reason in REASONS
        assert (groups.n_groups, groups.sizes, groups.chosen, groups.members()) == (0, (), None, {})
        assert np.isnan(groups.silhouette)
        assert (groups.labels == -1).all()
    else:
        assert groups.n_groups >= 2
        assert min(groups.sizes) >= 1
        assert sum(groups.sizes) + len(groups.exclusions) == len(matrix.participants)
        assert all(exclusion.reason for exclusion in groups.exclusions)


@pytest.mark.parametrize("method", METHODS)
def test_all_statements_moderated_out_is_a_reason(method):
    # red-dwarf: an error. A moderated statement does not get into the matrix of the dynamic clusterer.
    matrix = VoteMatrix.from_votes(blocs(12, 8, 5))
    nothing = matrix.subset(np.ones(12, dtype=bool), np.zeros(8, dtype=bool))

    if method == POLIS:
        hidden = cluster(matrix, method=method, seed=0, hidden=matrix.statements)
        assert hidden.undefined == "every statement with a vote is hidden by moderation"
    assert cluster(nothing, method=method, seed=0).undefined == "no votes"


def test_a_vote_given_twice_is_refused_by_name():
    # red-dwarf: "ValueError: duplicate index".
    with pytest.raises(ValueError, match="participant 'a' has two votes on statement 'x'"):
        VoteMatrix.from_votes([("a", "x", 1), ("a", "x", -1)])


@pytest.mark.parametrize("method", METHODS)
@given(matrix=vote_matrices(people=(2, 8), statements=(2, 6)), data=st.data())
def test_people_who_voted_alike_are_never_parted(method, matrix, data):
    copied = data.draw(st.integers(0, len(matrix.participants) - 1))
    keys = [*matrix.participants, "zz copy"]
    doubled = VoteMatrix.from_arrays(keys, matrix.statements, np.vstack([matrix.values, matrix.values[copied]]))

    groups = cluster(doubled, method=method, seed=1)

    assert groups.labels[copied] == groups.labels[-1]


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(matrix=vote_matrices(people=(2, 8), statements=(2, 6)), data=st.data())
def test_order_and_unvoted_statements_change_nothing(method, matrix, data):
    votes = data.draw(st.permutations(as_votes(matrix)))
    shuffled = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=matrix.statements)
    more = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=[*matrix.statements, "a", "zz"])

    groups, again, wider = (cluster(m, method=method, seed=1) for m in (matrix, shuffled, more))

    assert json.dumps(groups.to_dict()) == json.dumps(again.to_dict())
    assert wider.labels.tolist() == groups.labels.tolist()
    assert wider.coordinates.tobytes() == groups.coordinates.tobytes()
    assert str(wider.silhouette) == str(groups.silhouette)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_new_names_for_statements_and_groups_twice_as_large_are_found_the_same(method, seed):
    matrix, truth, _ = World((12, 9, 6)).draw(votes_each=40, seed=seed)
    order = np.random.default_rng(seed).permutation(70)
    renamed = VoteMatrix.from_arrays(
        matrix.participants, [f"n{place:02d}" for place in np.argsort(order)], matrix.values
    )
    twice = VoteMatrix.from_arrays(
        [*matrix.participants, *(f"{key} again" for key in matrix.participants)],
        matrix.statements,
        np.vstack([matrix.values, matrix.values]),
    )

    groups, other, doubled = (cluster(m, method=method, seed=seed) for m in (matrix, renamed, twice))

    assert adjusted_rand(groups.labels, other.labels) == 1.0
    np.testing.assert_allclose(other.silhouette, groups.silhouette, atol=1e-9)
    both = doubled.members()
    assert all(both[key] == both[f"{key} again"] for key in matrix.participants)
    if method == DYNAMIC:
        assert adjusted_rand(groups.labels, truth) == 1.0
        assert adjusted_rand(np.array([both[key] for key in matrix.participants]), truth) == 1.0
