"""The team's pages from a new audit to its end: by the services, for those who may."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from annotation.models import Adjudication, Campaign, CampaignMember, Invitation, Item, Judgement, Packet, Rater
from annotation.services import campaigns, closing
from core.models import AuditEvent
from tests.annotation.audits import frozen, jsonl, judge, judge_all, new_campaign, pair, person
from tests.core.fake_endpoint import FakeEndpoint
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db
Role = CampaignMember.Role


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def member(campaign: Campaign, role: str) -> Any:
    """An account with a role in the team."""
    user = UserFactory()
    campaigns.add_member(campaign=campaign, user=user, role=role, by=None, now=NOW)
    return user


def url(name: str, campaign: Campaign, *more: Any) -> str:
    return reverse(f"audits:{name}", args=[campaign.slug, *more])


def text_of(response: Any) -> str:
    """What a page says, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def table(rows: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile("items.jsonl", jsonl(rows))


def test_an_audit_goes_from_new_to_unblinded_on_the_pages() -> None:
    owner = UserFactory(is_staff=True)
    client = client_of(owner)

    made = client.post(reverse("audits:create"), {"kind": "pairwise", "title": "Mine", "slug": "mine", "study": ""})
    campaign = Campaign.objects.get(slug="mine")
    assert made.headers["Location"] == url("campaign", campaign)
    assert "Before the draft can be frozen" in text_of(client.get(url("campaign", campaign)))

    rows = [pair(i, stratum=("near", "far")[i % 2]) for i in range(2)]
    shown = client.post(url("items-import", campaign), {"file": table(rows), "dry_run": "on"})
    assert "2 items: 2 new" in text_of(shown)
    assert not Item.objects.exists()
    client.post(url("items-import", campaign), {"file": table(rows)})
    assert Item.objects.count() == 2

    assert "2 items \u00d7 2 raters = 4" in text_of(client.get(url("freeze", campaign)))
    client.post(url("freeze", campaign))
    packet = Packet.objects.get(campaign=campaign)
    assert packet.sha256[:16] in text_of(client.get(url("campaign", campaign)))

    link = client.post(url("invite", campaign), {"name": "Students", "limit": 3, "days": 7})
    assert "/judge/mine/invitation/" in link.content.decode()
    assert "/judge/mine/invitation/" not in client.get(url("raters", campaign)).content.decode()
    packet.campaign.refresh_from_db()
    first, second = person(packet), person(packet)
    judge_all(first, packet)
    refused = client.post(url("lock", campaign), {"override_reason": ""})
    assert refused.status_code == 422
    assert "2 of 4 judgements of people are there" in text_of(refused)
    judge_all(second, packet, "not")
    client.post(url("lock", campaign), {"override_reason": ""})

    disagreements = client.get(url("adjudication", campaign))
    assert "2 of 2 are undecided" in text_of(disagreements)
    item = Item.objects.order_by("key")[0]
    decide = url("decide", campaign, item.key, "use")
    assert first.code in text_of(client.get(decide))
    assert client.post(decide, {"label": "partly", "reason": ""}).status_code == 422
    client.post(decide, {"label": "partly", "reason": "Half of it."})
    decision = Adjudication.objects.get()
    assert (decision.label.code, decision.author_name, decision.was_blind) == ("partly", owner.username, True)
    assert Judgement.objects.current().filter(assignment__item=item).count() == 2, "the raters' own stay"

    wrong = client.post(url("unblind", campaign), {"slug": "another"})
    assert wrong.status_code == 422
    client.post(url("unblind", campaign), {"slug": "mine"})
    page = text_of(client.get(url("campaign", campaign)))
    assert f"by {owner.username}" in page
    assert "those that were sealed" in page
    assert AuditEvent.objects.filter(event="audit.unblinded").count() == 1


def test_locking_what_is_incomplete_keeps_the_reason() -> None:
    packet = frozen()
    client = client_of(member(packet.campaign, Role.OWNER))

    client.post(url("lock", packet.campaign), {"override_reason": "Money ran out."})

    assert "Money ran out." in text_of(client.get(url("campaign", packet.campaign)))


PAGES = ["campaign", "definition", "items", "freeze", "raters", "judges", "watch", "lock", "unblind", "adjudication"]
POSTS = ["pause", "resume", "member-add", "member-remove", "items-import", "draw", "freeze", "amend", "rater-add"]
POSTS += ["invite", "judge-add", "answers", "lock", "unblind", "export-start"]


@pytest.mark.parametrize("name", [*PAGES, "exports"])
def test_a_stranger_and_a_rater_find_no_page(name: str) -> None:
    packet = frozen()
    rater = person(packet)

    for user in (UserFactory(), UserFactory(is_staff=True), rater.account):
        assert client_of(user).get(url(name, packet.campaign)).status_code == 404
    assert Client().get(url(name, packet.campaign)).status_code == 302


@pytest.mark.parametrize("name", POSTS)
def test_a_stranger_can_do_nothing_and_a_watcher_no_act_of_owners(name: str) -> None:
    packet = frozen()
    campaign = packet.campaign

    assert client_of(UserFactory()).post(url(name, campaign)).status_code == 404
    assert client_of(member(campaign, Role.WATCHER)).post(url(name, campaign)).status_code == 403
    campaign.refresh_from_db()
    assert campaign.paused_at is None
    assert Packet.objects.count() == 1


def test_every_address_of_the_team_is_in_these_lists() -> None:
    with_ids = {"revoke", "rater-remove", "judge", "judge-start", "judge-progress", "decide"}
    with_ids |= {"export-progress", "export-download"}
    without_campaign = {"list", "create", "load"}
    names = {pattern.name for pattern in _patterns() if not pattern.name.startswith("report")}

    assert names == {*PAGES, *POSTS, "exports"} | with_ids | without_campaign


def _patterns() -> list[Any]:
    """The addresses of the team's pages; those of the report have tests of their own."""
    resolver = next(each for each in get_resolver().url_patterns if getattr(each, "app_name", "") == "audits")
    return [each for each in resolver.url_patterns if isinstance(each, URLPattern)]


def test_ids_of_another_campaign_are_not_found(settings: Any) -> None:
    packet, other = frozen(), frozen()
    client = client_of(member(packet.campaign, Role.OWNER))
    rater, model = person(other), judge(other)
    invitation_page = client_of(member(other.campaign, Role.OWNER))
    invitation_page.post(url("invite", other.campaign), {"name": "x", "limit": 1, "days": 1})
    invitation = Invitation.objects.get()
    closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="a test")
    key = other.items.all()[0].key

    campaign = packet.campaign
    assert client.post(url("rater-remove", campaign, rater.public_id)).status_code == 404
    assert client.post(url("revoke", campaign, invitation.public_id)).status_code == 404
    assert client.get(url("judge", campaign, model.public_id)).status_code == 404
    assert client.post(url("judge-start", campaign, model.public_id)).status_code == 404
    assert client.get(url("judge-progress", campaign, model.public_id)).status_code == 404
    assert client.get(url("decide", campaign, key, "use")).status_code == 404
    rater.refresh_from_db()
    assert rater.is_active


def test_a_definition_is_downloaded_changed_and_uploaded() -> None:
    owner = UserFactory(is_staff=True)
    campaign = new_campaign(by=owner)
    client = client_of(owner)
    text = client.get(url("definition", campaign)).content.decode()
    changed = text.replace("title: Pairwise audit", "title: Another title")

    client.post(reverse("audits:load"), {"file": SimpleUploadedFile("a.yaml", changed.encode())})

    campaign.refresh_from_db()
    assert campaign.title == "Another title"


def test_nobody_changes_the_campaign_of_others_by_its_slug() -> None:
    campaign = new_campaign(by=UserFactory())
    other = client_of(UserFactory(is_staff=True))
    text = f"slug: {campaign.slug}\n".encode() + client_of(campaign.created_by).get(
        url("definition", campaign)
    ).content.replace(f"slug: {campaign.slug}\n".encode(), b"")

    refused = other.post(reverse("audits:load"), {"file": SimpleUploadedFile("a.yaml", text)})

    assert refused.status_code == 422
    assert "is taken already" in text_of(refused)


def test_who_may_not_read_a_study_draws_nothing_from_it(open_study_of_others: Any) -> None:
    client = client_of(UserFactory(is_staff=True))

    refused = client.post(
        reverse("audits:create"),
        {"kind": "pairwise", "title": "T", "slug": "mine", "study": open_study_of_others.slug},
    )

    assert refused.status_code == 422
    assert not Campaign.objects.exists()


@pytest.fixture
def open_study_of_others(db: None) -> Any:
    from tests.factories import published_study

    return published_study(n_questions=1)


def test_a_model_is_added_estimated_and_started(settings: Any) -> None:
    packet = frozen(n=2)
    client = client_of(member(packet.campaign, Role.OWNER))
    with FakeEndpoint() as fake:
        settings.ENDPOINTS = {"fake": fake.endpoint(input_price=1, output_price=1)}
        added = client.post(
            url("judge-add", packet.campaign),
            {"endpoint": "fake", "prompt": "Judge.", "parameters": '{"temperature": 0}', "attempts": 3},
        )
        rater = Rater.objects.get(kind="model")
        page = text_of(client.get(added.headers["Location"]))
        assert "Calls to make 2" in page
        assert "USD" in page
        client.post(url("judge-start", packet.campaign, rater.public_id))
        assert "Waiting for a worker" in text_of(client.get(url("judge", packet.campaign, rater.public_id)))
        bad = client.post(
            url("judge-add", packet.campaign),
            {"endpoint": "fake", "prompt": "Judge.", "parameters": '{"model": "x"}', "attempts": 3},
        )
        assert bad.status_code == 422


def test_answers_from_a_file_are_shown_and_then_taken() -> None:
    packet = frozen(n=1)
    client = client_of(member(packet.campaign, Role.OWNER))
    rows = [{"item": "aut-0", "rater": "M1", "kind": "model", "dimension": "use", "label": "partly"}]
    file = SimpleUploadedFile("answers.jsonl", jsonl(rows))

    shown = client.post(url("answers", packet.campaign), {"file": file, "dry_run": "on"})
    assert "1 answers: 1 new" in text_of(shown)
    assert not Judgement.objects.exists()
    file.seek(0)
    client.post(url("answers", packet.campaign), {"file": file})

    assert Judgement.objects.get().label.code == "partly"
    assert Rater.objects.get().kind == "model"
