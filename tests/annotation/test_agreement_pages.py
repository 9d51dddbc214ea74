"""The report on a page of the team, and its files."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.urls import reverse

from annotation.models import CampaignMember
from annotation.selectors import reports
from annotation.services import agreeing, campaigns
from core.runs import execute
from tests.annotation.test_agreement_campaigns import judged, unblinded
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(settings, tmp_path):
    settings.MEDIA_ROOT = str(tmp_path)
    return unblinded(judged())


@pytest.fixture
def analyst(campaign, client):
    user = UserFactory()
    campaigns.add_member(campaign=campaign, user=user, role=CampaignMember.Role.ANALYST, by=None, now=NOW)
    client.force_login(user)
    return client


def computed(campaign):
    run = execute(agreeing.queue(campaign=campaign, by=None, now=NOW, replicates=20).pk)
    assert run.error == ""
    return run


def test_the_button_queues_a_report_and_the_page_shows_it(analyst, campaign) -> None:
    page = reverse("audits:report", args=[campaign.slug])
    assert b"Compute the report" in analyst.get(page).content
    answer = analyst.post(reverse("audits:report-start", args=[campaign.slug]))
    assert answer.status_code == 302
    run = reports.reports_of(campaign).get()
    following = analyst.get(reverse("audits:report-progress", args=[campaign.slug, run.public_id]))
    assert "HX-Redirect" not in following.headers
    assert execute(run.pk).error == ""
    content = analyst.get(page).content.decode()
    assert "Strict matches" in content
    assert "covered_near; all" in content
    assert "<svg" in content


def test_its_files_hold_the_same_numbers(analyst, campaign) -> None:
    run = computed(campaign)
    files = {
        form: analyst.get(reverse("audits:report-file", args=[campaign.slug, run.public_id, form]))
        for form in ("json", "csv", "html")
    }
    document = json.loads(files["json"].content)
    assert document["sha256"] == run.result["sha256"]
    assert files["csv"].content.decode().startswith("dimension,stratum,raters,")
    page = files["html"].content.decode()
    assert document["sha256"] in page
    assert not any(word in page for word in ("<script", "src=", "href=", "url(", "@import"))
    archive = analyst.get(reverse("audits:report-archive", args=[campaign.slug, run.public_id]))
    with zipfile.ZipFile(io.BytesIO(b"".join(archive.streaming_content))) as packed:
        assert {"agreement/matrix.csv", "agreement/estimates.parquet"} <= set(packed.namelist())
        assert packed.read("agreement/estimates.csv") == files["csv"].content
        header, *rows = packed.read("agreement/matrix.csv").decode().splitlines()
    assert header.startswith("dimension,item,stratum,unit,is_repetition,n_labels,is_pairable,is_complete,")
    assert len(rows) == 6


def test_strangers_and_those_of_other_audits_find_nothing(client, campaign) -> None:
    run = computed(campaign)
    client.force_login(UserFactory())
    for name, arguments in (
        ("report", []),
        ("report-run", [run.public_id]),
        ("report-progress", [run.public_id]),
        ("report-archive", [run.public_id]),
        ("report-file", [run.public_id, "json"]),
    ):
        assert client.get(reverse(f"audits:{name}", args=[campaign.slug, *arguments])).status_code == 404
    assert client.post(reverse("audits:report-start", args=[campaign.slug])).status_code == 404


def test_a_run_of_another_audit_is_not_there(analyst, campaign) -> None:
    other = computed(unblinded(judged(2, with_model=False)))
    assert analyst.get(reverse("audits:report-run", args=[campaign.slug, other.public_id])).status_code == 404
