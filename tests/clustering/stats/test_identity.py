import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.stats.identity import match_groups

PEOPLE = [f"p{number:02d}" for number in range(12)]
memberships = st.dictionaries(st.sampled_from(PEOPLE), st.integers(0, 3))


def grouped(*groups):
    """Members of groups given as strings of one-letter people."""
    return {person: label for label, people in enumerate(groups) for person in people}


def test_a_first_run_numbers_the_groups_by_size():
    found = match_groups({}, grouped("ab", "cdef", "gh"))

    assert found.of_label() == {1: 0, 0: 1, 2: 2}
    assert {group.origin for group in found.groups} == {"new"}
    assert found.ended == ()
    assert found.taken == (0, 1, 2)


def test_groups_keep_their_identity_whatever_their_labels_are_now():
    found = match_groups({"a": 7, "b": 7, "c": 3, "d": 3}, grouped("cd", "ab"))

    assert found.of_label() == {0: 3, 1: 7}
    assert [(group.origin, group.n_common, group.similarity) for group in found.groups] == [("kept", 2, 1.0)] * 2


def test_newcomers_and_leavers_do_not_make_a_group_another_one():
    found = match_groups(grouped("abc", "xyz"), grouped("a1234567", "xy89"))

    assert found.of_label() == {0: 0, 1: 1}
    assert found.groups[0].similarity == 1.0
    assert found.groups[0].n_common == 1


def test_a_split_leaves_the_identity_with_the_larger_part():
    found = match_groups(grouped("abcde"), grouped("ab", "cde"))

    kept, split = found.groups[1], found.groups[0]
    assert (kept.identity, kept.origin, kept.of) == (0, "kept", 0)
    assert (split.identity, split.origin, split.of, split.n_common) == (1, "split", 0, 2)
    assert split.similarity == pytest.approx(2 / 5)


def test_a_merger_takes_the_identity_of_the_larger_part():
    found = match_groups(grouped("ab", "cde"), grouped("abcde"))

    assert found.of_label() == {0: 1}
    assert [(ended.identity, ended.fate, ended.into, ended.size) for ended in found.ended] == [(0, "merged", 1, 2)]


def test_a_group_that_scatters_or_leaves_is_said_to():
    scattered = match_groups(grouped("ab", "cdefgh", "ijklmn"), grouped("acdefgh", "bijklmn"))
    gone = match_groups(grouped("ab", "cd"), grouped("cd"))

    assert [(e.identity, e.fate, e.into) for e in scattered.ended] == [(0, "dissolved", None)]
    assert [(e.identity, e.fate, e.into) for e in gone.ended] == [(0, "left", None)]


def test_an_identity_is_never_given_again():
    first = match_groups({}, grouped("ab", "cd"))
    second = match_groups({"a": 0, "b": 0}, grouped("ab"), taken=first.taken)
    third = match_groups({"a": 0, "b": 0}, grouped("ab", "cd"), taken=second.taken)

    assert third.of_label() == {0: 0, 1: 2}
    assert third.taken == (0, 1, 2)


def test_too_little_in_common_is_no_identity():
    before, now = grouped("abcdefgh", "i"), grouped("a", "bcdefghi")

    found = match_groups(before, now)
    loose = match_groups(before, now, least_similarity=0.05)

    # One of eight keeps no identity; that one of nine came from the other group makes it no merger either.
    assert found.groups[0].origin == "split"
    assert [(e.identity, e.fate, e.into) for e in found.ended] == [(1, "merged", 0)]
    assert loose.ended == found.ended


def test_a_similarity_at_the_bound_reaches_it():
    assert match_groups(grouped("abcd"), grouped("a", "b", "c", "d"), least_similarity=0.25).groups[0].origin == "kept"


def test_ties_go_to_the_lower_identity_then_the_larger_group_then_the_first_member():
    assert match_groups(grouped("abcd"), {"a": 1, "b": 1, "c": 0, "d": 0}).of_label() == {1: 0, 0: 1}
    assert match_groups(grouped("abcd"), {"a": 1, "b": 1, "c": 0, "d": 0, "x": 0}).of_label() == {0: 0, 1: 1}
    assert match_groups({"a": 4, "b": 2}, {"a": 0, "b": 0}).of_label() == {0: 2}


@pytest.mark.parametrize("options", [{"least_similarity": 0.0}, {"least_similarity": 1.1}, {"taken": [-1]}], ids=str)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=r"least_similarity|identity"):
        match_groups({}, {"a": 0}, **options)


@given(before=memberships, now=memberships, seed=st.integers(0, 9))
def test_orders_and_labels_do_not_matter(before, now, seed):
    rng = np.random.default_rng(seed)
    turned = dict(zip(range(4), rng.permutation(4).tolist(), strict=True))
    keys = rng.permutation(sorted(now)).tolist()

    one = match_groups(before, now)
    other = match_groups(dict(reversed(before.items())), {key: turned[now[key]] for key in keys})

    assert {turned[label]: identity for label, identity in one.of_label().items()} == other.of_label()
    assert one.ended == other.ended


@given(before=memberships, now=memberships)
def test_as_many_people_as_possible_keep_their_groups_identity(before, now):
    found = match_groups(before, now)

    labels, identities = sorted(set(now.values())), sorted(set(before.values()))

    def shared(identity, label):
        ours = {key for key, value in before.items() if value == identity and key in now}
        theirs = {key for key, value in now.items() if value == label and key in before}
        both = len(ours & theirs)
        return both if both and both / len(ours | theirs) >= 0.25 - 1e-9 else 0

    padded = [*identities, *[None] * len(labels)]
    best = max(
        (
            sum(shared(identity, label) for identity, label in zip(order, labels, strict=True) if identity is not None)
            for order in itertools.permutations(padded, len(labels))
        ),
        default=0,
    )
    assert sum(group.n_common for group in found.groups if group.origin == "kept") == best
    given_out = list(found.of_label().values())
    assert len(given_out) == len(set(given_out))
    assert {*given_out, *(ended.identity for ended in found.ended)} >= set(identities)
    json.dumps(found.to_dict(), allow_nan=False)


@given(now=memberships)
def test_the_same_members_keep_every_identity(now):
    first = match_groups({}, now)
    of_label = first.of_label()

    again = match_groups({key: of_label[label] for key, label in now.items()}, now, taken=first.taken)

    assert again.of_label() == of_label
    assert again.taken == first.taken
    assert again.ended == ()
