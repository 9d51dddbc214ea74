"""Every kind of page a participant can meet, as really served: accessible, light and dark, on the smallest phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from studies.models import Enrolment, Study
from tests.e2e.conftest import OpenWindow, sign_in
from tests.e2e.driving import PROLIFIC, Person
from tests.e2e.watching import Watch, axe_findings, sideways
from tests.factories import BLOCKS_WITH_VOTES, FORM, MembershipFactory, StatementFactory, published_study

pytestmark = pytest.mark.e2e

SMALL = {"width": 320, "height": 568}
LONG = "https://example.org/" + "a-word-that-does-not-end" * 6
SCREENING = {
    "code": "lives_here",
    "kind": "single",
    "label": "Do you live here?",
    "options": [
        {"value": "yes", "label": "Yes", "screens_out": False},
        {"value": "no", "label": "No", "screens_out": True},
    ],
}

Look = Callable[[str], None]


@pytest.fixture
def small(open_window: OpenWindow) -> Watch:
    """A window of the smallest phone, on which broken links may be opened."""
    watch = open_window(viewport=SMALL)
    watch.allowed |= {400, 403, 404}
    return watch


@pytest.fixture
def tab(small: Watch) -> Page:
    return small.context.new_page()


@pytest.fixture
def look(tab: Page) -> Iterator[Look]:
    """Looks at the page on the screen in light and dark; what is wrong is told at the end, page by page."""
    found: dict[str, list[str]] = {}

    def look_at(name: str) -> None:
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            wrong = axe_findings(tab)
            if beyond := sideways(tab):
                wrong.append(f"{beyond} px are beyond the page")
            if wrong:
                found[f"{name}, {scheme}"] = wrong

    yield look_at
    assert found == {}


def study_to_look_at(**columns: Any) -> Study:
    """A short study with texts that do not fit on one line of a small phone."""
    given: dict[str, Any] = {"n_questions": 1, "n_answers": 2, "n_seeds": 1, "vote": {"minimum": 1}, **columns}
    study = published_study(
        blocks=BLOCKS_WITH_VOTES, form=[SCREENING, *FORM], contact=f"Study team, {LONG}", summary=LONG, **given
    )
    StatementFactory(question=study.questions.get(), text=LONG, code="long")
    return study


def test_the_pages_of_a_session(tab: Page, look: Look, live_server: Any) -> None:
    person = Person(tab, study_to_look_at().slug)
    person.arrive(**PROLIFIC)
    look("landing")
    person.answer()
    look("consent")
    person.answer()
    look("form")
    person.type("item-age", "7")
    person.go_on()
    look("form with errors")
    tab.fill("#item-age", "")
    person.go_on()
    look("write")
    person.type("text", "Too short")
    person.go_on()
    look("write with errors")
    tab.fill("#text", "")
    person.answer()
    look("instructions for rating")
    person.answer()
    look("rate")
    person.go_on()
    look("rate with errors")
    tab.click("summary")
    look("rate beside the own response")
    person.walk(until="vote")
    look("vote, first card")
    person.go_on("Agree")
    tab.click("summary")
    look("vote, after the minimum")
    person.go_on("Neutral")
    look("vote, nothing left")
    person.answer()
    look("end: complete")
    tab.click("text=Withdraw my answers")
    look("withdraw")
    person.go_on("Withdraw and erase my answers")
    look("end: withdrawn")

    assert Enrolment.objects.get().status == Enrolment.Status.WITHDRAWN


def test_the_other_ends_of_a_session(tab: Page, small: Watch, look: Look, live_server: Any) -> None:
    study = study_to_look_at()
    person = Person(tab, study.slug)
    person.start(**PROLIFIC)
    person.go_on("I do not agree")
    look("end: no consent")
    small.context.clear_cookies()
    person.start()
    person.answer()
    person.choose("item-lives_here-2")
    person.go_on()
    look("end: screened out")
    small.context.clear_cookies()
    person.start()
    Enrolment.objects.filter(status=Enrolment.Status.ACTIVE).update(expires_at=timezone.now() - timedelta(days=1))
    tab.reload()
    look("end: timed out")

    assert set(Enrolment.objects.values_list("status", flat=True)) == {"no_consent", "screened_out", "timed_out"}


def test_the_doors_of_a_study(tab: Page, small: Watch, look: Look, live_server: Any) -> None:
    study = study_to_look_at(places=1)
    person = Person(tab, study.slug)
    person.arrive(PROLIFIC_PID="{{%PROLIFIC_PID%}}")
    look("broken link")
    person.start(**PROLIFIC)
    link = tab.inner_text("#resume-link")
    small.context.clear_cookies()
    tab.goto(link)
    look("personal link")
    tab.goto(f"{link[:-3]}x/")
    look("forged personal link")
    person.arrive(**{**PROLIFIC, "SESSION_ID": "another"})
    person.press("Start")
    expect(tab.locator("h1")).to_have_text("This session was started elsewhere")
    look("already started")
    person.arrive(**{**PROLIFIC, "PROLIFIC_PID": "0" * 24, "SESSION_ID": "yet-another"})
    person.press("Start")
    expect(tab.locator("h1")).to_have_text("All places are taken")
    look("full")
    Study.objects.update(status=Study.Status.PAUSED)
    person.arrive()
    look("closed")
    tab.goto("/s/another/")
    look("no such study")


def test_a_preview_and_pages_from_right_to_left(tab: Page, small: Watch, look: Look, live_server: Any) -> None:
    study = study_to_look_at(language="ar", title="\u0627\u0644\u062d\u064a\u0627\u0629")
    sign_in(small, MembershipFactory(study=study).user, live_server)
    tab.goto(f"/studies/{study.slug}/")
    tab.click("text=Preview as a participant")
    expect(tab.locator("html")).to_have_attribute("dir", "rtl")
    expect(tab.locator(".banner")).to_have_text("Preview. Nothing you enter here counts.")
    person = Person(tab, study.slug)
    for name in ("consent", "form", "write", "rate_intro", "rate", "rate", "vote"):
        assert person.kind == name
        look(f"{name}, in Arabic")
        person.answer()

    assert Enrolment.objects.get().origin == Enrolment.Origin.PREVIEW
