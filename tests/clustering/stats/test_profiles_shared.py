"""Representativeness and consensus against what Pol.is itself computed for real conversations."""

import json

import numpy as np
import pytest

from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import profile_groups
from clustering.stats.projection import participant_coordinates, project, statement_coordinates

CONVERSATIONS = ("below-100-ptpts", "25ptpt-3gp-no-strict-with-meta", "150ptpt-3gp-no-strict-no-meta")

pytestmark = pytest.mark.shared


class Conversation:
    """Votes of a real conversation as our matrix, and what Pol.is published for it."""

    def __init__(self, folder):
        self.blob = json.loads((folder / "math-pca2.json").read_text(encoding="utf-8"))
        votes = {}
        for row in json.loads((folder / "votes.json").read_text(encoding="utf-8")):
            person, statement = row.get("pid", row.get("participant_id")), row.get("tid", row.get("statement_id"))
            when = float(row["modified"])
            if when >= votes.get((person, statement), (0, -1.0))[1]:
                votes[person, statement] = (row["vote"], when)
        self.order = [f"{tid:06d}" for tid in self.blob["tids"]]
        self.matrix = VoteMatrix.from_votes((key(p), key(s), vote) for (p, s), (vote, _) in votes.items())
        self.hidden = {key(tid) for tid in self.blob["mod-out"]}
        base = dict(zip(self.blob["base-clusters"]["id"], self.blob["base-clusters"]["members"], strict=True))
        group_of = {
            key(person): group["id"]
            for group in self.blob["group-clusters"]
            for member in group["members"]
            for person in base[member]
        }
        self.labels = np.array([group_of.get(person, -1) for person in self.matrix.participants])


def key(number):
    return f"{number:06d}"


@pytest.fixture(scope="module", params=CONVERSATIONS)
def conversation(request, shared):
    return Conversation(shared / "data" / "polis-fixtures" / request.param)


@pytest.fixture(scope="module")
def profiles(conversation):
    return profile_groups(conversation.matrix, conversation.labels, hidden=conversation.hidden)


def test_groups_vote_as_counted_there(conversation, profiles):
    for group, expected in conversation.blob["group-votes"].items():
        for column, statement in enumerate(profiles.statements):
            counted = expected["votes"][str(int(statement))]
            found = (profiles.counts.agree, profiles.counts.disagree, profiles.counts.seen)
            assert [int(counts[int(group), column]) for counts in found] == [counted["A"], counted["D"], counted["S"]]


def test_group_informed_consensus_is_equal(conversation, profiles):
    expected = [conversation.blob["group-aware-consensus"][str(int(s))] for s in profiles.statements]

    np.testing.assert_allclose(profiles.group_informed_consensus, expected, rtol=0, atol=1e-12)


def test_the_same_statements_characterise_each_group_in_the_same_order(conversation, profiles):
    for group, expected in conversation.blob["repness"].items():
        found = profiles.characteristic[int(group)]
        assert [(int(s.statement), s.direction) for s in found] == [(e["tid"], e["repful-for"]) for e in expected]
        assert [s.best_agree for s in found] == [e.get("best-agree", False) for e in expected]


def test_their_tests_have_the_same_values(conversation, profiles):
    for group, expected in conversation.blob["repness"].items():
        for found, wanted in zip(profiles.characteristic[int(group)], expected, strict=True):
            assert (found.n_success, found.n_trials) == (wanted["n-success"], wanted["n-trials"])
            assert found.p_success == pytest.approx(wanted["p-success"], rel=0, abs=1e-12)
            assert found.p_test == pytest.approx(wanted["p-test"], rel=0, abs=1e-12)
            assert found.repness == pytest.approx(wanted["repness"], rel=0, abs=1e-12)
            # Pol.is stores this one with eight digits.
            assert found.repness_test == pytest.approx(wanted["repness-test"], rel=2e-7, abs=0)


def test_consensus_lists_are_equal(conversation, profiles):
    for name, found in (("agree", profiles.consensus_agree), ("disagree", profiles.consensus_disagree)):
        expected = conversation.blob["consensus"][name]
        assert [int(s.statement) for s in found] == [e["tid"] for e in expected]
        for statement, wanted in zip(found, expected, strict=True):
            assert (statement.n_success, statement.n_trials) == (wanted["n-success"], wanted["n-trials"])
            assert statement.p_success == pytest.approx(wanted["p-success"], rel=0, abs=1e-12)
            assert statement.p_test == pytest.approx(wanted["p-test"], rel=0, abs=1e-12)


def zeroed(conversation):
    """The matrix as Pol.is projects it: a moderated statement counts as passed by everybody."""
    values = conversation.matrix.values.copy()
    hidden = [s in conversation.hidden for s in conversation.matrix.statements]
    values[:, hidden] = 0.0
    return values


def test_places_on_the_published_axes_are_equal(conversation):
    pca, base = conversation.blob["pca"], conversation.blob["base-clusters"]
    assert list(conversation.matrix.statements) == conversation.order
    # Agreeing is -1 in the mathematics of Pol.is and 1 in ours: means and places change sign alike.
    means, components = -np.array(pca["center"]), np.array(pca["comps"])
    values = zeroed(conversation)

    np.testing.assert_allclose(np.nanmean(values, axis=0), means, rtol=0, atol=1e-12)
    places = -participant_coordinates(values, means, components)
    row_of = {person: row for row, person in enumerate(conversation.matrix.participants)}
    for members, x, y in zip(base["members"], base["x"], base["y"], strict=True):
        centre = places[[row_of[key(person)] for person in members]].mean(axis=0)
        np.testing.assert_allclose(centre, (x, y), rtol=0, atol=1e-12)
    ours = -statement_coordinates(means, components)
    np.testing.assert_allclose(ours, np.array(pca["comment-projection"]).T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*ours.T), pca["comment-extremity"], rtol=0, atol=1e-12)


def test_our_axes_are_theirs_up_to_sign(conversation):
    values = zeroed(conversation)
    projection = project(VoteMatrix(conversation.matrix.participants, conversation.matrix.statements, values))

    for ours, theirs in zip(projection.components, conversation.blob["pca"]["comps"], strict=True):
        assert abs(ours @ np.array(theirs)) == pytest.approx(1.0, abs=1e-8)
