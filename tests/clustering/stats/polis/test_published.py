"""Against what Pol.is computed itself: every value given its axes and groups, and its groups from votes alone."""

import numpy as np
import pytest

from clustering.stats.clusterers import cluster
from clustering.stats.polis.axes import Axes, find_axes, places_of_people
from clustering.stats.polis.portraits import portraits
from clustering.stats.polis.priorities import statement_priorities
from clustering.stats.polis.state import PolisState
from clustering.stats.projection import statement_coordinates
from tests.clustering.stats.polis.published import FIXTURES, export, fixture, key

pytestmark = pytest.mark.shared

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.fixture(scope="module", params=FIXTURES)
def conversation(request, shared):
    return fixture(shared / "data" / "polis-fixtures" / request.param)


@pytest.fixture(scope="module")
def hidden(conversation):
    return np.isin(conversation.votes.statements, conversation.hidden)


@pytest.fixture(scope="module")
def published_axes(conversation):
    # Agreeing is -1 in the mathematics of Pol.is and 1 in ours: means and places change sign alike.
    pca = conversation.blob["pca"]
    assert [key(t) for t in conversation.blob["tids"]] == list(conversation.votes.statements)
    return Axes(-np.array(pca["center"], dtype=float), np.array(pca["comps"], dtype=float), np.ones(2), None, None)


@pytest.fixture(scope="module")
def places(conversation, hidden, published_axes):
    return -places_of_people(conversation.votes, published_axes, hidden, zeroed=True)


@pytest.fixture(scope="module")
def found(conversation, hidden):
    labels = np.array([conversation.groups.get(person, -1) for person in conversation.votes.participants])
    return portraits(conversation.votes, labels, ~hidden)


def rows_of(conversation, people):
    return [conversation.votes.participants.index(key(person)) for person in people]


def test_votes_each_are_those_counted_there(conversation):
    ours = dict(zip(conversation.votes.participants, conversation.votes.votes_each().tolist(), strict=True))

    assert ours == {key(person): n for person, n in conversation.blob["user-vote-counts"].items()}


def test_means_and_axes_are_theirs(conversation, hidden, published_axes):
    axes = find_axes(conversation.votes, hidden, zeroed=True)

    np.testing.assert_allclose(axes.means, published_axes.means, **EXACT)
    for ours, theirs in zip(axes.components, published_axes.components, strict=True):
        assert abs(ours @ theirs) == pytest.approx(1.0, abs=1e-8)


def test_centres_of_base_clusters_and_groups_are_equal(conversation, places):
    base = conversation.blob["base-clusters"]
    centres = [places[rows_of(conversation, members)].mean(axis=0) for members in base["members"]]

    np.testing.assert_allclose(centres, np.transpose([base["x"], base["y"]]), **EXACT)
    assert [len(members) for members in base["members"]] == base["count"]
    index = {number: place for place, number in enumerate(base["id"])}
    for group in conversation.blob["group-clusters"]:
        members = [index[number] for number in group["members"]]
        weights = np.array(base["count"])[members]
        centre = weights @ np.array(centres)[members] / weights.sum()
        # Stopped when centres move by less than 0.01, so the published centre is one of its last rounds.
        np.testing.assert_allclose(centre, group["center"], rtol=0, atol=0.01)


def test_places_and_extremity_of_statements_are_equal(conversation, published_axes):
    ours = -statement_coordinates(published_axes.means, published_axes.components)

    np.testing.assert_allclose(ours, np.transpose(conversation.blob["pca"]["comment-projection"]), **EXACT)
    np.testing.assert_allclose(np.hypot(*ours.T), conversation.blob["pca"]["comment-extremity"], **EXACT)


def test_votes_of_groups_and_the_consensus_of_groups_are_equal(conversation, found):
    for number, statement in enumerate(conversation.votes.statements):
        consensus = conversation.blob["group-aware-consensus"][str(int(statement))]
        assert found.group_informed_consensus[number] == pytest.approx(consensus, rel=0, abs=1e-12)
        for group, expected in conversation.blob["group-votes"].items():
            counts = [
                part[int(group), number] for part in (found.counts.agree, found.counts.disagree, found.counts.seen)
            ]
            assert counts == [expected["votes"][str(int(statement))][name] for name in "ADS"]


def test_representative_statements_are_equal_in_order_and_value(conversation, found):
    for group, expected in conversation.blob["repness"].items():
        ours = found.characteristic[int(group)]
        assert [(int(s.statement), s.direction) for s in ours] == [(e["tid"], e["repful-for"]) for e in expected]
        for statement, wanted in zip(ours, expected, strict=True):
            assert (statement.n_success, statement.n_trials) == (wanted["n-success"], wanted["n-trials"])
            assert statement.best_agree == wanted.get("best-agree", False)
            assert statement.p_success == pytest.approx(wanted["p-success"], rel=0, abs=1e-12)
            assert statement.p_test == pytest.approx(wanted["p-test"], rel=0, abs=1e-12)
            assert statement.repness == pytest.approx(wanted["repness"], rel=0, abs=1e-12)
            # The one value that Pol.is stores in single precision: equal to the last digit it has.
            assert np.float32(statement.repness_test) == pytest.approx(np.float32(wanted["repness-test"]), rel=2e-7)


def test_consensus_is_equal_in_order_and_value(conversation, found):
    for name, ours in (("agree", found.consensus_agree), ("disagree", found.consensus_disagree)):
        expected = conversation.blob["consensus"][name]
        assert [int(s.statement) for s in ours] == [e["tid"] for e in expected]
        for statement, wanted in zip(ours, expected, strict=True):
            assert (statement.n_success, statement.n_trials) == (wanted["n-success"], wanted["n-trials"])
            assert statement.p_success == pytest.approx(wanted["p-success"], rel=0, abs=1e-12)
            assert statement.p_test == pytest.approx(wanted["p-test"], rel=0, abs=1e-12)


def test_priorities_are_equal(conversation, found):
    extremity = np.array(conversation.blob["pca"]["comment-extremity"])
    meta = np.isin(conversation.votes.statements, conversation.meta)
    counts = (part.sum(axis=0) for part in (found.counts.agree, found.counts.neutral, found.counts.seen))

    ours = statement_priorities(*counts, extremity, meta)

    theirs = [conversation.blob["comment-priorities"][str(int(s))] for s in conversation.votes.statements]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_the_same_people_are_clustered(conversation):
    theirs = {key(person) for person in conversation.blob["in-conv"]}
    cold = cluster(conversation.votes, method="polis", seed=0, order=conversation.order, moderation="zero")
    assert set(cold.members()) <= theirs

    # The rest had been clustered before their statements went: with the state that says so they are in.
    state = PolisState(clustered=tuple(sorted(theirs)))
    warm = cluster(
        conversation.votes, method="polis", seed=0, order=conversation.order, moderation="zero", previous=state
    )

    assert set(warm.members()) == theirs
    assert warm.n_kept == len(theirs) - len(cold.members())


@pytest.mark.parametrize("name", ["below-100-ptpts", "150ptpt-3gp-no-strict-no-meta"])
def test_groups_of_fixtures_are_those_published(shared, name):
    conversation = fixture(shared / "data" / "polis-fixtures" / name)

    groups = cluster(
        conversation.votes,
        method="polis",
        seed=0,
        order=conversation.order,
        hidden=conversation.hidden,
        moderation="zero",
    )

    assert groups.n_groups == 3
    assert conversation.agreement(groups) == 1.0


@pytest.mark.parametrize(
    ("name", "least"),
    [("bg2050-volunteers", 1.0), ("scoop-hivemind.biodiversity", 0.95), ("vtaiwan.uberx", 0.85)],
)
def test_groups_of_open_data_are_those_published(shared, name, least):
    conversation = export(shared / "data" / "polis" / name)

    groups = cluster(
        conversation.votes,
        method="polis",
        seed=0,
        order=conversation.order,
        hidden=conversation.hidden,
        meta=conversation.meta,
        moderation="zero",
    )

    assert groups.n_groups == 2
    assert conversation.agreement(groups) >= least


@pytest.mark.parametrize("name", ["bg2050-volunteers", "vtaiwan.uberx"])
def test_opposite_votes_of_real_people_give_the_same_groups(shared, name):
    """Where k-means starts from the outermost points, a mirrored map gives other groups: bg2050 then has [106, 1]."""
    conversation = export(shared / "data" / "polis" / name)
    votes = conversation.votes
    opposite = type(votes)(votes.participants, votes.statements, votes.rows, votes.columns, -votes.values)

    before, after = (
        cluster(each, method="polis", seed=0, order=conversation.order, hidden=conversation.hidden, moderation="zero")
        for each in (votes, opposite)
    )

    assert after.labels.tolist() == before.labels.tolist()
    assert after.rows == before.rows
    assert after.profiles.consensus_agree == before.profiles.consensus_disagree
    np.testing.assert_array_equal(after.coordinates, 0.0 - before.coordinates)
