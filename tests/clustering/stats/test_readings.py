"""Each reading of appendix C.1 does what docs/methods.md says, and keeps what holds for all."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples as sklearn_silhouettes

from benchmarks.planted import World, planted_votes
from clustering.stats.distances import filled, silhouette_samples
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.growth import exclude_small, grow, grow_split_first
from clustering.stats.matrix import VoteMatrix
from clustering.stats.partitions import adjusted_rand
from clustering.stats.projection import project
from clustering.stats.readings import CHOICES, Readings
from clustering.stats.spaces import ProjectionSpace, VoteSpace, places_on_axes
from tests.clustering.stats.strategies import as_votes, random_votes, vote_matrices

METHODS = (Path(__file__).resolve().parents[3] / "docs" / "methods.md").read_text(encoding="utf-8")
SMALL = Grid(k_max=(4,), distance_threshold=(0.5, 0.9), outlier_threshold=(0.2, 1.0), minimum_size=(1, 2), n_seeds=2)


def is_possible(space, name, value):
    return not (name == "scaling" and space == "projection" and value in ("shared", "total"))


VARIANTS = [
    pytest.param({"space": space, name: value}, id=f"{space}-{name}-{value}")
    for space in CHOICES["space"]
    for name, values in CHOICES.items()
    for value in values[1:]
    if name != "space" and is_possible(space, name, value)
]


def rows(groups):
    return [(row.n_groups, row.n_excluded, row.ended_by, str(round(row.silhouette, 9))) for row in groups.rows]


def canonical(groups):
    return json.dumps(groups.to_dict(), sort_keys=True, allow_nan=False)


@pytest.mark.parametrize("readings", VARIANTS)
@settings(max_examples=12)
@given(matrix=vote_matrices(), data=st.data())
def test_every_reading_is_canonical_and_blind_to_signs_and_unvoted_statements(readings, matrix, data):
    votes = data.draw(st.permutations(as_votes(matrix)))
    shuffled = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=matrix.statements)
    more = VoteMatrix.from_votes(votes, participants=matrix.participants, statements=[*matrix.statements, "zz"])
    opposite = VoteMatrix(matrix.participants, matrix.statements, -matrix.values)

    groups, again, wider, mirrored = (
        cluster_opinions(m, seed=1, grid=SMALL, **readings) for m in (matrix, shuffled, more, opposite)
    )

    assert canonical(again) == canonical(groups)
    if groups.readings.dimensions == "voted":
        assert rows(wider) == rows(groups)
        assert wider.labels.tolist() == groups.labels.tolist()
    if groups.caution is None:
        assert rows(mirrored) == rows(groups)
        assert mirrored.labels.tolist() == groups.labels.tolist()


def test_reading_2_scales_distances_between_votes():
    values = np.array([[1, -1, np.nan, 0], [1, 1, 1, np.nan], [np.nan, np.nan, np.nan, 1]])
    squares = {(0, 1): 4.0, (0, 2): 1.0}
    shared, voted, d = {(0, 1): 2, (0, 2): 1}, [3, 3, 1], 4

    for scaling, factor in {
        "shared": lambda i, j: 1 / shared[i, j],
        "total": lambda i, j: d / shared[i, j],
        "participant": lambda i, j: d / np.sqrt(voted[i] * voted[j]),
        "none": lambda i, j: 1.0,
    }.items():
        distances = VoteSpace(values, scaling).pairwise()
        for (i, j), square in squares.items():
            assert distances[i, j] == distances[j, i] == pytest.approx(np.sqrt(square * factor(i, j)))
        assert np.isinf(distances[1, 2])

    space = VoteSpace(values, "participant", n_dimensions=9)
    to_first = space.to_centres(space.centres(np.array([0, -1, -1]), 1))[:, 0]
    assert to_first.tolist() == [0, pytest.approx(np.sqrt(4 * 9 / 3)), pytest.approx(np.sqrt(1 * 9 / 1))]
    centres = space.centres(np.array([0, 1, -1]), 2)
    assert space.between(centres)[0, 1] == pytest.approx(np.sqrt(4 * 9 / 2))


def test_reading_2_in_the_projection_drops_the_factor_of_the_place():
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    uneven = matrix.without((np.arange(60) % 3 == 0)[:, None] & (np.arange(70) < 50)[None, :])

    scaled, bare = (
        cluster_opinions(uneven, seed=0, unit="coordinate", scaling=scaling) for scaling in ("participant", "none")
    )

    places = project(uneven).coordinates / np.sqrt(70 / uneven.seen.sum(axis=1, keepdims=True))
    around = places - places.mean(axis=0)
    spread = cluster_opinions(uneven, seed=0, scaling="none").unit_length
    assert spread == pytest.approx(np.sqrt((around**2).sum(axis=1).mean()))
    assert rows(scaled) == rows(cluster_opinions(uneven, seed=0, unit="coordinate"))
    assert rows(bare) != rows(scaled)
    # The map stays the usual one.
    np.testing.assert_array_equal(bare.coordinates, scaled.coordinates)


def test_reading_3_counts_unvoted_statements_into_the_length_of_coordinates():
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    wider = VoteMatrix.from_votes(as_votes(matrix), statements=[f"unvoted{i:03d}" for i in range(210)])
    grid = Grid(n_seeds=2)
    halved = Grid(distance_threshold=(0.25, 0.35, 0.45), outlier_threshold=(0.1, 0.3, 0.5), n_seeds=2)

    everything = cluster_opinions(wider, seed=0, grid=grid, unit="coordinate", dimensions="all")
    voted = cluster_opinions(wider, seed=0, grid=halved, unit="coordinate")

    assert rows(everything) == rows(voted)
    # In spreads a constant factor has no say.
    assert rows(cluster_opinions(wider, seed=0, dimensions="all")) == rows(cluster_opinions(wider, seed=0))


def test_reading_4_pairs_without_a_shared_statement():
    distances = np.array([[0, 1, np.inf], [1, 0, 3], [np.inf, 3, 0]])

    assert filled(distances, "mean")[0, 2] == 2
    assert filled(distances, "farthest")[0, 2] == 3
    assert np.isnan(filled(distances, "skip")[0, 2])
    assert filled(distances, "skip")[0, 0] == 0


@given(seed=st.integers(0, 50))
def test_reading_4_skipped_pairs_enter_no_mean(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(9, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
    hole = np.triu(rng.random((9, 9)) < 0.3, 1)
    distances[hole | hole.T] = np.nan

    scores = silhouette_samples(distances, labels)

    for i in range(9):

        def mean_to(group, i=i):
            found = [
                distances[i, j] for j in range(9) if j != i and labels[j] == group and not np.isnan(distances[i, j])
            ]
            return np.mean(found) if found else None

        a = mean_to(labels[i])
        others = [m for g in range(4) if g != labels[i] and (m := mean_to(g)) is not None]
        expected = 0.0 if a is None or not others else (min(others) - a) / max(min(others), a)
        assert scores[i] == pytest.approx(expected)


def test_whole_distances_give_scikit_learns_silhouettes():
    points = np.random.default_rng(1).normal(size=(12, 2))
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 0])

    ours = silhouette_samples(ProjectionSpace(points).pairwise(), labels)

    np.testing.assert_allclose(ours, sklearn_silhouettes(points, labels), atol=1e-12)


def test_reading_5_starts_with_as_many_centres_as_there_may_be():
    matrix, _, _ = planted_votes(votes_each=20, seed=0)
    apart = Grid(k_max=(7,), distance_threshold=(9.0,), outlier_threshold=(0.0,), minimum_size=(1,))

    shrunk = cluster_opinions(matrix, seed=0, grid=apart, start="shrink")
    grown = cluster_opinions(matrix, seed=0, grid=apart)

    assert {row.n_groups for row in shrunk.rows} == {7}
    assert {row.n_groups for row in grown.rows} == {2}
    few = cluster_opinions(random_votes(people=5, statements=30), seed=0, grid=apart, start="shrink")
    assert {row.reason for row in few.rows} == {"every participant is a group of one"}


def test_reading_6_and_7_exchange_the_thresholds():
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    one = Grid(distance_threshold=(0.3,), outlier_threshold=(0.8,), n_seeds=3)
    other = Grid(distance_threshold=(0.8,), outlier_threshold=(0.3,), n_seeds=3)

    exchanged = cluster_opinions(matrix, seed=0, grid=one, thresholds="outlier_splits")

    assert rows(exchanged) == rows(cluster_opinions(matrix, seed=0, grid=other))
    assert rows(cluster_opinions(matrix, seed=0, thresholds="outlier_splits")) != rows(cluster_opinions(matrix, seed=0))


def test_reading_8_leaves_members_of_small_groups_in_none():
    assert exclude_small(np.array([2, 0, 0, 1, 2, 0]), 2).tolist() == [0, 1, 1, -1, 0, 1]
    assert exclude_small(np.array([0, 1]), 2).tolist() == [-1, -1]
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    grid = Grid(minimum_size=(5,))

    groups = cluster_opinions(matrix, seed=0, grid=grid, unit="coordinate", small_groups="exclude")

    assert groups.exclusions
    assert {exclusion.reason for exclusion in groups.exclusions} == {"in a group under the minimum size"}
    assert min(groups.sizes) >= 5
    assert sum(groups.sizes) + len(groups.exclusions) == 60 == sum(groups.sizes) + groups.row.n_excluded
    # Who is in no group counts 0: the mean over those in one is higher.
    grouped = groups.labels >= 0
    distances = ProjectionSpace(groups.coordinates[grouped]).pairwise()
    scores = silhouette_samples(distances, groups.labels[grouped])
    assert groups.silhouette == pytest.approx(scores.sum() / 60)
    none = cluster_opinions(matrix, seed=0, grid=Grid(minimum_size=(61,)), small_groups="exclude")
    assert {row.reason for row in none.rows} == {"no group reaches the minimum size"}


@given(seed=st.integers(0, 200), radius=st.sampled_from([0.2, 0.6, 1.0]), split=st.sampled_from([0.5, 0.9, 1.2]))
def test_reading_9_with_splits_first_ends_where_nothing_is_left_to_do(seed, radius, split):
    space = ProjectionSpace(np.random.default_rng(seed).normal(size=(25, 2)))

    state = grow_split_first(
        space, np.array([0, 1]), merge_radius=radius, bound=max(split, radius), most_groups=6, max_rounds=60
    )

    if state.last_word is None:
        assert state.most_distal <= max(split, radius) or state.n_groups >= 6
        between = space.between(space.centres(state.labels, state.n_groups))
        assert (between[np.triu_indices(state.n_groups, 1)] >= radius - 1e-9).all()
    else:
        assert state.last_word == "cycle"


def test_reading_9_the_order_matters_and_the_cap_holds():
    matrix = random_votes(people=60, statements=20)
    first = cluster_opinions(matrix, seed=0, order="split_first")
    capped = cluster_opinions(matrix, seed=0, order="split_first", max_rounds=2)

    assert rows(first) != rows(cluster_opinions(matrix, seed=0))
    assert "round cap" in {row.ended_by for row in capped.rows}
    assert "round cap" not in {row.ended_by for row in first.rows}


def test_reading_9_a_split_below_the_merge_radius_is_made_only_if_allowed():
    points = np.random.default_rng(5).normal(size=(30, 2))
    settings = {"merge_radius": 1.5, "least_distance": 0.3, "most_groups": 20, "max_rounds": 60}

    kept, allowed = (grow(ProjectionSpace(points), np.array([0, 1]), resplit=r, **settings) for r in (False, True))

    assert kept[-1].most_distal <= 1.5 or kept[-1].last_word == "cycle"
    assert len(allowed) > len(kept)


@pytest.mark.parametrize("space", CHOICES["space"])
def test_reading_10_the_silhouette_can_be_taken_in_either_metric(space):
    matrix, _, _ = planted_votes(votes_each=20, seed=1)

    by_votes = cluster_opinions(matrix, seed=0, space=space, silhouette="votes")
    by_map = cluster_opinions(matrix, seed=0, space=space, silhouette="projection")

    votes = filled(VoteSpace(matrix.values).pairwise())
    assert by_votes.silhouette == pytest.approx(silhouette_samples(votes, by_votes.labels).mean())
    places = ProjectionSpace(by_map.coordinates).pairwise()
    assert by_map.silhouette == pytest.approx(silhouette_samples(places, by_map.labels).mean())


def test_reading_10_singletons_can_be_left_out_of_the_mean():
    matrix, _, _ = planted_votes(votes_each=10, seed=2)
    grid = Grid(minimum_size=(1,))

    zero, skipped = (
        cluster_opinions(matrix, seed=0, grid=grid, unit="coordinate", singletons=s) for s in ("zero", "skip")
    )

    pairs = [(a, b) for a, b in zip(zero.rows, skipped.rows, strict=True) if a.reason is None]
    assert any(a.n_singletons for a, _ in pairs)
    for a, b in pairs:
        assert b.silhouette == pytest.approx(a.silhouette * 60 / (60 - a.n_singletons))


def test_reading_14_more_axes_tell_more_groups_apart():
    matrix, truth, _ = World((12,) * 5).draw(votes_each=40, seed=3)

    plane, five = (cluster_opinions(matrix, seed=0, axes=axes) for axes in (2, 5))

    assert adjusted_rand(five.labels, truth) == 1.0
    assert plane.n_groups < 5
    np.testing.assert_array_equal(plane.coordinates, five.coordinates)
    assert rows(cluster_opinions(matrix, seed=0)) == rows(plane)


@given(matrix=vote_matrices(people=(3, 8), statements=(2, 6)), axes=st.integers(1, 9))
def test_reading_14_two_axes_are_those_of_the_map_and_all_of_them_keep_complete_votes_apart(matrix, axes):
    groups = cluster_opinions(matrix, seed=0, grid=SMALL, axes=axes)
    usual = cluster_opinions(matrix, seed=0, grid=SMALL)

    assert groups.undefined == usual.undefined or "no setting" in str(groups.undefined) + str(usual.undefined)
    complete = VoteMatrix(matrix.participants, matrix.statements, np.nan_to_num(matrix.values))
    if usual.undefined is None and project(complete).undefined is None:
        places = places_on_axes(complete.values, 9)
        np.testing.assert_allclose(
            ProjectionSpace(places).pairwise(), ProjectionSpace(complete.values).pairwise(), atol=1e-9
        )
        two = places_on_axes(complete.values, 2)
        np.testing.assert_allclose(np.abs(two), np.abs(project(complete).coordinates), atol=1e-9)


def test_defaults_are_the_first_choices_and_all_are_documented():
    for name, values in CHOICES.items():
        assert getattr(Readings(), name) == values[0]
        for value in values:
            assert f'"{value}"' in METHODS, f"{name}={value}"
        assert f"`{name}" in METHODS


@pytest.mark.parametrize(
    "options", [*({name: "other"} for name in CHOICES), {"scaling": "shared"}, {"max_rounds": 0}, {"axes": 0}], ids=str
)
def test_readings_nobody_knows_are_refused(options):
    with pytest.raises(ValueError, match=r"is one of|at least 1"):
        Readings(**options)
    with pytest.raises(TypeError):
        cluster_opinions(planted_votes(votes_each=10, seed=2)[0], seed=0, spcae="votes")
