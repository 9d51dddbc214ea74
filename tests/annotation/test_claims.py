"""Each item gets exactly as many different raters as its packet says, with the sides in balance."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta

import pytest

from annotation.errors import ConsentMissing, NotOpen, RaterRemoved
from annotation.models import Assignment, Judgement, Place
from annotation.services import campaigns, claims, packets, raters
from annotation.services.claims import Ended
from core.errors import Conflict
from tests.annotation.audits import MINUTE, add_items, frozen, judge_all, new_campaign, pair, person, say, take
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def sides_by_stratum(packet) -> dict[tuple[str, str], Counter[bool]]:
    """For each rater and stratum how many items were shown each way."""
    found: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    rows = Assignment.objects.counted().filter(item__packet=packet)
    for rater, stratum, swapped in rows.values_list("rater__code", "item__hidden__stratum", "swapped"):
        found[rater, stratum][swapped] += 1
    return found


def sides_by_item(packet) -> dict[str, Counter[bool]]:
    found: dict[str, Counter[bool]] = defaultdict(Counter)
    for key, swapped in Assignment.objects.counted().filter(item__packet=packet).values_list("item__key", "swapped"):
        found[key][swapped] += 1
    return found


def test_asking_again_gives_the_same_item() -> None:
    packet = frozen()
    rater = person(packet)

    first = take(rater, packet)

    assert take(rater, packet, NOW + MINUTE) == first
    assert Assignment.objects.count() == 1


def test_two_raters_judge_every_item_once_each() -> None:
    packet = frozen(n=6)

    assert [judge_all(person(packet), packet) for _ in range(2)] == [6, 6]

    assert Counter(Assignment.objects.values_list("item__key", flat=True)).most_common()[0][1] == 2
    assert claims.next_assignment(rater=person(packet), packet=packet, now=NOW).ended is Ended.FINISHED


@pytest.mark.parametrize("k", [2, 3, 4])
def test_sides_are_in_balance_for_each_rater_and_stratum_at_any_time(k: int) -> None:
    packet = frozen(n=14, raters_per_item=k)
    people = [person(packet) for _ in range(k)]
    for _ in range(14):
        for rater in people:
            say(take(rater, packet))
            for counts in sides_by_stratum(packet).values():
                assert abs(counts[True] - counts[False]) <= 1

    for counts in sides_by_item(packet).values():
        assert counts[True] + counts[False] == k
        assert k % 2 or counts[True] == counts[False]


@pytest.mark.parametrize(("k", "n_people"), [(3, 7), (1, 4), (5, 8)])
def test_with_an_odd_number_the_balance_of_raters_never_breaks(k: int, n_people: int) -> None:
    packet = frozen(n=10, raters_per_item=k)
    people = [person(packet) for _ in range(n_people)]
    working = list(people)
    while working:
        for rater in list(working):
            following = claims.next_assignment(rater=rater, packet=packet, now=NOW).assignment
            if following is None:
                working.remove(rater)
            else:
                say(following)

    assert all(sum(counts.values()) == k for counts in sides_by_item(packet).values())
    assert all(abs(counts[True] - counts[False]) <= 1 for counts in sides_by_stratum(packet).values())


def test_the_side_is_stored_with_each_answer_and_stays_over_reloads() -> None:
    packet = frozen(n=8)
    rater = person(packet)
    assignment = take(rater, packet)

    again = take(rater, packet, NOW + MINUTE)
    say(again)

    assert again.swapped == assignment.swapped
    assert {row.swapped for row in Judgement.objects.all()} == {assignment.swapped}
    assert {row.rank for row in Judgement.objects.all()} == {1}


def test_without_counterbalancing_every_pair_is_shown_as_stored() -> None:
    packet = frozen(counterbalanced=False)

    judge_all(person(packet), packet)

    assert set(Assignment.objects.values_list("swapped", flat=True)) == {False}


def test_texts_without_sides_have_none() -> None:
    packet = frozen("openness", [{"external_id": "a", "request": "Tell me a joke."}])

    assert take(person(packet), packet).swapped is None


def test_raters_get_items_in_orders_of_their_own() -> None:
    packet = frozen(n=12, raters_per_item=3)
    orders = []
    for _ in range(3):
        rater = person(packet)
        judge_all(rater, packet)
        orders.append(tuple(rater.assignments.order_by("rank").values_list("item__key", flat=True)))

    assert len(set(orders)) == 3
    assert len({frozenset(order) for order in orders}) == 1


def test_a_lease_that_ran_out_is_handed_on_and_the_late_answer_is_extra() -> None:
    packet = frozen(n=1, raters_per_item=1)
    slow, quick = person(packet), person(packet)
    late = take(slow, packet)
    assert claims.next_assignment(rater=quick, packet=packet, now=NOW).ended is Ended.WAIT

    after = NOW + timedelta(minutes=61)
    taken = take(quick, packet, after)
    say(taken, now=after)
    result = say(late, "partly", now=after)

    assert result.is_extra
    late.refresh_from_db()
    assert (late.status, late.is_extra) == (Assignment.Status.DONE, True)
    assert Judgement.objects.counted().get(dimension__code="use").label.code == "clearly"
    assert Judgement.objects.current().count() == 2
    assert Place.objects.get().holder == taken


def test_a_lease_that_ran_out_counts_if_nobody_took_the_item() -> None:
    packet = frozen(n=1, raters_per_item=1)
    assignment = take(person(packet), packet)

    assert not say(assignment, now=NOW + timedelta(days=2)).is_extra


def test_who_lost_an_item_may_take_it_up_again() -> None:
    packet = frozen(n=1, raters_per_item=1)
    rater = person(packet)
    first = take(rater, packet)
    after = NOW + timedelta(minutes=61)

    assert claims.release_expired(packet=packet, now=after) == 1
    again = take(rater, packet, after)

    assert again.pk == first.pk
    assert (again.status, again.swapped) == (Assignment.Status.OPEN, first.swapped)
    assert not say(again, now=after).is_extra


def test_the_most_items_of_a_rater() -> None:
    packet = frozen(n=4, items_per_rater=2)
    rater = person(packet)

    assert judge_all(rater, packet) == 2
    assert claims.next_assignment(rater=rater, packet=packet, now=NOW).ended is Ended.ENOUGH


def test_skipping_for_later_brings_the_item_at_the_end() -> None:
    packet = frozen(n=3, skipping="later")
    rater = person(packet)
    skipped = take(rater, packet)

    claims.skip(assignment=skipped, reason="too long", now=NOW)
    for _ in range(2):
        assignment = take(rater, packet)
        assert assignment != skipped
        say(assignment)
    last = take(rater, packet)
    assert last == skipped
    say(last)
    assert rater.assignments.filter(status=Assignment.Status.DONE).count() == 3
    assert last.skip_reason == "too long"


def test_skipping_for_others_frees_the_place() -> None:
    packet = frozen(n=1, skipping="others", raters_per_item=1)
    rater, other = person(packet), person(packet)
    skipped = take(rater, packet)

    claims.skip(assignment=skipped, now=NOW)

    assert claims.next_assignment(rater=rater, packet=packet, now=NOW).assignment is None
    assert take(other, packet).item == skipped.item


def test_where_skipping_is_not_allowed() -> None:
    packet = frozen(n=1, skipping="never")

    with pytest.raises(Conflict):
        claims.skip(assignment=take(person(packet), packet), now=NOW)


def test_segments_come_in_their_order_and_to_one_rater() -> None:
    rows = [
        {"external_id": f"{text}{i}", "segment": f"{text} {i}", "sequence": text, "place": i}
        for text in ("a", "b")
        for i in range(4)
    ]
    packet = frozen("surprise", rows, raters_per_item=1)
    one, other = person(packet), person(packet)

    first, second = take(one, packet), take(other, packet)
    assert first.item.sequence != second.item.sequence
    seen = []
    for _ in range(4):
        assignment = take(one, packet)
        seen.append(assignment.item)
        say(assignment, "3")

    assert [item.place for item in seen] == [0, 1, 2, 3]
    assert len({item.sequence for item in seen}) == 1
    assert claims.next_assignment(rater=one, packet=packet, now=NOW).ended is Ended.WAIT


def test_a_blind_repetition_goes_to_those_who_judged_the_original() -> None:
    rows = [pair(i) for i in range(14)] + [{**pair(0), "external_id": "again", "repeats": "aut-0"}]
    packet = frozen(rows=rows, raters_per_item=1)
    rater = person(packet)

    assert judge_all(rater, packet) == 15

    again = Assignment.objects.get(item__hidden__external_id="again")
    first = Assignment.objects.get(item__hidden__external_id="aut-0")
    assert again.rank > first.rank
    other = person(packet)
    assert claims.next_assignment(rater=other, packet=packet, now=NOW).assignment is None


def test_nobody_judges_without_consent() -> None:
    packet = frozen()
    rater = person(packet, consents=False)

    with pytest.raises(ConsentMissing):
        claims.next_assignment(rater=rater, packet=packet, now=NOW)
    raters.decide_consent(rater=rater, accepted=False, now=NOW)
    with pytest.raises(ConsentMissing):
        claims.next_assignment(rater=rater, packet=packet, now=NOW)


def test_who_was_removed_gets_nothing_and_what_they_held_goes_to_others() -> None:
    packet = frozen(n=1, raters_per_item=1)
    rater = person(packet)
    held = take(rater, packet)

    raters.remove(rater=rater, by=None, now=NOW)

    with pytest.raises(RaterRemoved):
        claims.next_assignment(rater=rater, packet=packet, now=NOW)
    with pytest.raises(RaterRemoved):
        say(held)
    assert take(person(packet), packet).item == held.item


def test_a_paused_campaign_gives_nothing() -> None:
    packet = frozen()
    rater = person(packet)
    campaigns.pause(campaign=packet.campaign, by=None, now=NOW)

    with pytest.raises(NotOpen):
        claims.next_assignment(rater=rater, packet=packet, now=NOW)
    campaigns.resume(campaign=packet.campaign, by=None, now=NOW)
    assert take(rater, packet)


def test_a_draft_is_not_judged() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1)])
    packet = packets.draft_of(campaign)

    with pytest.raises(NotOpen):
        claims.next_assignment(rater=person(packet), packet=packet, now=NOW)
