"""Many raters and tabs at the same moment."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.db.models import Count

from annotation.errors import InvitationClosed, PacketLocked, StaleForm
from annotation.models import Assignment, Judgement, Place, Rater, Submission
from annotation.services import claims, closing, judgements, raters
from tests.annotation.audits import answers, frozen, judge_all, pair, person, take
from tests.annotation.test_claims import sides_by_item, sides_by_stratum
from tests.factories import NOW
from tests.racing import at_once

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("k", [3, 2])
def test_twenty_raters_and_thirty_items(k: int) -> None:
    packet = frozen(rows=[pair(i, stratum=f"s{i % 3}") for i in range(30)], raters_per_item=k)
    people = [person(packet) for _ in range(20)]

    done = at_once(lambda rater: judge_all(rater, packet), people)

    assert sum(done) == 30 * k, done
    counted = Assignment.objects.counted()
    per_item = counted.values("item").annotate(n=Count("rater", distinct=True), rows=Count("pk"))
    assert {(row["n"], row["rows"]) for row in per_item} == {(k, k)}
    assert len(per_item) == 30
    assert not Assignment.objects.exclude(status=Assignment.Status.DONE).exists()
    assert not Place.objects.filter(holder=None).exists()
    if k % 2:
        # Exact overlap wins: who comes when one place is left takes it as it is (docs/annotation.md).
        assert all(abs(sides[True] - sides[False]) <= 2 for sides in sides_by_stratum(packet).values())
    else:
        assert all(sides[True] == sides[False] for sides in sides_by_item(packet).values())


def test_two_tabs_get_the_same_item() -> None:
    packet = frozen(n=6)
    rater = person(packet)

    given = at_once(lambda _tab: take(Rater.objects.get(pk=rater.pk), packet).pk, range(6))

    assert len(set(given)) == 1
    assert Assignment.objects.count() == 1


def test_one_client_key_is_one_submission() -> None:
    packet = frozen(n=2)
    assignment = take(person(packet), packet)
    key = uuid.uuid4()

    def send(_tab: int) -> bool:
        mine = Assignment.objects.select_related("item__packet", "rater").get(pk=assignment.pk)
        return judgements.submit(assignment=mine, given=answers(mine), client_key=key, version=0, now=NOW).is_repeat

    repeats = at_once(send, range(8))

    assert Counter(repeats) == {False: 1, True: 7}
    assert Submission.objects.count() == 1
    assert Judgement.objects.count() == 1


def test_two_tabs_with_different_answers_leave_one_current_answer() -> None:
    packet = frozen(n=2)
    assignment = take(person(packet), packet)

    def send(label: str) -> str:
        mine = Assignment.objects.select_related("item__packet", "rater").get(pk=assignment.pk)
        try:
            judgements.submit(assignment=mine, given=answers(mine, label), client_key=uuid.uuid4(), version=0, now=NOW)
        except StaleForm:
            return "stale"
        return "stored"

    assert Counter(at_once(send, ["not", "partly", "clearly"])) == {"stored": 1, "stale": 2}
    assert Judgement.objects.current().count() == 1


def test_an_expired_item_is_either_kept_or_handed_on() -> None:
    packet = frozen(n=1, raters_per_item=1)
    for _ in range(5):
        slow, quick = person(packet), person(packet)
        after = NOW + timedelta(hours=3)
        late = take(slow, packet)

        def act(who: Rater, late: Assignment = late, slow: Rater = slow, after=after) -> bool | None:
            if who == slow:
                mine = Assignment.objects.select_related("item__packet", "rater").get(pk=late.pk)
                key = uuid.uuid4()
                return judgements.submit(
                    assignment=mine, given=answers(mine), client_key=key, version=0, now=after
                ).is_extra
            return claims.next_assignment(rater=who, packet=packet, now=after).assignment is not None

        is_extra, was_given = at_once(act, [slow, quick])

        assert is_extra == was_given
        Place.objects.update(holder=None)


def test_no_answer_comes_after_the_lock() -> None:
    packet = frozen(n=10, raters_per_item=4)
    people = [person(packet) for _ in range(4)]

    def act(who: Rater | None) -> int:
        if who is None:
            closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="It is time.")
            return -1
        try:
            return judge_all(who, packet)
        except PacketLocked:
            return 0

    at_once(act, [*people, None])

    packet.refresh_from_db()
    n_done = Assignment.objects.counted().count()
    assert packet.lock.counts["n_places_done"] == n_done


def test_an_invitation_lets_in_no_more_than_its_limit() -> None:
    packet = frozen()
    _invitation, token = raters.invite(
        campaign=packet.campaign, name="Class", limit=3, expires_at=NOW + timedelta(days=1), by=None, now=NOW
    )

    def enter(_who: int) -> bool:
        try:
            raters.accept_invitation(token=token, now=NOW)
        except InvitationClosed:
            return False
        return True

    assert Counter(at_once(enter, range(10))) == {True: 3, False: 7}
    assert Rater.objects.count() == 3
    assert len(set(Rater.objects.values_list("code", flat=True))) == 3
