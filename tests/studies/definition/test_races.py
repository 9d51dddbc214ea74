"""Two people of a team acting at the same moment, on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import DomainError
from studies import services
from studies.definition import load_bytes
from studies.models import Membership, Study, StudyVersion
from tests.racing import at_once
from tests.studies.definition.adminpage import posted_back
from tests.studies.definition.conftest import WHOLE

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]
NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)


def outcome_of(act: Any) -> str:
    try:
        act()
    except DomainError as error:
        return error.code
    return "done"


def publish(_n: int) -> str:
    study = Study.objects.get()
    return outcome_of(lambda: services.publish_study(study=study, by=None, now=NOW))


def test_a_study_published_by_several_at_once_has_one_version() -> None:
    services.apply_definition(definition=load_bytes(WHOLE.encode(), "study.yaml"), by=None, now=NOW)

    outcomes = at_once(publish, list(range(6)))

    assert sorted(outcomes) == ["conflict"] * 5 + ["done"]
    assert StudyVersion.objects.count() == 1


def create(_n: int) -> str:
    return outcome_of(lambda: services.create_study(slug="parks", title="Parks", by=None, now=NOW))


def test_a_slug_taken_by_several_at_once_is_one_study() -> None:
    outcomes = at_once(create, list(range(6)))

    assert sorted(outcomes) == ["done"] + ["slug_taken"] * 5
    assert Study.objects.count() == 1


def test_a_draft_saved_while_it_is_published_stays_published(django_user_model: Any) -> None:
    olga = django_user_model.objects.create_user("olga", is_staff=True)
    definition = load_bytes(WHOLE.encode(), "study.yaml")
    study, _is_new = services.apply_definition(definition=definition, by=olga, now=NOW)
    assert Membership.objects.get().user == olga
    page = reverse("admin:studies_study_change", args=[study.pk])
    client = Client()
    client.force_login(olga)
    data = posted_back(client.get(page)) | {"title": "A new title"}

    def act(who: str) -> Any:
        return publish(0) if who == "publish" else client.post(page, data).status_code

    outcomes = at_once(act, ["publish", *["save"] * 3])

    # One save may come before the publication; the others are told that somebody was faster, on the page itself.
    assert outcomes[0] == "done"
    assert outcomes[1:].count(302) <= 1
    assert set(outcomes[1:]) <= {200, 302}
    study.refresh_from_db()
    assert study.status == Study.Status.OPEN
    assert study.current_version is not None
    assert study.current_version.definition["title"] == study.title
