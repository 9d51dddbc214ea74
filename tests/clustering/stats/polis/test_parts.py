"""The small parts: who is clustered, k-means, the number of groups over runs, priorities."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustering.stats.polis.candidates import Candidate, best_candidate, find_base_clusters, group_base_clusters
from clustering.stats.polis.kmeans import first_distinct, k_means, nearest_centres
from clustering.stats.polis.people import who_is_clustered
from clustering.stats.polis.priorities import statement_priorities
from clustering.stats.polis.state import PolisState, smooth

coordinates = st.integers(-4, 4).map(lambda number: number / 2)
planes = st.integers(1, 30).flatmap(lambda n: hnp.arrays(float, (n, 2), elements=coordinates))


def clustered(n_votes, *, columns=20, rank=None, before=()):
    n_votes = np.array(n_votes)
    people = tuple(f"p{row:02d}" for row in range(len(n_votes)))
    order = np.arange(len(n_votes)) if rank is None else np.array(rank)
    return who_is_clustered(people, n_votes, columns, order, np.isin(np.arange(len(n_votes)), before))


def test_seven_votes_are_needed():
    taken = clustered([7] * 15 + [6, 1, 0])

    assert np.flatnonzero(taken.rows).tolist() == list(range(15))
    assert [e.reason for e in taken.exclusions] == [
        "6 votes, fewer than the 7 needed",
        "1 vote, fewer than the 7 needed",
        "no vote",
    ]
    assert (taken.minimum, taken.n_kept, taken.n_filled) == (7, 0, 0)


def test_with_fewer_statements_as_many_votes_as_there_are_statements():
    taken = clustered([5] * 15 + [4], columns=5)

    assert taken.minimum == 5
    assert not taken.rows[15]


def test_fewer_than_fifteen_are_filled_with_the_most_active():
    taken = clustered([7] * 13 + [2, 5, 5, 5, 0], rank=[*range(13), 13, 16, 15, 14, 17])

    # Of three with five votes the two who voted first.
    assert np.flatnonzero(taken.rows).tolist() == [*range(13), 15, 16]
    assert taken.n_filled == 2


def test_whoever_was_clustered_stays_in_while_there_is_a_vote():
    taken = clustered([7] * 15 + [1, 0], before=[15, 16])

    assert np.flatnonzero(taken.rows).tolist() == list(range(16))
    assert taken.n_kept == 1


@given(planes, st.integers(1, 6))
def test_the_nearest_centre_is_the_last_of_equals(points, n):
    centres = points[:n] + 0.25
    squared = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)

    labels, lead = nearest_centres(points, centres)

    expected = [np.flatnonzero(row <= row.min() + 1e-9)[-1] for row in squared]
    assert labels.tolist() == expected
    for row, ahead in zip(np.sqrt(np.sort(squared, axis=1)), lead, strict=True):
        assert ahead == (np.inf if len(row) == 1 else row[1] - row[0])


@given(planes, st.integers(1, 5), st.integers(1, 20))
def test_points_passed_over_would_not_have_moved(points, n, rounds):
    """k-means with every point looked at in every round."""
    weights = 1.0 + np.arange(len(points)) % 3
    start = points[first_distinct(points, n)]
    centres = start
    for _ in range(rounds):
        labels, _ = nearest_centres(points, centres)
        used = np.unique(labels)
        labels = np.searchsorted(used, labels)
        new = np.array(
            [np.average(points[labels == c], axis=0, weights=weights[labels == c]) for c in range(len(used))]
        )
        done = len(used) == len(centres) and np.hypot(*(new - centres).T).max() < 0.01
        centres = new
        if done:
            break

    found, at = k_means(points, weights, start, iterations=rounds)

    assert found.tolist() == labels.tolist()
    np.testing.assert_allclose(at, centres, rtol=0, atol=1e-12)


def test_points_are_taken_in_chunks(monkeypatch):
    points, centres = np.random.default_rng(0).normal(size=(2, 25, 2))
    whole = nearest_centres(points, centres)

    monkeypatch.setattr("clustering.stats.polis.kmeans.CHUNK", 10)

    for ours, theirs in zip(nearest_centres(points, centres), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_centre_without_points_vanishes():
    points = np.array([[0.0, 0.0], [1.0, 0.0]])

    labels, centres = k_means(points, np.ones(2), np.array([[0.0, 0.0], [9.0, 9.0], [1.0, 0.0]]), iterations=20)

    assert labels.tolist() == [0, 1]
    assert centres.tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_weights_draw_a_centre():
    _, centres = k_means(np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([3.0, 1.0]), np.array([[1.0, 0.0]]), iterations=5)

    assert centres.tolist() == [[1.0, 0.0]]


def test_different_places_are_taken_in_their_order():
    points = np.array([[1.0, 0.0], [1.0, 1e-12], [0.0, -0.0], [0.0, 0.0], [5.0, 5.0]])

    assert first_distinct(points, 9).tolist() == [0, 2, 4]
    assert first_distinct(points, 2).tolist() == [0, 2]


def test_at_most_a_hundred_base_clusters():
    rng = np.random.default_rng(0)

    for n, expected in ((100, 100), (250, 100)):
        labels, centres = find_base_clusters(rng.normal(size=(n, 2)))
        assert len(centres) <= expected
        assert labels.max() == len(centres) - 1
    assert find_base_clusters(np.repeat([[0.0, 0.0], [1.0, 1.0]], 30, axis=0))[0].tolist() == [0] * 30 + [1] * 30


@pytest.mark.parametrize(("n_base", "most"), [(2, 2), (11, 2), (12, 3), (24, 4), (36, 5), (100, 5)])
def test_so_many_groups_are_tried(n_base, most):
    rng = np.random.default_rng(0)

    rows, partitions = group_base_clusters(rng.normal(size=(n_base, 2)), np.ones(n_base, dtype=int))

    assert [row.k for row in rows] == list(range(2, most + 1))
    assert len(partitions) == len(rows)
    assert all(sum(row.sizes) == n_base for row in rows)


def test_equal_silhouettes_go_to_more_groups_and_what_cannot_be_chosen_is_not():
    def row(k, silhouette, reason=None):
        return Candidate(k, k, 0, (1,) * k, silhouette, reason)

    assert best_candidate((row(2, 0.5), row(3, 0.5 + 1e-15), row(4, 0.4))) == 1
    assert best_candidate((row(2, 0.1), row(3, float("nan"), "one group"))) == 0
    assert best_candidate((row(2, float("nan"), "one group"),)) is None


def test_the_number_of_groups_changes_when_a_winner_has_held_for_four_runs():
    state, used = PolisState(), []
    for best in (2, 3, 3, 3, 2, 3, 3, 3, 3, 3):
        state = smooth(state, best, {2, 3, 4}, ())
        used.append(state.chosen)

    assert used == [2, 2, 2, 2, 2, 2, 2, 2, 3, 3]


def test_a_number_that_is_not_available_any_more_gives_way():
    state = smooth(PolisState((), 5, 9, 5), 2, {2, 3}, ())

    assert (state.chosen, state.last_best, state.last_best_runs) == (2, 2, 1)


@given(st.lists(st.integers(2, 5), min_size=1, max_size=30))
def test_the_number_in_force_has_won_before(winners):
    state = PolisState()
    for turn, best in enumerate(winners):
        state = PolisState.from_dict(json.loads(json.dumps(smooth(state, best, {2, 3, 4, 5}, ("a", "b")).to_dict())))
        assert state.chosen in winners[: turn + 1]
        if winners[max(turn - 3, 0) : turn + 1] == [best] * 4:
            assert state.chosen == best


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method_version": "0"}, "version '0' cannot be continued"),
        ({"chosen": "2"}, "something else than keys and whole numbers"),
        ({"clustered": None}, "something else than keys and whole numbers"),
        ({"last_best_runs": None}, "something else than keys and whole numbers"),
        ({"clustered": [1]}, "something else than keys and whole numbers"),
    ],
)
def test_a_state_that_was_not_written_here_is_refused(change, message):
    stored = PolisState(("a",), 2, 1, 2).to_dict()

    assert PolisState.from_dict(stored) == PolisState(("a",), 2, 1, 2)
    with pytest.raises(ValueError, match=message):
        PolisState.from_dict(stored | change)
    with pytest.raises(ValueError, match="lacks chosen"):
        PolisState.from_dict({name: value for name, value in stored.items() if name != "chosen"})


def test_priorities_of_a_new_and_a_meta_statement():
    counts = np.zeros(2, dtype=int)

    found = statement_priorities(counts, counts, counts, np.array([np.nan, 3.0]), np.array([False, True]))

    assert found.tolist() == [(9 / 4) ** 2, 49.0]


def test_priority_falls_while_a_statement_is_new_and_rises_with_agreement_and_extremity():
    meta = np.zeros(3, dtype=bool)
    seen = np.array([5, 50, 500])
    half = statement_priorities(seen // 2, 0 * seen, seen, np.zeros(3), meta)
    more = statement_priorities(seen, 0 * seen, seen, np.zeros(3), meta)
    far = statement_priorities(seen // 2, 0 * seen, seen, np.ones(3), meta)

    assert half[0] > half[1]
    assert (more > half).all()
    assert (far > half).all()
