import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from benchmarks.groups import planted_votes
from clustering.stats.advice import CODES, Cutoffs, votes_for_overlap, what_to_collect
from clustering.stats.chance import chance_silhouette, shuffled_votes
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.needs import links, people_in_need, statements_in_need, without_common
from clustering.stats.quality import group_quality
from clustering.stats.stability import bootstrap_stability, seed_stability
from clustering.words import ADVICE, advice_in_words
from tests.clustering.stats.strategies import random_votes, vote_matrices

SMALL = Grid(k_max=(10,), distance_threshold=(0.7,), outlier_threshold=(0.6,), n_seeds=2)


def dynamic(matrix, seed):
    return cluster_opinions(matrix, seed=seed, grid=SMALL)


def everything_about(matrix, **options):
    groups = dynamic(matrix, 0)
    return what_to_collect(
        matrix,
        group_quality(groups, matrix, **options),
        bootstrap=bootstrap_stability(dynamic, matrix, groups, seed=0, replicates=12),
        seeds=seed_stability(dynamic, matrix, seeds=range(4)),
        chance=chance_silhouette(dynamic, matrix, groups, seed=0, shuffles=19),
        **options,
    )


def test_good_groups_need_nothing():
    matrix, truth, _ = planted_votes(votes_each=40, seed=1)
    # Everybody writes a statement that their group agrees with.
    values = np.where(truth[:, None] == truth[None, :], 1.0, -1.0)
    peers = VoteMatrix.from_arrays(
        matrix.participants,
        [*matrix.statements, *(f"t{i:02d}" for i in range(60))],
        np.hstack([matrix.values, values]),
    )
    authors = {f"t{i:02d}": key for i, key in enumerate(matrix.participants)}

    advice = everything_about(peers, authors=authors)

    assert advice.findings == ()
    assert advice.not_asked == ()
    assert advice.statements == advice.people == advice.links == ()
    assert 10 < advice.votes_for_overlap < 40


def test_coin_tosses_are_called_no_better_than_chance():
    advice = everything_about(random_votes(people=40, statements=30))

    codes = [finding.code for finding in advice.findings]
    assert "no_better_than_chance" in codes
    assert "unstable_groups" in codes
    assert codes == [code for code in CODES if code in codes]
    assert advice.not_asked == ("no_endorsement",)


def test_sparse_votes_are_told_what_they_lack():
    matrix, _, _ = planted_votes(votes_each=5, seed=0)

    advice = everything_about(matrix)

    findings = {finding.code: finding for finding in advice.findings}
    assert findings["few_votes_each"].value == 5
    assert findings["few_votes_each"].n == 60
    assert findings["little_overlap"].n == without_common(matrix).sum() / 2
    assert findings["under_voted"].n == len(advice.statements)
    assert advice.people[0].n_more == 10
    assert len(advice.links) == 20
    json.dumps(advice.to_dict(), allow_nan=False)


def test_no_groups_are_said_with_the_reason():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "x", 1), ("c", "x", 1)])

    advice = everything_about(matrix)

    assert advice.findings[0].code == "no_groups"
    assert advice.findings[0].reason == "only one statement has votes: groups need at least two"
    assert "few_people" in advice.not_asked
    json.dumps(advice.to_dict(), allow_nan=False)


def test_groups_that_do_not_endorse_each_other_singletons_and_the_ungrouped_are_found():
    votes = [(f"p{i}", f"s{j}", 1 if i < 6 else -1) for i in range(7) for j in range(7)]
    matrix = VoteMatrix.from_votes([*votes, ("stranger", "own", 1)])
    groups = cluster_opinions(matrix, seed=0)
    quality = group_quality(groups, matrix, authors={"s0": "p0", "s6": "p6"})

    advice = what_to_collect(matrix, quality, cutoffs=Cutoffs(share_ungrouped=0.1, endorsement=1.1))

    found = {finding.code: (finding.value, finding.n) for finding in advice.findings}
    assert found["few_people"] == (7, 7)
    assert found["many_singletons"] == (0.5, 1)
    assert found["many_ungrouped"] == (1 / 8, 1)
    assert found["no_endorsement"][0] < 1.1
    assert set(advice.not_asked) == {"unstable_groups", "seed_dependent", "no_better_than_chance"}


def test_with_very_many_people_pairs_are_not_looked_at():
    matrix, _, _ = planted_votes(votes_each=5, seed=0)
    quality = replace(group_quality(dynamic(matrix, 0), matrix), pairs_undefined="too many")

    advice = what_to_collect(matrix, quality)

    assert advice.links == ()
    assert {need.n_without_common for need in advice.people} == {0}
    assert "little_overlap" in advice.not_asked


@given(matrix=vote_matrices(people=(2, 7), statements=(1, 6)))
def test_needs_are_those_of_counting_by_hand(matrix):
    sets = {
        key: {matrix.statements[column] for column in np.flatnonzero(matrix.seen[row])}
        for row, key in enumerate(matrix.participants)
    }
    lacking = {
        (one, other)
        for one, other in combinations(matrix.participants, 2)
        if sets[one] and sets[other] and not sets[one] & sets[other]
    }

    assert without_common(matrix).sum() == 2 * len(lacking)
    for need in people_in_need(matrix, 2):
        assert need.n_votes == len(sets[need.participant])
        assert need.n_without_common == sum(need.participant in pair for pair in lacking)
    for need in statements_in_need(matrix, 3):
        assert need.n_votes + need.n_more == 3
        assert need.n_votes == sum(need.statement in voted for voted in sets.values())
    before = len(lacking)
    for link in links(matrix, {}):
        best = max(
            sum(
                statement in sets[other] and not sets[person] & sets[other] and bool(sets[person])
                for other in matrix.participants
                if other != person
            )
            for person in matrix.participants
            for statement in matrix.statements
            if statement not in sets[person]
        )
        assert link.n_pairs == best > 0
        sets[link.participant].add(link.statement)
        before -= link.n_pairs
    assert before == sum(
        bool(sets[a] and sets[b]) and not sets[a] & sets[b] for a, b in combinations(matrix.participants, 2)
    )


def test_nobody_is_asked_to_vote_on_their_own_statement():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "y", 1)])

    assert [(link.participant, link.statement) for link in links(matrix, {})] == [("a", "y")]
    assert [(link.participant, link.statement) for link in links(matrix, {"y": "a"})] == [("b", "x")]
    assert links(matrix, {"y": "a", "x": "b"}) == ()


@pytest.mark.parametrize(("statements", "share"), [(70, 0.05), (70, 0.2), (10, 0.01), (1, 0.05)])
def test_votes_for_overlap_are_those_of_simulation(statements, share):
    m = votes_for_overlap(statements, share)

    rng = np.random.default_rng(0)

    def simulated(m, n=4000):
        return np.mean(
            [not set(rng.permutation(statements)[:m]) & set(rng.permutation(statements)[:m]) for _ in range(n)]
        )

    assert simulated(m) <= share + 0.015
    if m > 1:
        assert simulated(m - 1) > share - 0.015
    assert votes_for_overlap(0, 0.05) is None


def test_shuffling_keeps_who_voted_and_how_many_agreed():
    matrix, _, _ = planted_votes(votes_each=10, seed=0)

    shuffled = shuffled_votes(matrix, np.random.default_rng(0))

    assert (shuffled.seen == matrix.seen).all()
    for value in (1, -1):
        assert ((shuffled.values == value).sum(axis=0) == (matrix.values == value).sum(axis=0)).all()
    assert (np.nan_to_num(shuffled.values) != np.nan_to_num(matrix.values)).any()


def test_planted_groups_are_better_than_chance_and_noise_is_not():
    matrix, _, _ = planted_votes(votes_each=20, seed=0)
    noise = random_votes(people=40, statements=30)

    planted, tossed = (chance_silhouette(dynamic, m, dynamic(m, 0), seed=1, shuffles=19) for m in (matrix, noise))

    assert planted.p_value == 1 / 20
    assert planted.observed > planted.highest > planted.mean
    assert tossed.p_value > 0.05
    json.dumps([planted.to_dict(), tossed.to_dict()], allow_nan=False)


def test_chance_says_why_it_is_undefined():
    nobody = VoteMatrix.from_votes([("a", "x", 1)])

    assert chance_silhouette(dynamic, nobody, dynamic(nobody, 0), seed=0).undefined == "only one participant voted"
    with pytest.raises(ValueError, match="another matrix"):
        chance_silhouette(dynamic, nobody, dynamic(random_votes(people=5, statements=5), 0), seed=0)
    with pytest.raises(ValueError, match="shuffles"):
        chance_silhouette(dynamic, nobody, dynamic(nobody, 0), seed=0, shuffles=0)


def test_every_code_has_words():
    assert tuple(ADVICE) == CODES
    for code in CODES:
        finding = {"code": code, "value": 0.123, "cutoff": None, "n": 7, "reason": "no votes"}
        text = advice_in_words(finding)
        assert "%(" not in text
    assert advice_in_words(finding | {"code": "no_groups"}) == "There are no opinion groups: no votes."
    assert "12%" in advice_in_words(finding | {"code": "little_overlap"})
