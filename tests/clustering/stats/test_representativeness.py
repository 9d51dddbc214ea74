import numpy as np
import pytest
from statsmodels.stats.proportion import proportions_ztest

from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import count_votes, group_informed_consensus, profile_groups
from clustering.stats.representativeness import one_proportion_z, two_proportion_z

NAN = np.nan


def test_a_published_value_of_the_two_proportion_test():
    # From Pol.is' own tests: 15 of 24 in the group, 56 of 71 outside.
    z = two_proportion_z(np.array([15]), np.array([56]), np.array([24]), np.array([71]))

    assert z[0] == pytest.approx(-1.518, abs=0.01)


def test_both_tests_are_those_of_statsmodels_after_adding_one():
    s1, s2, n1, n2 = 9, 4, 14, 20

    pooled, _ = proportions_ztest([s1 + 1, s2 + 1], [n1 + 1, n2 + 1])
    single, _ = proportions_ztest(s1 + 1, n1 + 1, value=0.5, prop_var=0.5)

    counts = [np.array([count]) for count in (s1, s2, n1, n2)]
    assert two_proportion_z(*counts)[0] == pytest.approx(pooled, abs=1e-12)
    assert one_proportion_z(np.array([s1]), np.array([n1]))[0] == pytest.approx(single, abs=1e-12)


def test_two_unanimous_groups_are_not_apart():
    assert two_proportion_z(np.array([5]), np.array([9]), np.array([5]), np.array([9]))[0] == 0.0


def test_tests_do_not_change_their_arguments():
    arrays = [np.array([3, 4]) for _ in range(4)]

    two_proportion_z(*arrays)
    one_proportion_z(*arrays[:2])

    assert all((array == [3, 4]).all() for array in arrays)


@pytest.fixture
def matrix():
    values = [
        [1, 1, -1, 0],
        [1, 1, -1, NAN],
        [1, 1, NAN, 0],
        [1, -1, 1, NAN],
        [1, -1, 1, NAN],
        [1, -1, 1, NAN],
        [-1, -1, -1, -1],
    ]
    return VoteMatrix.from_arrays([f"p{i}" for i in range(7)], ["a", "b", "c", "d"], values)


LABELS = np.array([0, 0, 0, 1, 1, 1, -1])


def test_votes_are_counted_by_group_and_neutral_apart_from_missing(matrix):
    counts = count_votes(matrix.values, LABELS)

    assert counts.agree.tolist() == [[3, 3, 0, 0], [3, 0, 3, 0]]
    assert counts.disagree.tolist() == [[0, 0, 2, 0], [0, 3, 0, 0]]
    assert counts.neutral.tolist() == [[0, 0, 0, 2], [0, 0, 0, 0]]
    assert counts.seen.tolist() == [[3, 3, 2, 2], [3, 3, 3, 0]]
    np.testing.assert_array_equal(counts.agree_share, [[1, 1, 0, 0], [1, 0, 1, NAN]])


def test_group_informed_consensus_multiplies_smoothed_shares(matrix):
    consensus = group_informed_consensus(count_votes(matrix.values, LABELS))

    np.testing.assert_allclose(consensus, [4 / 5 * 4 / 5, 4 / 5 * 1 / 5, 1 / 4 * 4 / 5, 1 / 4 * 1 / 2])


def test_each_group_is_characterised_by_what_sets_it_apart(matrix):
    profiles = profile_groups(matrix, LABELS)

    first, second = profiles.characteristic
    # What a group agrees on best leads, though here everybody does; then what sets it apart, agreement first.
    assert [(s.statement, s.direction, s.significant) for s in first] == [
        ("a", "agree", False),
        ("b", "agree", True),
        ("c", "disagree", True),
    ]
    assert [(s.statement, s.direction) for s in second] == [("a", "agree"), ("c", "agree"), ("b", "disagree")]
    assert [s.best_agree for s in first] == [True, False, False]
    assert (first[1].n_success, first[1].n_trials) == (3, 3)
    assert first[1].repness == pytest.approx((4 / 5) / (1 / 5))


def test_what_is_common_is_consensus_and_sets_nobody_apart(matrix):
    profiles = profile_groups(matrix, LABELS)

    assert [s.statement for s in profiles.consensus_agree] == ["a"]
    assert (profiles.consensus_agree[0].n_success, profiles.consensus_agree[0].n_trials) == (6, 7)
    assert profiles.consensus_disagree == ()


def test_hidden_statements_are_counted_but_not_selected(matrix):
    profiles = profile_groups(matrix, LABELS, hidden=["b", "a"])

    assert [s.statement for s in profiles.characteristic[0]] == ["c"]
    assert not {"a", "b"} & {s.statement for selected in profiles.characteristic for s in selected}
    assert profiles.consensus_agree == ()
    assert profiles.counts.agree[0, 1] == 3


def test_the_selection_is_limited(matrix):
    assert [len(selected) for selected in profile_groups(matrix, LABELS, limit=1).characteristic] == [1, 1]


def test_a_group_without_a_significant_statement_gets_the_best_there_is():
    values = [[1, NAN], [0, NAN], [-1, 1], [1, -1]]
    matrix = VoteMatrix.from_arrays(["a", "b", "c", "d"], ["x", "y"], values)

    profiles = profile_groups(matrix, np.array([0, 0, 1, 1]))

    assert [len(selected) for selected in profiles.characteristic] == [1, 1]
    assert not any(s.significant for selected in profiles.characteristic for s in selected)


def test_a_group_without_votes_has_no_statement():
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "x", 1)], participants=["c"])

    assert profile_groups(matrix, np.array([0, 0, 1])).characteristic[1] == ()


@pytest.mark.parametrize("labels", [[0, 0], [0, 2, 2]], ids=["too few", "gap"])
def test_labels_that_do_not_fit_are_refused(labels):
    matrix = VoteMatrix.from_votes([("a", "x", 1), ("b", "x", 1), ("c", "x", 1)])

    with pytest.raises(ValueError, match=r"labels for|without gaps"):
        profile_groups(matrix, np.array(labels))
