"""Questions that have no answer get a reason, in either space: no crash, no number."""

import json

import numpy as np
import pytest

from clustering.stats.dynamic import cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import profile_groups
from clustering.stats.quality import group_quality


def everybody(people, statements, value_of):
    return [(f"p{i}", f"s{j}", value_of(i, j)) for i in range(people) for j in range(statements)]


CASES = {
    "nothing at all": ([], "no votes"),
    "one voter": ([("a", "x", 1), ("a", "y", -1)], "only one participant voted"),
    "two people": (
        [("a", "x", 1), ("a", "y", -1), ("b", "x", -1), ("b", "y", 1)],
        "only two participants can be compared: a silhouette needs at least three",
    ),
    "one statement": (
        everybody(6, 1, lambda i, j: 1 if i % 2 else -1),
        "only one statement has votes: groups need at least two",
    ),
    "all agree": (everybody(5, 4, lambda i, j: 1), "every vote is the same (agree)"),
    "all disagree": (everybody(5, 4, lambda i, j: -1), "every vote is the same (disagree)"),
    "all neutral": (everybody(5, 4, lambda i, j: 0), "every vote is the same (neutral)"),
    "everybody identical": (
        everybody(5, 4, lambda i, j: (1, -1, 0, 1)[j]),
        "all participants voted alike on every statement they share",
    ),
    "no overlap": (
        [(f"p{i}", f"s{i}", (1, -1)[i % 2]) for i in range(6)],
        "no two participants voted on a common statement",
    ),
    "all but two without overlap": (
        [*((f"p{i}", f"s{i}", 1) for i in range(6)), ("p6", "s0", -1)],
        "only two participants can be compared: a silhouette needs at least three",
    ),
}


@pytest.mark.parametrize("space", ["projection", "votes"])
@pytest.mark.parametrize(("votes", "reason"), CASES.values(), ids=CASES.keys())
def test_a_question_without_an_answer_says_why(votes, reason, space):
    matrix = VoteMatrix.from_votes(votes)

    groups = cluster_opinions(matrix, seed=0, space=space)

    assert groups.undefined == reason
    assert groups.n_groups == 0
    assert groups.chosen is None
    assert groups.row is None
    assert np.isnan(groups.silhouette)
    assert (groups.labels == -1).all()
    assert groups.to_dict()["silhouette"] is None
    json.dumps(groups.to_dict(), allow_nan=False)


@pytest.mark.parametrize("votes", [votes for votes, _ in CASES.values()], ids=CASES.keys())
def test_profiles_and_quality_of_no_groups_say_so(votes):
    matrix = VoteMatrix.from_votes(votes)
    groups = cluster_opinions(matrix, seed=0)

    profiles = profile_groups(matrix, groups.labels)
    quality = group_quality(groups, matrix, authors={})

    assert profiles.undefined == "there are no groups"
    assert profiles.characteristic == ()
    assert np.isnan(profiles.group_informed_consensus).all()
    assert quality.undefined == groups.undefined
    assert np.isnan(quality.singleton_share)
    assert quality.peers.undefined == "no grouped participant voted on a statement by another one"
    json.dumps([profiles.to_dict(), quality.to_dict()], allow_nan=False)


def test_three_people_are_enough():
    votes = [("a", "x", 1), ("a", "y", 1), ("b", "x", 1), ("b", "y", 1), ("c", "x", -1), ("c", "y", -1)]

    groups = cluster_opinions(VoteMatrix.from_votes(votes), seed=0)

    assert groups.undefined is None
    assert groups.labels.tolist() == [0, 0, 1]


def test_two_identical_blocs_are_two_groups():
    groups = cluster_opinions(VoteMatrix.from_votes(everybody(8, 5, lambda i, j: 1 if i < 4 else -1)), seed=0)

    assert groups.labels.tolist() == [0] * 4 + [1] * 4
    assert groups.silhouette == 1.0
