"""The team's page of exports, and the admin's action."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from core import runs
from core.models import AuditEvent, Run
from studies.data import services
from studies.models import Study
from tests.factories import NOW, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def storage(settings: Any, tmp_path: Path) -> None:
    """A storage of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "files"


def browser(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(name: str, study: Study, *arguments: Any) -> str:
    return reverse(f"studies:{name}", args=[study.slug, *arguments])


@pytest.fixture
def export(study: Study) -> Run:
    """A finished export of the study."""
    run = services.start_export(study=study, formats=["csv"], by=None, now=NOW)
    found = runs.execute(run.pk)
    assert found is not None
    return found


def addresses(study: Study, export: Run) -> list[tuple[str, str]]:
    return [
        ("get", url("exports", study)),
        ("post", url("export-start", study)),
        ("get", url("export-progress", study, export.public_id)),
        ("get", url("export-download", study, export.public_id)),
    ]


def test_strangers_get_404_and_others_of_the_team_403(
    study: Study, export: Run, stranger: Any, moderator: Any, annotator: Any
) -> None:
    for method, address in addresses(study, export):
        assert getattr(browser(stranger), method)(address).status_code == 404
        assert getattr(browser(moderator), method)(address).status_code == 403
        assert getattr(browser(annotator), method)(address).status_code == 403
        assert getattr(Client(), method)(address)["Location"].startswith(reverse("admin:login"))


def test_an_export_of_another_study_is_404(study: Study, export: Run) -> None:
    member = MembershipFactory(role="owner")

    for name in ("export-progress", "export-download"):
        assert browser(member.user).get(url(name, member.study, export.public_id)).status_code == 404


def test_an_analyst_asks_for_an_export_and_takes_it(study: Study, colleague: Any) -> None:
    client = browser(colleague)
    assert "Export" in client.get(url("exports", study)).content.decode()

    client.post(url("export-start", study), {"formats": ["csv", "jsonl"]})
    run = Run.objects.get(kind="export")
    page = client.get(url("exports", study))
    assert f'hx-get="{url("export-progress", study, run.public_id)}"' in page.content.decode()
    assert (run.created_by, run.parameters["formats"]) == (colleague, ["csv", "jsonl"])

    runs.execute(run.pk)
    page = client.get(url("exports", study)).content.decode()
    assert url("export-download", study, run.public_id) in page
    response = client.get(url("export-download", study, run.public_id))
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"].startswith(f'attachment; filename="{study.slug}-')
    assert any(name.endswith("/votes.csv") for name in zipfile.ZipFile(io.BytesIO(content)).namelist())
    assert AuditEvent.objects.filter(event="study.export_downloaded", by=colleague).exists()


def test_a_choice_of_nothing_is_explained(study: Study, colleague: Any) -> None:
    response = browser(colleague).post(url("export-start", study), {})

    assert response.status_code == 422
    assert "This field is required" in response.content.decode()
    assert not Run.objects.exists()


def test_recruiters_ids_are_offered_with_the_permission_alone(study: Study, colleague: Any) -> None:
    client = browser(colleague)
    assert "include_external_ids" not in client.get(url("exports", study)).content.decode()
    client.post(url("export-start", study), {"formats": ["csv"], "include_external_ids": "on"})
    assert not Run.objects.get().parameters["include_external_ids"]

    colleague.user_permissions.add(Permission.objects.get(codename="export_externalidentity"))
    assert "include_external_ids" in client.get(url("exports", study)).content.decode()
    client.post(url("export-start", study), {"formats": ["csv"], "include_external_ids": "on"})
    assert Run.objects.latest("pk").parameters["include_external_ids"]


def test_progress_is_a_fragment_that_ends_on_the_page(study: Study, colleague: Any) -> None:
    run = services.start_export(study=study, formats=["csv"], by=None, now=NOW)
    client = browser(colleague)
    address = url("export-progress", study, run.public_id)

    waiting = client.get(address, headers={"HX-Request": "true"})
    assert "<html" not in waiting.content.decode()
    assert "Waiting for a worker" in waiting.content.decode()
    assert "HX-Redirect" not in waiting

    runs.execute(run.pk)
    assert client.get(address, headers={"HX-Request": "true"})["HX-Redirect"] == url("exports", study)
    assert "<html" in client.get(address).content.decode()


def test_an_archive_that_is_gone_leads_back_with_a_word(study: Study, export: Run, colleague: Any) -> None:
    from django.core.files.storage import default_storage

    default_storage.delete(export.result["file"])  # type: ignore[index]

    page = browser(colleague).get(url("export-download", study, export.public_id), follow=True)

    assert page.redirect_chain[0][0] == url("exports", study)
    assert "not there any more" in page.content.decode()


def test_a_failed_export_says_why(study: Study, colleague: Any) -> None:
    run = services.start_export(study=study, formats=["csv"], by=None, now=NOW)
    Run.objects.filter(pk=run.pk).update(status="failed", finished_at=NOW, error="The disk is full.")

    assert "The disk is full." in browser(colleague).get(url("exports", study)).content.decode()


def test_the_bar_of_the_study_leads_to_exports_for_those_who_may(study: Study, colleague: Any, moderator: Any) -> None:
    assert url("exports", study) in browser(colleague).get(url("study", study)).content.decode()
    assert url("exports", study) not in browser(moderator).get(url("study", study)).content.decode()


def test_the_admins_action_asks_for_an_export(study: Study) -> None:
    olga = UserFactory(is_staff=True)
    MembershipFactory(study=study, user=olga, role="analyst")
    foreign = MembershipFactory(user=olga, role="moderator").study
    data = {"action": "export", "_selected_action": [study.pk, foreign.pk]}

    page = browser(olga).post(reverse("admin:studies_study_changelist"), data, follow=True).content.decode()

    assert [run.subject_id for run in Run.objects.filter(kind="export")] == [str(study.public_id)]
    assert url("exports", study) in page
    assert "your role in this study does not allow this" in page
