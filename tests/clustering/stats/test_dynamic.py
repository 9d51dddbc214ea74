import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.groups import plain_rows, planted_votes
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.growth import dissolve_small, grow
from clustering.stats.matrix import VoteMatrix
from clustering.stats.spaces import ProjectionSpace, VoteSpace
from tests.clustering.stats.strategies import as_votes, random_votes, vote_matrices

SMALL = Grid(k_max=(4,), distance_threshold=(0.5, 0.9), outlier_threshold=(0.2, 1.0), minimum_size=(1, 2), n_seeds=2)
SPACES = ("projection", "votes")


def canonical(groups):
    return json.dumps(groups.to_dict(), sort_keys=True, allow_nan=False)


def two_camps(*, extra=()):
    """Two camps of five who disagree on everything, with one vote of each person turned for variety."""
    votes = []
    for person in range(10):
        for statement in range(10):
            value = 1 if person < 5 else -1
            votes.append((f"p{person}", f"s{statement}", -value if person == statement else value))
    return VoteMatrix.from_votes([*votes, *extra])


@pytest.mark.parametrize("space", SPACES)
def test_two_camps_are_found(space):
    groups = cluster_opinions(two_camps(), seed=0, space=space)

    assert groups.undefined is None
    assert groups.labels.tolist() == [0] * 5 + [1] * 5
    assert groups.sizes == (5, 5)
    assert groups.members()["p7"] == 1


@pytest.mark.parametrize("unit", ["spread", "coordinate"])
@pytest.mark.parametrize("votes_each", [10, 20])
def test_every_fit_is_that_of_plain_loops(votes_each, unit):
    matrix, _, _ = planted_votes(votes_each=votes_each, seed=5)
    grid = Grid(n_seeds=2)

    groups = cluster_opinions(matrix, seed=11, grid=grid, unit=unit)

    rows = [(row.n_groups, row.silhouette) for row in groups.rows]
    np.testing.assert_allclose(rows, plain_rows(matrix, grid, seed=11, unit=unit), rtol=0, atol=1e-9, equal_nan=True)


def test_all_270_fits_of_the_published_grid_are_kept():
    groups = cluster_opinions(two_camps(), seed=0)

    assert Grid().n_fits == len(groups.rows) == 270
    assert (
        len({(r.k_max, r.distance_threshold, r.outlier_threshold, r.minimum_size, r.seed) for r in groups.rows}) == 270
    )
    for row in groups.rows:
        assert np.isnan(row.silhouette) == (row.reason is not None)


def test_the_highest_silhouette_is_chosen_then_fewer_groups_lower_seed_and_grid_order():
    groups = cluster_opinions(planted_votes(votes_each=10, seed=2)[0], seed=0)

    eligible = [row for row in groups.rows if row.reason is None]
    top = max(round(row.silhouette, 12) for row in eligible)
    tied = [row for row in eligible if round(row.silhouette, 12) == top]
    fewest = [row for row in tied if row.n_groups == min(r.n_groups for r in tied)]
    lowest = [row for row in fewest if row.seed == min(r.seed for r in fewest)]
    assert groups.row is lowest[0]
    assert groups.silhouette == groups.row.silhouette


def test_one_group_and_a_group_for_each_are_never_chosen():
    wide = cluster_opinions(two_camps(), seed=0, grid=Grid(distance_threshold=(9.0,), outlier_threshold=(9.0,)))
    narrow = cluster_opinions(
        random_votes(people=12, statements=30),
        seed=0,
        grid=Grid(k_max=(20,), distance_threshold=(0,), outlier_threshold=(0,), minimum_size=(1,)),
    )

    assert {row.reason for row in wide.rows} == {"one group: nothing to compare it with"}
    assert wide.undefined == "no setting of the grid gave two or more groups to compare"
    assert wide.chosen is None
    assert wide.labels.tolist() == [-1] * 10
    assert {row.reason for row in narrow.rows} == {"every participant is a group of one"}
    assert narrow.undefined == wide.undefined


def test_groups_are_numbered_by_size_then_by_first_member():
    groups = cluster_opinions(planted_votes(votes_each=10, seed=1)[0], seed=0, unit="coordinate")

    assert list(groups.sizes) == sorted(groups.sizes, reverse=True)
    first = [groups.labels.tolist().index(label) for label in range(groups.n_groups)]
    for one, other in zip(range(groups.n_groups), range(1, groups.n_groups), strict=False):
        assert groups.sizes[one] > groups.sizes[other] or first[one] < first[other]


def test_groups_under_the_minimum_size_are_dissolved_smallest_first():
    points = np.array([[0, 0], [0, 1], [0, 2], [0, 3], [5, 0], [5.5, 0], [9, 9]], dtype=float)
    labels = np.array([0, 0, 0, 0, 1, 1, 2])

    # The singleton goes first, to the pair; the three of them are then enough.
    assert dissolve_small(ProjectionSpace(points), labels, 3).tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert dissolve_small(ProjectionSpace(points), labels, 1).tolist() == labels.tolist()
    assert dissolve_small(ProjectionSpace(points), labels, 99).tolist() == [0] * 7


def test_the_map_mirrored_gives_the_same_groups():
    points = np.random.default_rng(3).normal(size=(30, 2))
    settings = {"merge_radius": 0.3, "least_distance": 0.8, "most_groups": 9, "max_rounds": 60}

    path = grow(ProjectionSpace(points), np.array([4, 17]), **settings)
    mirrored = grow(ProjectionSpace(points * [-1.0, 1.0]), np.array([4, 17]), **settings)

    assert [state.labels.tolist() for state in path] == [state.labels.tolist() for state in mirrored]


def test_a_split_that_a_merge_undoes_ends_growth():
    points = np.random.default_rng(14).normal(size=(20, 2))
    settings = {"merge_radius": 1.2, "least_distance": 0.5, "most_groups": 20, "max_rounds": 60}

    path = grow(ProjectionSpace(points), np.array([0, 1]), **settings)

    assert path[-1].last_word == "cycle"
    assert path[-1].labels.tolist() in [state.labels.tolist() for state in path[:-1]]


def test_the_cap_on_rounds_is_reported():
    groups = cluster_opinions(planted_votes(votes_each=10, seed=2)[0], seed=0, unit="coordinate", max_rounds=2)

    assert "round cap" in {row.ended_by for row in groups.rows}


def test_unlinked_participants_cannot_be_absorbed():
    values = np.array([[1, np.nan], [np.nan, 1]])
    with pytest.raises(ValueError, match="not linked"):
        dissolve_small(VoteSpace(values), np.array([0, 1]), 2)


def test_somebody_who_shares_no_statement_is_not_grouped_and_told_why():
    groups = cluster_opinions(two_camps(extra=[("stranger", "own", 1)]), seed=0)

    assert [(e.participant, e.reason) for e in groups.exclusions] == [
        ("stranger", "shares no voted statement with anybody")
    ]
    assert groups.labels[-1] == -1
    assert np.isnan(groups.coordinates[-1]).all()
    assert groups.n_statements == 10
    assert "stranger" not in groups.members()


def test_a_pair_apart_is_not_grouped_where_distances_need_shared_statements():
    pair = [("x", "own", 1), ("y", "own", -1)]

    by_votes = cluster_opinions(two_camps(extra=pair), seed=0, space="votes")
    by_map = cluster_opinions(two_camps(extra=pair), seed=0)

    assert {e.reason for e in by_votes.exclusions} == {"not linked with the others by shared statements"}
    assert by_map.exclusions == ()


def test_people_with_too_few_votes_are_not_grouped_if_so_wished():
    groups = cluster_opinions(two_camps(extra=[("few", "s0", 1), ("few", "s1", 1)]), seed=0, minimum_votes=3)

    assert [(e.participant, e.reason) for e in groups.exclusions] == [("few", "2 votes, fewer than the 3 needed")]
    assert cluster_opinions(two_camps(), seed=0, minimum_votes=99).undefined == "nobody has the 99 votes needed"


def test_votes_on_ones_own_statement_count_only_if_asked():
    authors = {f"s{i}": f"p{i}" for i in range(10)}

    without = cluster_opinions(two_camps(), seed=0, authors=authors)
    included = cluster_opinions(two_camps(), seed=0, authors=authors, own_votes="include")

    assert without.n_own_votes == 10
    assert included.n_own_votes == 0
    assert canonical(included) == canonical(cluster_opinions(two_camps(), seed=0, own_votes="include"))
    # Without their own statement, everybody in a camp voted alike.
    assert without.silhouette > included.silhouette


@pytest.mark.parametrize(
    "options",
    [
        {"space": "plane"},
        {"unit": "inch"},
        {"own_votes": "maybe"},
        {"seed": -1},
        {"minimum_votes": 0},
        {"max_rounds": 0},
    ],
    ids=str,
)
def test_unknown_options_are_refused(options):
    with pytest.raises(ValueError, match=r"seed|is one of|at least 1"):
        cluster_opinions(two_camps(), **{"seed": 0} | options)


@pytest.mark.parametrize(
    "settings",
    [{"k_max": ()}, {"k_max": (1,)}, {"minimum_size": (0,)}, {"distance_threshold": (-0.1,)}, {"n_seeds": 0}],
    ids=str,
)
def test_a_grid_that_cannot_be_run_is_refused(settings):
    with pytest.raises(ValueError, match=r"grid|k_max|thresholds"):
        Grid(**settings)


@pytest.mark.parametrize("space", SPACES)
@given(matrix=vote_matrices(), data=st.data())
def test_shuffled_votes_give_the_same_bytes(space, matrix, data):
    votes = data.draw(st.permutations(as_votes(matrix)))
    again = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=matrix.statements)

    one, other = (cluster_opinions(m, seed=1, space=space, grid=SMALL) for m in (matrix, again))

    assert canonical(one) == canonical(other)


@pytest.mark.parametrize("space", SPACES)
@given(matrix=vote_matrices())
def test_new_keys_in_the_same_order_change_nothing_else(space, matrix):
    renamed = VoteMatrix.from_arrays(
        [f"x-{key}-é" for key in matrix.participants], [f"№{key}" for key in matrix.statements], matrix.values
    )

    one, other = (cluster_opinions(m, seed=1, space=space, grid=SMALL) for m in (matrix, renamed))

    assert one.labels.tolist() == other.labels.tolist()
    assert one.coordinates.tobytes() == other.coordinates.tobytes()
    assert one.rows == other.rows or any(np.isnan(row.silhouette) for row in one.rows)
    assert one.undefined == other.undefined


@pytest.mark.parametrize("space", SPACES)
@given(matrix=vote_matrices())
def test_a_statement_nobody_voted_on_changes_nothing(space, matrix):
    more = VoteMatrix.from_votes(as_votes(matrix), participants=matrix.participants, statements=["a", "s03b", "z"])

    one, other = (cluster_opinions(m, seed=1, space=space, grid=SMALL) for m in (matrix, more))

    assert one.labels.tolist() == other.labels.tolist()
    assert one.coordinates.tobytes() == other.coordinates.tobytes()
    assert str(one.silhouette) == str(other.silhouette)
    assert one.n_statements == other.n_statements


@pytest.mark.parametrize("space", SPACES)
@given(matrix=vote_matrices(people=(3, 9), statements=(2, 7)))
def test_opposite_votes_give_the_same_groups(space, matrix):
    groups = cluster_opinions(matrix, seed=1, space=space, grid=SMALL)
    assume(groups.caution is None)

    mirrored = cluster_opinions(
        VoteMatrix(matrix.participants, matrix.statements, -matrix.values), seed=1, space=space, grid=SMALL
    )

    assert mirrored.labels.tolist() == groups.labels.tolist()
    np.testing.assert_allclose(mirrored.silhouette, groups.silhouette, atol=1e-12)


@given(matrix=vote_matrices())
def test_any_votes_give_groups_or_a_reason(matrix):
    for space in SPACES:
        groups = cluster_opinions(matrix, seed=0, space=space, grid=SMALL)

        canonical(groups)
        excluded = {e.participant for e in groups.exclusions}
        if groups.undefined is None:
            assert groups.n_groups >= 2
            assert sum(groups.sizes) + len(excluded) == len(matrix.participants)
            assert set(groups.members()) == set(matrix.participants) - excluded
        else:
            assert groups.chosen is None
            assert (groups.labels == -1).all()
            assert np.isnan(groups.silhouette)


def test_the_same_seed_gives_the_same_bytes_in_another_process_and_with_other_threads():
    script = (
        "import hashlib, json; from benchmarks.groups import planted_votes; "
        "from clustering.stats.dynamic import cluster_opinions; "
        "r = [cluster_opinions(planted_votes(votes_each=10, seed=4)[0], seed=9, space=s).to_dict() "
        "for s in ('projection', 'votes')]; "
        "print(hashlib.sha256(json.dumps(r, sort_keys=True).encode()).hexdigest())"
    )

    digests = set()
    for threads, hashing in (("1", "0"), ("2", "1")):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": hashing}
        run = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout)

    assert len(digests) == 1


def test_another_seed_draws_other_starts():
    matrix = random_votes(people=40, statements=30)

    one, other = (cluster_opinions(matrix, seed=seed) for seed in (0, 1))

    assert [row.silhouette for row in one.rows] != [row.silhouette for row in other.rows]
