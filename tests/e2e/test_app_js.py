"""What app.js adds to the pages, in a real browser, with a network that the test plays and can cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from core.text import count_characters
from tests.conftest import CHROMIUM
from tests.pages.contexts import ACTION, DASH, PAGES, rendered

pytestmark = pytest.mark.e2e

SITE = "https://study.test"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LONG = "I think that people need security, and that work should still be worth more than no work at all."


class Network:
    """Answers the browser's requests with our templates and files, and keeps what was posted."""

    def __init__(self, context: Any) -> None:
        self.posts: list[tuple[str, dict[str, list[str]]]] = []
        self.name = "write"  # the page that is shown
        self.after = "rate"  # the page that answers a post
        self.status = 200
        self.is_cut = False
        context.route("**/*", self.answer)

    def answer(self, route: Route) -> None:
        request, path = route.request, urlsplit(route.request.url).path
        if self.is_cut:
            route.abort("internetdisconnected")
        elif path.startswith("/static/"):
            route.fulfill(path=str(finders.find(path.removeprefix("/static/"))))
        elif request.method == "POST":
            self.take(route, path, parse_qs(request.post_data or "", keep_blank_values=True))
        else:
            self.html(route, rendered(self.name, **self.empty()))

    def take(self, route: Route, path: str, fields: dict[str, list[str]]) -> None:
        self.posts.append((path, fields))
        if path.endswith("/draft/"):
            route.fulfill(status=204)
        else:
            self.html(route, rendered(self.after, fragment="hx-request" in route.request.headers), self.status)

    def empty(self) -> dict[str, Any]:
        return {"values": {}} if self.name == "write" else {}

    def html(self, route: Route, body: str, status: int = 200) -> None:
        headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": POLICY}
        route.fulfill(status=status, headers=headers, body=body)

    def drafts(self) -> list[dict[str, list[str]]]:
        return [fields for path, fields in self.posts if path.endswith("/draft/")]

    def sent(self) -> list[dict[str, list[str]]]:
        return [fields for path, fields in self.posts if path == ACTION]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def network(browser: Browser) -> Iterator[Network]:
    context = browser.new_context(viewport={"width": 400, "height": 800}, permissions=["clipboard-write"])
    network = Network(context)
    yield network
    context.close()


@pytest.fixture
def tab(browser: Browser, network: Network) -> Iterator[Page]:
    found: list[str] = []
    tab = browser.contexts[-1].new_page()
    tab.on("pageerror", lambda error: found.append(str(error)))
    tab.on("console", lambda message: found.append(message.text) if "Content Security" in message.text else None)
    tab.goto(SITE + ACTION)
    yield tab
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a\nb\r\nc",
        "e\u0301",
        "\U0001f469\u200d\U0001f4bb",
        "\u0634\u0643\u0631\u0627",
        "\u200b",
        "x" * 310,
    ],
    ids=["empty", "plain", "lines", "combining", "emoji", "Arabic", "zero width", "long"],
)
def test_the_counter_agrees_with_the_server(text: str, tab: Page) -> None:
    tab.fill("#text", text)

    expect(tab.locator("#count-text")).to_contain_text(f"Characters written: {count_characters(text)}.")


def test_the_counter_says_what_is_missing_only_after_leaving_the_field(tab: Page) -> None:
    tab.fill("#text", "Too short")
    expect(tab.locator("#count-text")).to_have_text("Characters written: 9. Left: 291.")
    tab.focus("#stance")
    expect(tab.locator("#count-text")).to_have_text("Characters written: 9. Still needed: 66.")
    expect(tab.locator("#count-text-live")).to_have_text("Characters written: 9. Still needed: 66.")


def test_a_draft_is_sent_after_a_pause_and_then_no_longer_kept_in_the_browser(tab: Page, network: Network) -> None:
    tab.fill("#text", LONG)
    tab.check("#importance-3")

    expect(tab.locator("[data-draft-status]")).to_have_text("Draft saved")
    assert [draft["text"] for draft in network.drafts()] == [[LONG]]
    assert network.drafts()[0]["importance"] == ["3"]
    assert kept(tab) == []


def test_a_draft_is_sent_at_once_when_the_page_is_left(tab: Page, network: Network) -> None:
    tab.fill("#text", LONG)
    tab.evaluate(
        "() => { Object.defineProperty(document, 'hidden', { value: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }"
    )

    expect(tab.locator("[data-draft-status]")).to_have_text("Draft saved", timeout=1500)


def test_without_network_nothing_typed_is_lost(tab: Page, network: Network) -> None:
    network.is_cut = True
    tab.fill("#text", LONG)
    expect(tab.locator("[data-draft-status]")).to_contain_text("kept in this browser")
    tab.click("text=Continue")
    expect(tab.locator("form [data-problem]")).to_contain_text("no connection")
    expect(tab.locator("#text")).to_have_value(LONG)
    network.is_cut = False
    tab.reload()
    expect(tab.locator("#text")).to_have_value(LONG)
    tab.click("text=Continue")

    expect(tab.locator("h1")).to_have_text("The page rate")
    assert [fields["text"] for fields in network.sent()] == [[LONG]]


def test_what_the_browser_kept_of_an_earlier_page_goes_with_the_next(tab: Page, network: Network) -> None:
    tab.fill("#text", LONG)
    assert len(kept(tab)) == 1
    tab.click("text=Continue")
    expect(tab.locator("h1")).to_have_text("The page rate")

    assert kept(tab) == []


def test_a_failing_server_is_admitted_and_the_form_can_be_sent_again(tab: Page, network: Network) -> None:
    tab.fill("#text", LONG)
    network.status = 500
    tab.click("text=Continue")
    expect(tab.locator("form [data-problem]")).to_contain_text("could not be saved")
    network.status = 200
    tab.click("text=Continue")

    expect(tab.locator("h1")).to_have_text("The page rate")
    assert len(network.sent()) == 2


def test_two_clicks_send_once_and_disable_nothing(tab: Page, network: Network) -> None:
    tab.dblclick("text=Continue")

    expect(tab.locator("h1")).to_have_text("The page rate")
    assert len(network.sent()) == 1
    assert tab.locator(":disabled").count() == 0


def test_the_next_page_takes_the_focus_to_its_heading(tab: Page) -> None:
    tab.click("text=Continue")

    expect(tab.locator("h1")).to_be_focused()
    expect(tab).to_have_title(f"The page rate {DASH} Public life")


def test_an_error_takes_the_focus_to_the_summary_and_its_link_to_the_field(tab: Page, network: Network) -> None:
    network.after, network.status = "write wrong", 422
    tab.click("text=Continue")
    expect(tab.locator(".error-summary")).to_be_focused()
    expect(tab).to_have_title(f"Error: The page write {DASH} Public life")
    tab.click(".error-summary a >> nth=1")

    expect(tab.locator("#stance")).to_be_focused()


def test_a_resized_text_box_breaks_no_policy_when_it_is_shown_again(tab: Page, network: Network) -> None:
    tab.evaluate("() => { document.getElementById('text').style.height = '300px'; }")  # what dragging its corner does
    network.after, network.status = "write wrong", 422
    tab.click("text=Continue")

    expect(tab.locator(".error-summary")).to_be_focused()


def test_a_vote_is_announced_and_the_next_statement_takes_the_focus(tab: Page, network: Network) -> None:
    network.name = network.after = "vote"
    tab.reload()
    tab.focus("#statement")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")

    expect(tab.locator("#announcer")).to_contain_text("Vote saved, 3 of at least 8")
    expect(tab.locator("#statement")).to_be_focused()
    assert (network.sent()[0]["value"], network.sent()[0]["exposure"]) == (["agree"], ["card-1"])


def test_the_list_of_votes_stays_open_while_votes_are_changed(tab: Page, network: Network) -> None:
    network.name = network.after = "vote"
    tab.reload()
    tab.click("#own-votes summary")
    tab.click("#own-votes button >> nth=0")
    expect(tab.locator("#announcer")).to_contain_text("Vote saved")

    assert tab.locator("#own-votes[open]").count() == 1


@pytest.mark.parametrize(("width", "layout"), [(400, "stacked 400"), (1280, "row 1280")])
def test_the_layout_is_told_with_the_answer(width: int, layout: str, tab: Page, network: Network) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    tab.click("text=Continue")
    expect(tab.locator("h1")).to_have_text("The page rate")

    assert network.sent()[0]["layout"] == [layout]


def test_the_code_is_copied(tab: Page, network: Network) -> None:
    network.name = "end"
    tab.reload()
    tab.click("text=Copy the code")

    expect(tab.locator(".code [role=status]")).to_have_text("Copied")


@pytest.mark.parametrize("name", list(PAGES))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(name: str, scheme: Any, tab: Page, network: Network) -> None:
    network.name = name
    tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    tab.set_viewport_size({"width": 320, "height": 568})
    tab.reload()
    tab.evaluate((Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text(encoding="utf-8"))
    found = tab.evaluate("() => axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})")
    sideways = tab.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")

    assert [(each["id"], each["nodes"][0]["target"]) for each in found["violations"]] == []
    assert sideways <= 0


def kept(tab: Page) -> list[str]:
    return list(tab.evaluate("() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'))"))


def test_the_pages_here_are_all_kinds_of_pages() -> None:
    folder = Path(__file__).parents[2] / "templates"
    names = {f"studies/session/{path.name}" for path in (folder / "studies" / "session").glob("[!_]*.html")}

    assert names | {"voting/vote.html"} == {template for template, _context in PAGES.values()}
