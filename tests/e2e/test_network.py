"""A network that goes away: what was typed stays, the person is told, and trying again counts once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from studies.models import Draft, FreeResponse, LateSubmission, RepresentationRating
from tests.e2e.driving import TEXT, Person
from tests.e2e.watching import Watch
from voting.models import Vote

pytestmark = pytest.mark.e2e


@pytest.fixture
def window(window: Watch) -> Watch:
    """A window in which the network may go away."""
    window.expects_outage = True
    return window


def assert_told(tab: Page) -> None:
    expect(tab.locator("main [data-problem]").filter(has_text="There is no connection just now.")).to_be_visible()


def test_without_network_a_text_stays_and_is_sent_once_afterwards(person: Person, window: Watch) -> None:
    person.start()
    person.walk(until="write")
    window.context.set_offline(True)
    person.write()
    expect(person.tab.locator("[data-draft-status]")).to_contain_text("kept in this browser")
    person.press("Continue")
    assert_told(person.tab)
    expect(person.tab.locator("#text")).to_have_value(TEXT)
    person.press("Continue")
    assert_told(person.tab)
    window.context.set_offline(False)
    person.go_on()

    assert person.kind == "rate_intro"
    assert person.tab.locator("#problem").inner_text() == ""
    assert FreeResponse.objects.get().text == TEXT
    assert not LateSubmission.objects.exists()
    assert not Draft.objects.exists()


def test_without_network_a_rating_stays_and_is_sent_once_afterwards(person: Person, window: Watch) -> None:
    person.start()
    person.walk(until="rate")
    window.context.set_offline(True)
    person.choose("rating-2")
    person.press("Continue")
    assert_told(person.tab)
    expect(person.tab.locator("#rating-2")).to_be_checked()
    window.context.set_offline(False)
    person.go_on()

    assert [rating.value for rating in RepresentationRating.objects.all()] == [2]


def test_an_answer_lost_on_the_way_back_is_not_counted_twice(person: Person, window: Watch) -> None:
    person.start()
    person.walk(until="write")
    person.write()
    lose_the_next_answer(window)
    person.press("Continue")
    assert_told(person.tab)
    assert FreeResponse.objects.count() == 1
    person.go_on()
    assert person.kind == "rate_intro"
    assert not person.tab.locator("p.inset").count()
    person.walk(until="vote")
    lose_the_next_answer(window)
    person.press("Agree")
    assert_told(person.tab)
    assert Vote.objects.count() == 1
    person.go_on("Agree")

    expect(person.tab.locator("#statement")).to_have_text("Statement 2")
    assert (FreeResponse.objects.count(), Vote.objects.count()) == (1, 1)
    assert not LateSubmission.objects.exists()


def test_a_browser_that_lost_its_cookie_keeps_the_text_until_the_personal_link_brings_it_back(
    person: Person, window: Watch
) -> None:
    window.allowed.add(403)
    person.start()
    link = person.tab.inner_text("#resume-link")
    person.walk(until="write")
    person.write()
    window.context.clear_cookies(name="polyphony")
    person.press("Continue")
    expect(person.tab.locator("main [data-problem]")).to_contain_text("This could not be saved.")
    expect(person.tab.locator("#text")).to_have_value(TEXT)
    elsewhere = Person(window.context.new_page(), person.address.split("/")[2])
    elsewhere.tab.goto(link)
    elsewhere.go_on()
    person.go_on()

    assert person.kind == "rate_intro"
    assert FreeResponse.objects.get().text == TEXT


def lose_the_next_answer(window: Watch) -> None:
    """Let the next post of a page reach the server, and its answer get lost."""

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort("connectionreset")

    window.context.route("**/page/", lose, times=1)
