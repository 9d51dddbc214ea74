"""The team of a study in the admin goes through the services, and so do the acts that owners alone may do."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from core.models import AuditEvent
from studies.models import ExternalIdentity, ModelAnswer, Study
from tests import factories
from tests.studies.definition.adminpage import posted_back


@pytest.fixture
def owner(researcher: Any) -> Client:
    """A browser of who owns `study` and works in the admin."""
    return working(researcher)


def working(user: Any) -> Client:
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    return client


def team_of(study: Study) -> dict[str, str]:
    return dict(study.memberships.values_list("user__username", "role"))


def save_team(client: Client, study: Study, *rows: tuple[str, str], deleted: tuple[str, ...] = ()) -> Any:
    """Save the study's page with these rows in the order of the present ones, then new ones."""
    address = reverse("admin:studies_study_change", args=[study.pk])
    data = posted_back(client.get(address))
    for n, (username, role) in enumerate(rows):
        data |= {f"memberships-{n}-username": username, f"memberships-{n}-role": role}
        data |= {f"memberships-{n}-study": str(study.pk)}
        data |= {f"memberships-{n}-DELETE": "on"} if username in deleted else {}
    data["memberships-TOTAL_FORMS"] = str(len(rows))
    return client.post(address, data)


def events() -> list[str]:
    return [event for event in AuditEvent.objects.order_by("pk").values_list("event", flat=True) if "member" in event]


def test_a_team_is_changed_by_the_services(study: Study, owner: Client, researcher: Any) -> None:
    ann, ben = factories.UserFactory(username="ann"), factories.UserFactory(username="ben")
    me = researcher.get_username()

    save_team(owner, study, (me, "owner"), ("ann", "editor"))
    assert team_of(study) == {me: "owner", "ann": "editor"}
    assert events() == ["study.member_added"]

    # The row that was Ann's now names Ben.
    save_team(owner, study, (me, "owner"), ("ben", "analyst"))
    assert team_of(study) == {me: "owner", "ben": "analyst"}
    assert events() == ["study.member_added"] * 2 + ["study.member_removed"]
    assert AuditEvent.objects.filter(event="study.member_removed").get().detail == {"user": ann.pk}

    save_team(owner, study, (me, "owner"), ("ben", "analyst"), deleted=("ben",))
    assert team_of(study) == {me: "owner"}
    assert not study.memberships.filter(user=ben).exists()


def test_ownership_is_handed_over_in_one_step(study: Study, owner: Client, researcher: Any) -> None:
    factories.UserFactory(username="ann")

    saved = save_team(owner, study, (researcher.get_username(), "analyst"), ("ann", "owner"))

    assert saved.status_code == 302
    assert team_of(study) == {researcher.get_username(): "analyst", "ann": "owner"}


@pytest.mark.parametrize("how", ["demoted", "removed"])
def test_the_last_owner_stays_and_the_page_says_so(study: Study, owner: Client, researcher: Any, how: str) -> None:
    me = researcher.get_username()
    row = (me, "editor") if how == "demoted" else (me, "owner")

    answer = save_team(owner, study, row, deleted=(me,) if how == "removed" else ())

    assert "at least one owner" in answer.content.decode()
    assert team_of(study) == {me: "owner"}
    assert not events()


def delete_ids(client: Client, study: Study, *, confirmed: bool = True) -> Any:
    data = {"action": "delete_external_ids", "_selected_action": [study.pk]}
    data |= {"confirmed": "yes"} if confirmed else {}
    return client.post(reverse("admin:studies_study_changelist"), data, follow=True)


def let_identify(user: Any) -> None:
    user.user_permissions.add(Permission.objects.get(codename="export_externalidentity"))


def test_owners_delete_recruiters_ids_once_they_said_yes(study: Study, owner: Client, researcher: Any) -> None:
    factories.ExternalIdentityFactory(enrolment__study=study, study=study)
    let_identify(researcher)

    assert "Pause or close" in delete_ids(owner, study).content.decode()
    Study.objects.update(status="closed")
    assert "Are you sure?" in delete_ids(owner, study, confirmed=False).content.decode()
    assert ExternalIdentity.objects.exists()

    delete_ids(owner, study)
    assert not ExternalIdentity.objects.exists()


def test_without_the_permission_nobody_deletes_recruiters_ids(study: Study, owner: Client) -> None:
    factories.ExternalIdentityFactory(enrolment__study=study, study=study)
    Study.objects.update(status="closed")

    delete_ids(owner, study)

    assert ExternalIdentity.objects.exists()
    assert "delete_external_ids" not in owner.get(reverse("admin:studies_study_changelist")).content.decode()


def test_who_does_not_own_the_study_deletes_no_ids(study: Study) -> None:
    factories.ExternalIdentityFactory(enrolment__study=study, study=study)
    Study.objects.update(status="closed")
    editor = factories.MembershipFactory(study=study, role="editor").user
    let_identify(editor)

    answer = delete_ids(working(editor), study)

    assert "your role in this study does not allow this" in answer.content.decode()
    assert ExternalIdentity.objects.exists()


def test_an_answer_does_not_leave_a_study_that_was_published_meanwhile(
    study: Study, researcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = working(researcher)
    drafts = [factories.MembershipFactory(user=researcher, role="owner").study for _n in range(2)]
    questions = [factories.QuestionFactory(study=draft) for draft in drafts]
    sources = [factories.SourceFactory(study=draft) for draft in drafts]
    answer = factories.ModelAnswerFactory(question=questions[0], source=sources[0])
    address = reverse("admin:studies_modelanswer_change", args=[answer.pk])
    data = {"question": questions[1].pk, "source": sources[1].pk, "text": "Moved."}
    # The page is allowed while both are drafts; the study is published before the form is checked.
    monkeypatch.setattr("studies.admin_content.ModelAnswerAdmin.has_change_permission", lambda *_args: True)
    Study.objects.filter(pk=drafts[0].pk).update(status="open", current_version=study.current_version)

    refused = client.post(address, data)
    assert "has been published" in refused.content.decode()
    assert ModelAnswer.objects.get(pk=answer.pk).question == questions[0]

    Study.objects.filter(pk=drafts[0].pk).update(status="draft")
    assert client.post(address, data).status_code == 302
    assert ModelAnswer.objects.get(pk=answer.pk).question == questions[1]
