"""The admin shows a team its campaigns, writes by services alone and answers nothing about hidden fields."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign, Rater
from annotation.services import campaigns, closing, raters
from studies.models import Study
from tests.annotation.audits import add_items, frozen, new_campaign, pair, person
from tests.factories import NOW, StudyFactory, UserFactory

pytestmark = pytest.mark.django_db
LISTS = ("campaign", "packet", "item", "rater", "hiddenfields")


def staff(campaign: Campaign | None = None, role: str = "owner") -> Client:
    user = UserFactory(is_staff=True)
    if campaign is not None:
        campaigns.add_member(campaign=campaign, user=user, role=role, by=None, now=NOW)
    client = Client()
    client.force_login(user)
    client.user = user
    return client


def rows(client: Client, name: str, query: str = "") -> int:
    response = client.get(reverse(f"admin:annotation_{name}_changelist") + query)
    assert response.status_code == 200
    return response.context["cl"].result_count


def act(client: Client, name: str, action: str, *pks: int) -> str:
    data = {"action": action, "_selected_action": pks}
    response = client.post(reverse(f"admin:annotation_{name}_changelist"), data, follow=True)
    return response.content.decode()


def test_strangers_see_no_rows_and_the_team_sees_its_own() -> None:
    packet = frozen(n=3)
    person(packet)
    frozen(n=2)

    assert [rows(staff(), name) for name in LISTS] == [0] * 5
    assert [rows(staff(packet.campaign), name) for name in LISTS] == [1, 1, 3, 1, 0]


def test_hidden_fields_need_the_permission_or_the_unblinding() -> None:
    packet = frozen(n=3)
    client = staff(packet.campaign, "analyst")
    client.user.user_permissions.add(Permission.objects.get(codename="view_hidden"))
    assert rows(client, "hiddenfields") == 3
    raters.add_account(campaign=packet.campaign, account=client.user, by=None, now=NOW)
    assert rows(client, "hiddenfields") == 0

    closing.lock(campaign=packet.campaign, by=client.user, now=NOW, override_reason="A test.")
    closing.unblind(campaign=packet.campaign, by=client.user, now=NOW)

    assert rows(client, "hiddenfields") == 3


@pytest.mark.parametrize(
    "query", ["?hidden__stratum=covered_near", "?hidden__is_covered=1", "?texts__origin__source=x"]
)
def test_items_cannot_be_asked_by_what_is_hidden(query: str) -> None:
    packet = frozen(n=3)
    response = staff(packet.campaign).get(reverse("admin:annotation_item_changelist") + query)

    assert response.status_code == 400


def test_owners_freeze_and_pause_and_others_do_not() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1)])
    assert "only owners" in act(staff(campaign, "watcher"), "campaign", "freeze", campaign.pk)
    owner = staff(campaign)

    act(owner, "campaign", "freeze", campaign.pk)
    assert "is frozen" in act(owner, "campaign", "freeze", campaign.pk)
    act(owner, "campaign", "pause", campaign.pk)

    campaign.refresh_from_db()
    assert campaign.current_packet is not None
    assert campaign.paused_at is not None
    act(owner, "campaign", "resume", campaign.pk)
    campaign.refresh_from_db()
    assert campaign.paused_at is None


def test_owners_end_the_work_of_raters() -> None:
    packet = frozen()
    rater = person(packet)
    assert "only owners" in act(staff(packet.campaign, "analyst"), "rater", "remove", rater.pk)
    act(staff(packet.campaign), "rater", "remove", rater.pk)

    assert Rater.objects.get().removed_at is not None


def test_a_study_counts_its_audits() -> None:
    from annotation.module import summary

    study: Study = StudyFactory()
    assert summary(study) == []
    new_campaign(study=study.slug)
    assert [n for _name, n in summary(study)] == [1]
