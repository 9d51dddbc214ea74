"""The home page shows a researcher their studies and a stranger none."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studies.models import Membership, Study


@pytest.fixture
def study() -> Study:
    return Study.objects.create(slug="public-life", title="Views of public life")


@pytest.mark.django_db
def test_a_stranger_sees_where_to_log_in_and_no_study(client: Client, study: Study) -> None:
    page = client.get("/").content.decode()

    assert "/admin/login/" in page
    assert study.title not in page


@pytest.mark.django_db
@pytest.mark.parametrize("is_member", [True, False], ids=["member", "colleague"])
def test_a_researcher_sees_their_own_studies_only(is_member: bool, client: Client, study: Study) -> None:
    user = User.objects.create_user("r")
    if is_member:
        Membership.objects.create(study=study, user=user, role=Membership.Role.OWNER)
    client.force_login(user)

    assert (study.title in client.get("/").content.decode()) is is_member


@pytest.mark.django_db
def test_an_annotator_is_not_led_to_pages_that_refuse_them(client: Client, study: Study) -> None:
    user = User.objects.create_user("a")
    Membership.objects.create(study=study, user=user, role=Membership.Role.ANNOTATOR)
    client.force_login(user)

    assert study.title not in client.get("/").content.decode()
