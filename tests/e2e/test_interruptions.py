"""Reloads, Back, closed tabs, other browsers, two clicks, two tabs: nothing is lost and nothing counts twice."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from studies.models import Draft, Enrolment, FreeResponse, LateSubmission, PageView, RepresentationRating, Step, Study
from tests.e2e.conftest import OpenWindow
from tests.e2e.driving import PROLIFIC, TEXT, Person
from tests.e2e.watching import Watch
from voting.models import Exposure, Vote

pytestmark = pytest.mark.e2e

OTHER = "On second thoughts it is much simpler than that: whoever uses it pays for it, and nobody else has to, ever."
SECOND_ANSWER = "You had already answered that page. Your first answer counts."


def another_tab(person: Person) -> Person:
    """The same person in another tab of the same window, on the page they are on."""
    tab = person.tab.context.new_page()
    tab.goto(f"{person.address}page/")
    return Person(tab, person.address.split("/")[2])


def heading(tab: Page) -> str:
    return tab.locator("h1").inner_text()


def test_a_reload_shows_the_same_page_in_the_same_order(person: Person) -> None:
    person.start()
    person.walk(until="rate")
    before = (person.step, person.tab.inner_text("#answer"))
    person.tab.reload()
    assert (person.step, person.tab.inner_text("#answer")) == before
    person.walk(until="vote")
    card = person.tab.inner_text("#statement-text")
    person.tab.reload()

    assert person.tab.inner_text("#statement-text") == card
    assert Exposure.objects.count() == 1
    assert PageView.objects.filter(step__kind="vote").count() == 2


@pytest.mark.parametrize("has_script", [True, False], ids=["with scripts", "without"])
def test_back_leads_to_the_current_page(has_script: bool, open_study: Study, open_window: OpenWindow) -> None:
    tab = open_window(java_script_enabled=has_script).context.new_page()
    person = Person(tab, open_study.slug)
    person.start()
    person.walk(until="rate")
    current = (heading(tab), person.step)
    tab.go_back()
    assert (heading(tab), person.step) == current
    person.answer()

    assert heading(tab) == "Response 2 of 2"
    assert RepresentationRating.objects.count() == 1
    assert not LateSubmission.objects.exists()


@pytest.mark.parametrize("ids", [{}, PROLIFIC], ids=["open link", "Prolific's link"])
def test_whoever_closes_the_tab_comes_back_to_the_page_by_the_same_link(ids: dict[str, str], person: Person) -> None:
    person.start(**ids)
    person.walk(until="write")
    step = person.step
    again = Person(person.tab.context.new_page(), person.address.split("/")[2])
    person.tab.close()
    again.arrive(**ids)

    assert again.step == step
    assert Enrolment.objects.count() == 1


def test_the_personal_link_opens_the_session_on_another_device(person: Person, open_window: OpenWindow) -> None:
    person.start()
    link = person.tab.inner_text("#resume-link")
    person.walk(until="write")
    elsewhere = Person(open_window().context.new_page(), person.address.split("/")[2])
    elsewhere.tab.goto(link)
    expect(elsewhere.tab.locator("h1")).to_have_text("Welcome back")
    expect(elsewhere.tab.locator("main")).to_contain_text("You were at: Question 1 of 2.")
    elsewhere.go_on()
    assert elsewhere.step == person.step
    elsewhere.walk()

    person.tab.reload()
    assert person.kind == "end"
    assert Enrolment.objects.get().status == Enrolment.Status.COMPLETE


@pytest.mark.parametrize("has_script", [True, False], ids=["with scripts", "without"])
def test_two_clicks_count_once(has_script: bool, open_study: Study, open_window: OpenWindow) -> None:
    tab = open_window(java_script_enabled=has_script).context.new_page()
    person = Person(tab, open_study.slug)
    person.arrive()
    tab.get_by_role("button", name="Start").dblclick()
    expect(tab.locator("h1")).to_have_text("Taking part is your choice")
    person.walk(until="write")
    person.write()
    tab.get_by_role("button", name="Continue").dblclick()
    expect(tab.locator("h1")).to_have_text("Responses to this question")
    person.walk(until="vote")
    tab.get_by_role("button", name="Agree", exact=True).dblclick()
    expect(tab.locator("#statement")).to_have_text("Statement 2")

    assert [model.objects.count() for model in (Enrolment, FreeResponse, Vote)] == [1, 1, 1]
    assert not LateSubmission.objects.exists()


def test_a_differing_answer_from_a_second_tab_is_told_and_kept_aside(person: Person) -> None:
    person.start()
    person.walk(until="write")
    late = another_tab(person)
    late.write(OTHER)
    person.write()
    person.go_on()
    late.go_on()

    expect(late.tab.locator("main")).to_contain_text(SECOND_ANSWER)
    expect(late.tab.locator("#announcer")).to_contain_text(SECOND_ANSWER)
    assert heading(late.tab) == heading(person.tab) == "Responses to this question"
    assert FreeResponse.objects.get().text == TEXT
    assert LateSubmission.objects.get().payload["text"] == [OTHER]


def test_the_same_answer_from_a_second_tab_is_taken_as_a_repeat(person: Person) -> None:
    person.start()
    person.walk(until="rate")
    late = another_tab(person)
    person.answer()
    late.answer()

    assert heading(late.tab) == heading(person.tab) == "Response 2 of 2"
    assert not late.tab.locator("p.inset").count()
    assert RepresentationRating.objects.count() == 1
    assert not LateSubmission.objects.exists()


def test_two_tabs_voting_on_one_statement_leave_one_vote(person: Person) -> None:
    person.start()
    person.walk(until="vote")
    other = another_tab(person)
    assert other.tab.inner_text("#statement-text") == person.tab.inner_text("#statement-text")
    person.go_on("Agree")
    other.go_on("Disagree")

    assert other.cast == "1"
    assert other.tab.inner_text("#statement-text") == person.tab.inner_text("#statement-text")
    votes = Vote.objects.order_by("pk")
    assert [(vote.value, vote.superseded_at is None) for vote in votes] == [(1, False), (-1, True)]


def test_a_tab_left_open_stores_nothing_after_a_withdrawal(person: Person) -> None:
    person.start()
    person.walk(until="write")
    left_open = another_tab(person)
    left_open.write()
    person.tab.click("text=Stop and withdraw")
    person.go_on("Withdraw and erase my answers")
    left_open.go_on()

    assert heading(left_open.tab) == "You have withdrawn"
    assert not FreeResponse.objects.exists()
    assert not Step.objects.exists()


@pytest.mark.parametrize("is_patient", [True, False], ids=["after a pause", "at once"])
def test_a_draft_survives_a_closed_tab(is_patient: bool, person: Person, window: Watch) -> None:
    person.start()
    person.walk(until="write")
    person.write()
    if is_patient:
        expect(person.tab.locator("[data-draft-status]")).to_have_text("Draft saved")
        person.tab.close()
    else:
        person.tab.close(run_before_unload=True)
    wait_until(Draft.objects.filter(payload__text=[TEXT]).exists)
    again = Person(window.context.new_page(), person.address.split("/")[2])
    again.arrive()

    expect(again.tab.locator("#text")).to_have_value(TEXT)
    expect(again.tab.locator("#stance-2")).to_be_checked()
    expect(again.tab.locator("#importance-4")).to_be_checked()
    again.go_on()
    assert FreeResponse.objects.get().text == TEXT


def wait_until(is_so: Callable[[], bool]) -> None:
    for _look in range(50):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("in vain")
