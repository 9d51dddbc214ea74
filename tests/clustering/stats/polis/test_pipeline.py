"""The whole way from votes to groups: what must not change them, and questions without an answer."""

import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from clustering.stats.clusterers import cluster
from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis import pipeline
from clustering.stats.polis.groups import PolisSettings
from clustering.stats.polis.pipeline import cluster_polis
from clustering.stats.polis.state import PolisState
from clustering.stats.polis.votes import SparseVotes
from tests.clustering.stats.polis.planting import camps
from tests.clustering.stats.strategies import as_votes, vote_matrices

few = vote_matrices(people=(3, 9), statements=(2, 7))
EASY = {"minimum_votes": 1}


def canonical(groups):
    return json.dumps(groups.to_dict(), sort_keys=True, allow_nan=False)


def polis(matrix, **options):
    return cluster(matrix, method="polis", seed=0, **options)


def partition(groups, names=None):
    """Groups as sets of people, which does not depend on their numbers."""
    sets = {}
    for person, label in groups.members().items():
        sets.setdefault(label, set()).add(person if names is None else names[person])
    return sorted(sorted(members) for members in sets.values())


def sure(groups):
    """Whether nothing hangs by a thread: axes are determined."""
    return groups.undefined is None and "arbitrary" not in (groups.caution or "")


@pytest.mark.parametrize("n_camps", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_planted_camps_are_found(n_camps, seed):
    matrix, truth = camps(n_camps=n_camps, seed=seed)

    groups = polis(matrix)

    assert groups.undefined is None
    assert adjusted_rand_score(truth, groups.labels) > 0.6
    assert groups.sizes == tuple(sorted(groups.sizes, reverse=True))
    assert groups.n_groups == len(groups.sizes) == groups.rows[groups.chosen].n_groups
    assert groups.silhouette == max(row.silhouette for row in groups.rows)


@settings(max_examples=50)
@given(few, st.randoms(use_true_random=False))
def test_shuffled_votes_give_the_same_bytes_by_both_ways_in(matrix, random):
    votes = as_votes(matrix)
    random.shuffle(votes)
    shuffled = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=matrix.statements)
    order = list(matrix.participants)
    random.shuffle(order)

    first = canonical(polis(matrix, order=order, **EASY))

    assert canonical(polis(shuffled, order=order, **EASY)) == first
    assert canonical(polis(SparseVotes.from_matrix(matrix), order=order, **EASY)) == first


def test_the_bytes_do_not_depend_on_the_number_of_threads():
    program = """
import json, sys
from clustering.stats.clusterers import cluster
from tests.clustering.stats.polis.planting import camps
found = cluster(camps(300, 120, seed=4)[0], method="polis", seed=0)
sys.stdout.write(json.dumps(found.to_dict(), sort_keys=True))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }

    assert len(outputs) == 1


@pytest.mark.parametrize("flip", [(-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("seed", range(6))
def test_mirrored_axes_change_neither_groups_nor_lists(flip, seed, monkeypatch):
    matrix, _ = camps(150, 30, 4, density=0.5, noise=0.2, seed=seed)
    before = polis(matrix)
    plain_axes = pipeline.find_axes

    def mirrored(*args, **options):
        axes = plain_axes(*args, **options)
        return type(axes)(
            axes.means, axes.components * np.array(flip)[:, None], axes.explained, axes.caution, axes.undefined
        )

    monkeypatch.setattr(pipeline, "find_axes", mirrored)
    after = polis(matrix)

    np.testing.assert_array_equal(after.coordinates, before.coordinates * flip)
    assert after.labels.tolist() == before.labels.tolist()
    assert after.bases.labels.tolist() == before.bases.labels.tolist()
    assert after.rows == before.rows
    assert after.profiles.to_dict() == before.profiles.to_dict()
    np.testing.assert_array_equal(after.map.priorities, before.map.priorities)


@given(few)
def test_opposite_votes_give_the_same_groups_on_a_mirrored_map(matrix):
    """Not the same lists of a group: those put agreement first, so they are no mirror images."""
    negated = VoteMatrix(matrix.participants, matrix.statements, -matrix.values)
    before, after = polis(matrix, **EASY), polis(negated, **EASY)

    assert after.labels.tolist() == before.labels.tolist()
    np.testing.assert_array_equal(after.coordinates, 0.0 - before.coordinates)
    assert [row.silhouette for row in after.rows] == pytest.approx([row.silhouette for row in before.rows], nan_ok=True)
    assert after.profiles.consensus_agree == before.profiles.consensus_disagree
    np.testing.assert_array_equal(after.profiles.counts.agree, before.profiles.counts.disagree)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_new_names_of_people_give_the_same_groups_in_the_same_order_of_votes(seed, random):
    matrix, _ = camps(30, 12, density=0.6, noise=0.25, seed=seed)
    order = list(matrix.participants)
    random.shuffle(order)
    names = [f"q{number:02d}" for number in range(len(order))]
    random.shuffle(names)
    new_name = dict(zip(matrix.participants, names, strict=True))
    renamed = VoteMatrix.from_arrays([new_name[p] for p in matrix.participants], matrix.statements, matrix.values)

    before = polis(matrix, order=order)
    assume(sure(before))
    after = polis(renamed, order=[new_name[p] for p in order])

    assert partition(after) == partition(before, new_name)
    assert {new_name[p]: label for p, label in before.members().items()} == after.members()
    assert after.profiles.characteristic == before.profiles.characteristic


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_new_names_of_statements_give_the_same_groups(seed, random):
    """Lists may differ where values are tied, since ties go to the earlier key."""
    matrix, _ = camps(30, 12, density=0.6, noise=0.25, seed=seed)
    columns = list(range(12))
    random.shuffle(columns)

    before = polis(matrix)
    assume(sure(before))
    after = polis(VoteMatrix.from_arrays(matrix.participants, [f"t{c:02d}" for c in columns], matrix.values))

    assert after.labels.tolist() == before.labels.tolist()
    np.testing.assert_allclose(
        after.profiles.group_informed_consensus[columns], before.profiles.group_informed_consensus, rtol=1e-12
    )
    np.testing.assert_allclose(after.map.priorities[columns], before.map.priorities, rtol=1e-9)


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_everybody_twice_gives_the_same_groups(seed):
    """Holds while at least fifteen are clustered by their votes (else fewer are filled in) and there are at most 100
    places (else the first hundred are others). The tests of statements do change: more people are surer."""
    matrix, _ = camps(30, 12, density=0.8, noise=0.25, seed=seed)
    twins = VoteMatrix.from_arrays(
        [*matrix.participants, *(f"twin of {p}" for p in matrix.participants)],
        matrix.statements,
        np.vstack([matrix.values, matrix.values]),
    )

    before = polis(matrix)
    assume(sure(before) and not before.n_filled)
    after = polis(twins, order=[*matrix.participants, *(f"twin of {p}" for p in matrix.participants)])

    members = after.members()
    assert {p: members[p] for p in before.members()} == before.members()
    assert {p: members[f"twin of {p}"] for p in before.members()} == before.members()
    assert [row.silhouette for row in after.rows] == pytest.approx([row.silhouette for row in before.rows], abs=1e-9)


@given(few, st.sampled_from(["missing", "zero"]))
def test_statements_nobody_voted_on_change_nothing(matrix, moderation):
    wider = VoteMatrix.from_votes(
        as_votes(matrix), participants=matrix.participants, statements=[*matrix.statements, "t"]
    )
    before, after = (polis(m, moderation=moderation, hidden=["t"], **EASY) for m in (matrix, wider))

    assert after.labels.tolist() == before.labels.tolist()
    assert after.coordinates.tobytes() == before.coordinates.tobytes()
    assert after.rows == before.rows or before.undefined is not None
    assert after.profiles.characteristic == before.profiles.characteristic
    assert after.n_statements == before.n_statements


def test_groups_depend_on_the_order_of_first_votes_and_say_which_it_was():
    """No property to wish away: k-means starts from the first places. The digest of the order tells runs apart."""
    matrix, _ = camps(60, 30, 5, noise=0.2, seed=1)

    found = [
        polis(matrix, order=np.random.default_rng(seed).permutation(matrix.participants).tolist()) for seed in range(8)
    ]

    assert len({canonical(groups) for groups in found}) > 1
    assert len({groups.order_sha256 for groups in found}) == 8
    assert polis(matrix).order_sha256 == polis(matrix, order=list(matrix.participants)).order_sha256
    assert polis(matrix, order=["nobody", *matrix.participants[:3]]).order_sha256 == polis(matrix).order_sha256


def test_a_run_continues_the_one_before():
    matrix, _ = camps(40, 20, 2, noise=0.05)
    first = polis(matrix)
    leaver = matrix.participants[0]
    values = matrix.values.copy()
    values[0, 1:] = np.nan
    values[0, 0] = 1.0
    later = VoteMatrix(matrix.participants, matrix.statements, values)

    alone, continued = polis(later), polis(later, previous=PolisState.from_dict(first.to_dict()["state"]))

    assert leaver not in alone.members()
    assert leaver in continued.members()
    assert continued.n_kept == 1
    assert continued.state.last_best_runs == 2


def test_the_number_of_groups_is_held_while_another_one_wins():
    matrix, _ = camps(60, 40, 2)
    state = PolisState(chosen=3, last_best=3, last_best_runs=9)

    used = []
    for _ in range(5):
        groups = polis(matrix, previous=state)
        used.append(groups.rows[groups.chosen].k)
        assert groups.rows[groups.best].k == 2
        state = groups.state

    assert used == [3, 3, 3, 2, 2]


def test_a_run_without_groups_keeps_the_state():
    state = PolisState(("a",), 3, 2, 3)

    after = polis(VoteMatrix.from_votes([("a", "x", 1)]), previous=state).state

    assert after == state


def test_people_who_left_are_not_in_the_state():
    matrix, _ = camps(20, 10)

    groups = polis(matrix, previous=PolisState(("gone", "p000")))

    assert "gone" not in canonical(groups)


def test_statements_taken_out_are_counted_but_neither_shape_the_map_nor_are_selected():
    matrix, _ = camps(60, 12)
    hidden = ["s03", "s07"]
    kept = np.array([key not in hidden for key in matrix.statements])

    groups = polis(matrix, hidden=hidden[:1], meta=hidden[1:], moderation="missing")

    bare = polis(matrix.subset(np.ones(60, dtype=bool), kept))
    np.testing.assert_array_equal(groups.labels, bare.labels)
    np.testing.assert_allclose(groups.coordinates, bare.coordinates, rtol=0, atol=1e-12)
    assert groups.n_statements == 10
    assert groups.profiles.counts.seen[:, 3].sum() > 0
    assert not {s.statement for rows in groups.profiles.characteristic for s in rows} & set(hidden)
    assert groups.map.priorities[7] == 49.0
    assert groups.map.priorities[3] != 49.0


def test_zeroed_statements_pull_the_less_active_towards_the_middle():
    matrix, _ = camps(60, 12, density=0.8)

    missing, zero = (polis(matrix, hidden=["s03", "s07"], moderation=way) for way in ("missing", "zero"))

    assert (zero.n_statements, missing.n_statements) == (12, 10)
    n_cast = matrix.seen[:, [c for c in range(12) if c not in (3, 7)]].sum(axis=1)
    ratio = np.linalg.norm(zero.coordinates, axis=1) / np.linalg.norm(missing.coordinates, axis=1)
    np.testing.assert_allclose(ratio, np.sqrt(12 / (n_cast + 2)) / np.sqrt(10 / n_cast), rtol=1e-9)


def test_own_votes_are_left_out_where_asked():
    matrix, _ = camps(40, 20)
    authors = {key: matrix.participants[number] for number, key in enumerate(matrix.statements)}
    own = matrix.own_votes(authors)

    left_out = polis(matrix, authors=authors, own_votes="exclude")

    assert left_out.n_own_votes == own.sum() > 0
    assert left_out.labels.tolist() == polis(matrix.without(own)).labels.tolist()
    assert polis(matrix, authors=authors).n_own_votes == 0


def everybody(people, statements, value_of):
    return [(f"p{i:02d}", f"s{j}", value_of(i, j)) for i in range(people) for j in range(statements)]


REASONS = {
    "nothing at all": ([], "no votes"),
    "one person": ([("a", "x", 1), ("a", "y", -1)], "only one participant voted"),
    "two people": (
        [("a", "x", 1), ("a", "y", -1), ("b", "x", -1), ("b", "y", 1)],
        "only two participants can be compared: groups need at least three",
    ),
    "one statement": (
        everybody(20, 1, lambda i, j: 1 if i % 2 else -1),
        "only one statement has votes: groups need at least two",
    ),
    "all agree": (everybody(20, 8, lambda i, j: 1), "every vote is the same (agree)"),
    "all neutral": (everybody(20, 8, lambda i, j: 0), "every vote is the same (neutral)"),
    "all voted alike": (
        everybody(20, 8, lambda i, j: (1, -1)[j % 2]),
        "on every statement all votes are the same",
    ),
    "a vote each on statements of their own": (
        [(f"p{i}", f"s{i}", (1, -1)[i % 2]) for i in range(6)],
        "on every statement all votes are the same",
    ),
}


@pytest.mark.parametrize("moderation", ["missing", "zero"])
@pytest.mark.parametrize(("votes", "reason"), REASONS.values(), ids=REASONS.keys())
def test_a_question_without_an_answer_says_why(votes, reason, moderation):
    groups = polis(VoteMatrix.from_votes(votes), moderation=moderation)

    assert groups.undefined == reason
    assert (groups.n_groups, groups.sizes, groups.rows, groups.chosen) == (0, (), (), None)
    assert np.isnan(groups.silhouette)
    assert (groups.labels == -1).all()
    assert groups.profiles.undefined == "there are no groups"
    assert np.isnan(groups.map.priorities).all()
    assert json.loads(canonical(groups))["silhouette"] is None


@pytest.mark.parametrize("moderation", ["missing", "zero"])
def test_all_statements_hidden_is_a_reason(moderation):
    matrix, _ = camps(20, 10)

    groups = polis(matrix, hidden=matrix.statements, moderation=moderation)

    assert groups.undefined == "every statement with a vote is hidden by moderation"
    canonical(groups)


def test_people_who_differ_on_what_sums_to_nothing_stand_at_one_place():
    # Those who are clustered voted alike; the one who differs has too few votes.
    votes = [*everybody(20, 8, lambda i, j: (1, -1)[j % 2]), ("z", "s0", -1)]

    groups = polis(VoteMatrix.from_votes(votes))

    assert groups.undefined == "everybody who is clustered stands at one place on the map"


def test_when_nobody_reaches_seven_votes_the_most_active_fifteen_are_grouped():
    rng = np.random.default_rng(0)
    values = np.where(rng.random((30, 40)) < 0.5, 1.0, -1.0)
    for row in range(30):
        values[row, rng.permutation(40)[2 + row % 5 :]] = np.nan
    matrix = VoteMatrix.from_arrays([f"p{i:02d}" for i in range(30)], [f"s{j:02d}" for j in range(40)], values)

    groups = polis(matrix)

    assert sum(groups.sizes) == groups.n_filled == 15
    assert "too few people cast 7 votes: the 15 most active of the others were added" in groups.caution
    assert {e.reason for e in groups.exclusions} <= {f"{n} votes, fewer than the 7 needed" for n in range(2, 5)}
    assert not polis(matrix, fewest_people=0).members()
    assert polis(matrix, fewest_people=0).undefined == "nobody has the votes needed"


def test_two_identical_blocs_are_two_groups_and_the_silhouette_is_explained():
    groups = polis(VoteMatrix.from_votes(everybody(40, 9, lambda i, j: 1 if i < 15 else -1)))

    assert groups.sizes == (25, 15)
    assert groups.labels.tolist() == [1] * 15 + [0] * 25
    assert groups.bases.sizes.tolist() == [15, 25]
    assert groups.silhouette == 0.0
    assert "each group stands at one place" in groups.caution


def test_people_without_enough_votes_have_a_place_but_no_group():
    matrix, _ = camps(40, 20)
    values = matrix.values.copy()
    values[0, 3:] = np.nan
    values[0, :3] = 1.0
    values[1] = np.nan

    groups = polis(VoteMatrix(matrix.participants, matrix.statements, values))

    assert groups.labels[:2].tolist() == [-1, -1]
    assert np.isfinite(groups.coordinates[0]).all()
    assert np.isnan(groups.coordinates[1]).all()
    assert [(e.participant, e.reason) for e in groups.exclusions] == [
        ("p000", "3 votes, fewer than the 7 needed"),
        ("p001", "no vote"),
    ]
    assert np.flatnonzero(groups.bases.labels < 0).tolist() == [0, 1]


def test_memory_grows_with_the_votes_and_not_with_people_times_statements():
    n, m, n_votes = 10_000, 4_000, 40_000
    rng = np.random.default_rng(0)
    rows, columns = np.divmod(np.unique(rng.integers(0, n * m, n_votes)), m)
    values = np.where((rng.random(len(rows)) < 0.9) == (rows % 2 == columns % 2), 1, -1)
    votes = SparseVotes.from_arrays(
        [f"p{i:05d}" for i in range(n)], [f"s{j:04d}" for j in range(m)], rows, columns, values
    )
    tracemalloc.start()

    groups = cluster_polis(votes, settings=PolisSettings(minimum_votes=3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert groups.undefined is None
    # A byte for each pair would be 40 MB, a number for each pair 320 MB, the Gram matrix 128 MB.
    assert peak < 35e6


def test_results_cannot_be_changed():
    groups = polis(camps(20, 10)[0])

    for array in (groups.labels, groups.coordinates, groups.bases.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    "options",
    [
        {"moderation": "gone"},
        {"own_votes": "maybe"},
        {"minimum_votes": 0},
        {"max_groups": 1},
        {"max_base": 1},
        {"buffer": 0},
        {"limit": -1},
        {"fewest_people": -1},
    ],
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=r"is one of|at least"):
        PolisSettings(**options)


def test_a_negative_seed_and_an_ambiguous_order_are_refused():
    votes = SparseVotes.from_matrix(camps(20, 10)[0])

    with pytest.raises(ValueError, match="seed is at least 0"):
        cluster_polis(votes, seed=-1)
    with pytest.raises(ValueError, match="names somebody twice"):
        cluster_polis(votes, order=["p001", "p002", "p001"])
