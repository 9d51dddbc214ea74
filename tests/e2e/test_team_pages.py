"""The pages of the team: no broken policy, nobody else's server, accessible, and nothing sideways on a phone."""

from __future__ import annotations

import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import AbstractUser
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from clustering.services import start_scores
from core import runs
from core.models import Run
from studies.models import Study
from studies.services import clone_study
from tests.e2e.conftest import OpenWindow, sign_in
from tests.e2e.planting import RUN_SETTINGS, planted_study
from tests.e2e.watching import Watch, axe_findings, sideways
from tests.factories import UserFactory

pytestmark = pytest.mark.e2e


@pytest.fixture
def admin(live_server: Any) -> AbstractUser:
    return UserFactory(username="admin", is_superuser=True, is_staff=True)


@pytest.fixture
def desk(open_window: OpenWindow, admin: AbstractUser, live_server: Any) -> Watch:
    """A window at a desk, signed in."""
    watch = open_window(viewport={"width": 1280, "height": 900})
    sign_in(watch, admin, live_server)
    return watch


def wrong_with(tab: Page, address: str) -> list[str]:
    """What is wrong with our page at `address`, in light and dark, and on the smallest phone."""
    tab.goto(address)
    tab.evaluate("() => document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
    wrong = axe_findings(tab)
    tab.emulate_media(color_scheme="dark")
    wrong += axe_findings(tab)
    tab.emulate_media(color_scheme="light")
    desk = tab.viewport_size
    assert desk is not None
    tab.set_viewport_size({"width": 320, "height": 568})
    if beyond := sideways(tab):
        wrong.append(f"{beyond} px are beyond the page")
    tab.set_viewport_size(desk)
    return wrong


def wrong_among(tab: Page, addresses: list[str]) -> dict[str, list[str]]:
    """The pages with which something is wrong, and what."""
    found = {address: wrong_with(tab, address) for address in addresses}
    return {address: wrong for address, wrong in found.items() if wrong}


def test_pages_before_somebody_is_signed_in(window: Watch) -> None:
    tab = window.context.new_page()

    assert wrong_among(tab, ["/"]) == {}
    tab.goto("/studies/")
    expect(tab.get_by_label("Password")).to_be_visible()


def test_the_pages_of_studies(desk: Watch, admin: AbstractUser, live_server: Any) -> None:
    study = planted_study()
    draft = clone_study(study=study, slug="the-draft", title="The draft", by=admin, now=timezone.now())
    tab = desk.context.new_page()
    addresses = [
        "/",
        reverse("studies:list"),
        *(reverse(f"studies:{name}", args=[each.slug]) for each in (study, draft) for name in ("study", "import")),
        reverse("studies:exports", args=[study.slug]),
        reverse("clustering:results", args=[study.slug]),
        reverse("clustering:runs", args=[study.slug]),
    ]

    assert wrong_among(tab, addresses) == {}


def test_forms_with_errors(desk: Watch, live_server: Any) -> None:
    study = planted_study()
    tab = desk.context.new_page()
    tab.goto(reverse("clustering:results", args=[study.slug]))
    tab.click("text=Settings")
    tab.uncheck("#id_origins_0")
    tab.uncheck("#id_origins_1")
    tab.get_by_role("button", name="Compute").click()
    expect(tab.locator("main .errorlist").first).to_be_visible()
    wrong = axe_findings(tab)
    tab.goto(reverse("studies:list"))
    tab.set_input_files("#id_file", {"name": "s.yaml", "mimeType": "text/yaml", "buffer": b"slug: yes\nslug: no\n"})
    tab.get_by_role("button", name="Upload").click()
    expect(tab.locator(".error-summary")).to_contain_text("Nothing was written")

    assert wrong + axe_findings(tab) == []
    assert not Run.objects.exists()


def test_the_pages_of_results(desk: Watch, live_server: Any) -> None:
    study = planted_study()
    queued = start_scores(study=study, by=None, **RUN_SETTINGS)
    tab = desk.context.new_page()
    results = reverse("clustering:results", args=[study.slug])
    assert wrong_among(tab, [results]) == {}
    tab.goto("about:blank")
    runs.execute(queued.pk)
    addresses = [
        results,
        reverse("clustering:question", args=[study.slug, "q1"]),
        reverse("clustering:runs", args=[study.slug]),
        reverse("clustering:run", args=[study.slug, queued.public_id]),
        reverse("clustering:progress", args=[study.slug, queued.public_id]),
    ]

    assert wrong_among(tab, addresses) == {}


def test_an_export_is_started_watched_and_downloaded(desk: Watch, live_server: Any) -> None:
    study = planted_study()
    exports = reverse("studies:exports", args=[study.slug])
    tab = desk.context.new_page()
    tab.goto(exports)
    tab.get_by_role("button", name="Export").click()
    expect(tab.locator("progress")).to_be_visible()
    runs.execute(Run.objects.get().pk)
    archive = tab.get_by_role("link", name="Download")
    expect(archive).to_be_visible()
    with tab.expect_download() as download:
        archive.click()

    assert zipfile.is_zipfile(download.value.path())
    assert wrong_among(tab, [exports]) == {}


@pytest.mark.parametrize("has_script", [True, False], ids=["with scripts", "without"])
def test_the_stock_admin_breaks_no_policy(
    has_script: bool, open_window: OpenWindow, admin: AbstractUser, live_server: Any
) -> None:
    """Its own findings by axe are Django's to mend; ours is that the policy does not break it."""
    study = planted_study()
    clone_study(study=study, slug="the-draft", title="The draft", by=admin, now=timezone.now())
    watch = open_window(java_script_enabled=has_script)
    tab = watch.context.new_page()
    tab.goto(reverse("admin:login"))
    tab.fill("#id_username", "admin")
    tab.fill("#id_password", "password")
    tab.click("[type=submit]")
    expect(tab.locator("#site-name")).to_contain_text("Polyphony")
    names = ("enrolment", "freeresponse", "question", "representationrating", "study", "studyversion")
    addresses = [reverse(f"admin:studies_{name}_changelist") for name in names]
    addresses += [reverse(f"admin:voting_{name}_changelist") for name in ("statement", "vote", "exposure")]
    addresses += [reverse("admin:studies_study_change", args=[each.pk]) for each in Study.objects.all()]
    addresses += [reverse("admin:studies_study_add"), reverse("admin:index"), reverse("admin:auth_user_add")]
    for address in addresses:
        response = tab.goto(address)
        assert response is not None
        assert response.status == 200, address
        assert tab.locator("#content").is_visible()
