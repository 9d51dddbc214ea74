"""What people type: counted alike by browser and server, stored as sent, shown in its own direction."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.text import count_characters
from studies.models import FreeResponse, Study
from tests.e2e.conftest import OpenWindow
from tests.e2e.driving import TEXT, Person
from voting.models import Statement

pytestmark = pytest.mark.e2e

FILLER = "So it goes on and on until there are seventy-five of them, which is what is asked for."
TEXTS = {
    "emoji": "\U0001f469\u200d\U0001f4bb\U0001f600\U0001f3f4 " + FILLER,
    "combining marks": "e\u0301o\u0308\u0323 Viê\u0323t Nam " + FILLER,
    "line breaks": "First.\r\nSecond.\rThird.\n\n" + FILLER,
    "Arabic": "\u0623\u0646\u0627 \u0623\u0624\u0645\u0646 " * 8 + FILLER[:20],
    "zero width": "a\u200bb\u2060c\ufeff " + FILLER,
    "markup": '<script>alert(1)</script> & "quotes" =cmd() \'' + FILLER,
    "exactly the minimum": "\U0001f600" * 75,
    "exactly the maximum": "e\u0301" * 300,
}


def test_the_browser_counts_as_the_server_does(open_study: Study, open_window: OpenWindow) -> None:
    tab = open_window().context.new_page()
    person = Person(tab, open_study.slug)
    person.start()
    person.walk(until="write")
    for text in TEXTS.values():
        tab.fill("#text", text)
        expect(tab.locator("#count-text")).to_contain_text(f"Characters written: {count_characters(text)}.")


@pytest.mark.parametrize("name", ["emoji", "line breaks", "Arabic", "markup", "exactly the minimum"])
def test_what_is_stored_has_the_length_that_was_shown(name: str, person: Person) -> None:
    person.start()
    person.walk(until="write")
    person.tab.fill("#text", TEXTS[name])
    shown = person.tab.inner_text("#count-text")
    person.choose("stance")
    person.choose("importance")
    person.go_on()

    stored = FreeResponse.objects.get()
    assert shown.startswith(f"Characters written: {stored.n_characters}.")
    assert stored.text == TEXTS[name].replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\U0001f600" * 74, "Please write at least 75 characters"),
        ("e\u0301" * 301, "Please write at most 300 characters"),
    ],
    ids=["one too few", "one too many"],
)
def test_one_character_beyond_the_limit_is_told_and_the_text_stays(text: str, complaint: str, person: Person) -> None:
    person.start()
    person.walk(until="write")
    person.tab.fill("#text", text)
    person.choose("stance")
    person.choose("importance")
    person.go_on()

    expect(person.tab.locator(".error-summary")).to_contain_text(complaint)
    expect(person.tab.locator("#text")).to_have_value(text)
    expect(person.tab.locator("#stance")).to_be_checked()
    assert not FreeResponse.objects.exists()


def test_a_text_is_shown_in_its_own_direction(open_study: Study, person: Person) -> None:
    Statement.objects.update(text=TEXTS["Arabic"])
    person.start()
    person.walk(until="write")
    person.tab.fill("#text", TEXTS["Arabic"])
    assert direction(person, "#text") == "rtl"
    assert direction(person, ".question") == "ltr"
    person.tab.fill("#text", TEXT)
    assert direction(person, "#text") == "ltr"
    person.tab.fill("#text", "")
    person.answer()
    person.walk(until="vote")

    assert direction(person, "#statement-text") == "rtl"


def direction(person: Person, selector: str) -> str:
    """The direction in which a text is laid out."""
    return str(person.tab.locator(selector).evaluate("element => getComputedStyle(element).direction"))
