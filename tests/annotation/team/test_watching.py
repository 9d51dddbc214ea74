"""The watch: how far everybody is, who is too fast or constant, and nothing that would unblind whoever watches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Campaign, CampaignMember, ItemEvent, Packet, Rater
from annotation.selectors.times import IDLE_CUT_S, seconds_between
from annotation.selectors.watching import LEAST_CONSTANT, leases, rater_lines
from annotation.services import campaigns, claims, closing, raters
from tests.annotation.audits import frozen, judge_all, pair, person, say, take
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db
Kind = ItemEvent.Kind
CANARIES = {"stratum": "canary-stratum", "source": "canary-source", "model": "canary-model", "distance": 0.123456789}


def packet_of(n: int = LEAST_CONSTANT, *, text: str = "x" * 700) -> Packet:
    return frozen(rows=[{**pair(i, first=text), **CANARIES, "external_id": f"canary-{i}"} for i in range(n)])


def judge_each(rater: Rater, packet: Packet, *, seconds: float, label: str = "clearly") -> None:
    """Judge everything, so many seconds an item."""
    while (found := claims.next_assignment(rater=rater, packet=packet, now=NOW).assignment) is not None:
        claims.note_event(assignment=found, kind=Kind.SHOWN, now=NOW)
        say(found, label, now=NOW + timedelta(seconds=seconds))


def line_of(rater: Rater, packet: Packet, *, with_answers: bool = True) -> Any:
    return next(line for line in rater_lines(packet, with_answers=with_answers) if line.rater == rater)


def member(campaign: Campaign, role: str = CampaignMember.Role.OWNER) -> Any:
    user = UserFactory()
    campaigns.add_member(campaign=campaign, user=user, role=role, by=None, now=NOW)
    return user


def watch(user: Any, campaign: Campaign) -> str:
    client = Client()
    client.force_login(user)
    response = client.get(reverse("audits:watch", args=[campaign.slug]))
    assert response.status_code == 200
    return str(response.content.decode())


def at(seconds: float) -> Any:
    return NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("events", "seconds"),
    [
        ([(Kind.SHOWN, 0), (Kind.SUBMITTED, 9)], 9),
        ([(Kind.SHOWN, 0), (Kind.HIDDEN, 4), (Kind.BACK, 100), (Kind.SUBMITTED, 106)], 10),
        ([(Kind.SHOWN, 0), (Kind.SUBMITTED, 10_000)], IDLE_CUT_S),
        ([(Kind.SHOWN, 0), (Kind.SUBMITTED, 5), (Kind.BACK, 50), (Kind.SUBMITTED, 90)], 5),
        ([(Kind.SUBMITTED, 5)], None),
        ([(Kind.SHOWN, 0), (Kind.DRAFTED, 5)], None),
        ([], None),
    ],
)
def test_time_counts_while_the_page_is_seen_until_it_is_sent(events: Any, seconds: float | None) -> None:
    assert seconds_between([(kind, at(when)) for kind, when in events]) == seconds


def test_who_is_too_fast_or_constant_is_marked() -> None:
    packet = packet_of()
    hasty, careful = person(packet), person(packet)
    judge_each(hasty, packet, seconds=2)
    judge_each(careful, packet, seconds=30, label="not")

    line = line_of(hasty, packet)
    assert (line.is_fast, line.n_fast, line.n_timed, line.median_s) == (True, 10, 10, 2.0)
    assert line.constant == ("Use",)
    assert not line_of(careful, packet).is_fast


def test_fewer_answers_than_the_cut_off_are_not_constant() -> None:
    packet = packet_of(LEAST_CONSTANT - 1)
    rater = person(packet)
    judge_all(rater, packet)

    assert line_of(rater, packet).constant == ()


def test_a_lease_that_ends_soon_is_listed() -> None:
    packet = packet_of(2)
    rater = person(packet)
    take(rater, packet, NOW)

    assert leases(packet, now=NOW) == []
    (soon,) = leases(packet, now=NOW + timedelta(minutes=55))
    assert (soon.rater, soon.is_over) == (rater.code, False)
    assert leases(packet, now=NOW + timedelta(minutes=61))[0].is_over


def test_who_watches_and_judges_sees_progress_and_neither_hidden_fields_nor_answers() -> None:
    packet = packet_of()
    judge_each(person(packet), packet, seconds=30)
    owner = member(packet.campaign)
    owner.user_permissions.add(Permission.objects.get(codename="view_hidden"))
    assert "canary-stratum" in watch(owner, packet.campaign)
    assert "constant: Use" in watch(owner, packet.campaign)

    raters.add_account(campaign=packet.campaign, account=owner, by=None, now=timezone.now())
    page = watch(owner, packet.campaign)

    assert "canary" not in page
    assert "0.123456789" not in page
    assert "constant: Use" not in page
    assert "Clearly similar" not in page
    assert "10 of 20 judgements of people are there" in page


def test_no_page_of_the_team_shows_hidden_fields_before_unblinding_without_the_permission() -> None:
    packet = packet_of(3)
    owner = member(packet.campaign)
    for label in ("clearly", "not"):
        judge_all(person(packet), packet, label)
    client = Client()
    client.force_login(owner)
    names = ["campaign", "definition", "items", "raters", "judges", "watch", "lock", "adjudication", "exports"]
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    pages = [reverse(f"audits:{name}", args=[packet.campaign.slug]) for name in [*names, "unblind"]]
    pages += [reverse("audits:decide", args=[packet.campaign.slug, item.key, "use"]) for item in packet.items.all()]

    for address in pages:
        response = client.get(address, {"ordering": "hidden__stratum", "stratum": "canary-stratum", "page": "1"})
        assert "canary" not in response.content.decode(), address
        assert "0.123456789" not in response.content.decode(), address
    closing.unblind(campaign=packet.campaign, by=owner, now=NOW)
    assert "canary-stratum" in watch(owner, packet.campaign)
