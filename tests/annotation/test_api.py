"""Audits for programs: what a team reads, and that nobody who judges learns what is hidden."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Campaign, CampaignMember, Packet
from annotation.services import campaigns, closing, raters
from tests.annotation.audits import frozen, judge_all, pair, person
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db

CANARIES = {"stratum": "canary-stratum", "source": "canary-source", "model": "canary-model", "distance": 0.123456789}
PATHS = ["audits", "audit-items", "audit-judgements"]


@pytest.fixture
def packet(db: None) -> Packet:
    return frozen(rows=[{**pair(i), **CANARIES, "external_id": f"canary-{i}"} for i in range(2)], raters_per_item=1)


def owner_of(campaign: Campaign) -> Any:
    user = UserFactory()
    campaigns.add_member(campaign=campaign, user=user, role=CampaignMember.Role.OWNER, by=None, now=NOW)
    return user


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rows(client: Client, path: str, **asked: str) -> list[dict[str, Any]]:
    response = client.get(f"/api/v1/{path}/", asked)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def test_a_team_reads_its_audit_and_after_the_lock_the_answers(packet: Packet) -> None:
    client = client_of(owner_of(packet.campaign))
    rater = person(packet)
    judge_all(rater, packet)

    assert rows(client, "audits")[0]["stage"] == "judging"
    assert [row["texts"]["first"] for row in rows(client, "audit-items")] == ["first text 0", "first text 1"]
    assert rows(client, "audit-judgements") == []
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    found = rows(client, "audit-judgements", audit=packet.campaign.slug)

    assert {(row["rater"], row["label"]) for row in found} == {(rater.code, "clearly")}


def test_hidden_fields_are_there_after_unblinding(packet: Packet) -> None:
    owner = owner_of(packet.campaign)
    client = client_of(owner)
    assert {row["hidden"] for row in rows(client, "audit-items")} == {None}
    judge_all(person(packet), packet)
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    closing.unblind(campaign=packet.campaign, by=owner, now=NOW)

    assert {row["hidden"]["stratum"] for row in rows(client, "audit-items")} == {"canary-stratum"}


def test_an_owner_who_judges_gets_nothing_hidden_by_any_way_of_asking(packet: Packet) -> None:
    owner = owner_of(packet.campaign)
    raters.add_account(campaign=packet.campaign, account=owner, by=None, now=NOW)
    client = client_of(owner)
    judge_all(person(packet), packet)
    ways = [f"/api/v1/{path}/" for path in PATHS] + [f"/api/v1/audits/{packet.campaign.slug}/"]

    for way in ways:
        for response in (client.get(way), client.options(way), client.get(way, {"audit": "canary-0"})):
            assert "canary" not in response.content.decode().replace('"audit":"canary-0"', "")
            assert "0.123456789" not in response.content.decode()
            assert not any("canary" in value for value in response.headers.values())


@pytest.mark.parametrize("path", PATHS)
def test_sorting_and_filtering_by_what_is_hidden_is_refused_alike_for_every_value(path: str, packet: Packet) -> None:
    client = client_of(owner_of(packet.campaign))
    asked = [
        {"ordering": "hidden__stratum"},
        {"ordering": "nothing"},
        {"hidden__stratum": "canary-stratum"},
        {"hidden__stratum": "another"},
        {"stratum": "canary-stratum"},
        {"search": "canary"},
    ]
    answers = {(r.status_code, r.content) for r in (client.get(f"/api/v1/{path}/", each) for each in asked)}

    assert len(answers) == 1
    assert next(iter(answers))[0] == 400


def test_strangers_and_raters_find_nothing(packet: Packet) -> None:
    for user in (UserFactory(is_staff=True), person(packet).account):
        client = client_of(user)
        assert [rows(client, path) for path in PATHS] == [[], [], []]
        assert client.get(f"/api/v1/audits/{packet.campaign.slug}/").status_code == 404
    assert Client().get("/api/v1/audits/").status_code in {401, 403}
