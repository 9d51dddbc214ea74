"""Somebody in front of a browser: reads the page, answers it, goes on; by mouse, or by keyboard alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

PROLIFIC = {
    "PROLIFIC_PID": "5f3a8c1b9d2e4f6a7b8c9d0e",
    "STUDY_ID": "64b2d0c7a9e8f7b6c5d4e3f2",
    "SESSION_ID": "6650aa11bb22cc33dd44ee55",
}
TEXT = "I think that people should decide this together, and that nobody should be left alone with the costs of it."
KINDS = {
    "landing": "form[action$='/start/']",
    "consent": "button[name=decision][value=accept]",
    "form": "[name^='item-']",
    "write": "textarea#text",
    "rate": "input[name=rating]",
    "vote": "#statement, #finish",
    "end": "#completion-code",
    "rate_intro": "form input[name=step]",
}
"""What tells the kinds apart; the instructions for rating are known by nothing but the way on."""

ACTIVE = """() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return {
    isBody: element === document.body,
    isLater: !window.lastFocus?.isConnected
      || Boolean(window.lastFocus.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
    name: `${element.tagName}#${element.id} ${element.textContent.trim().slice(0, 40)}`,
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    isInView: box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    isOnTop: [...document.elementsFromPoint(box.x + box.width / 2, Math.min(box.y + box.height / 2, innerHeight - 1))]
      .slice(0, 1).every((top) => top === element || element.contains(top) || top.contains(element)),
  };
}"""


class Person:
    """One person and the page before them."""

    def __init__(self, tab: Page, slug: str) -> None:
        self.tab = tab
        self.address = f"/s/{slug}/"

    def arrive(self, **ids: str) -> None:
        """Open the link."""
        self.tab.goto(self.address + (f"?{urlencode(ids)}" if ids else ""))

    def start(self, **ids: str) -> None:
        """Open the link and press Start."""
        self.arrive(**ids)
        self.go_on("Start")

    @property
    def kind(self) -> str:
        """What kind of page is on the screen."""
        script = "(kinds) => Object.keys(kinds).find((kind) => document.querySelector(kinds[kind]))"
        found = self.tab.evaluate(script, KINDS)
        assert found, f"no page of a session: {self.tab.inner_text('main')}"
        return str(found)

    @property
    def step(self) -> str:
        """The nonce of the step on the screen."""
        return self.tab.locator("input[name=step]").first.input_value()

    def press(self, name: str) -> None:
        """Press a button; by mouse here."""
        self.tab.get_by_role("button", name=name, exact=True).first.click()

    def choose(self, control: str) -> None:
        """Choose a radio button or a box by its label, as one does on a phone; by mouse here."""
        self.tab.locator(f"label[for='{control}']").click()

    def type(self, control: str, text: str) -> None:
        """Write into a field."""
        self.tab.locator(f"#{control}").click()
        self.tab.keyboard.insert_text(text)

    def go_on(self, name: str = "Continue") -> None:
        """Press a button and wait for the page that follows, swapped in or loaded."""
        self.tab.evaluate("() => { document.querySelector('#main h1').dataset.seen = 'yes'; }")
        self.press(name)
        self.tab.wait_for_selector("#main h1:not([data-seen])", state="attached")

    def answer(self) -> None:
        """Answer the page on the screen in some valid way and go on."""
        getattr(self, f"_{self.kind}")()

    def walk(self, *, until: str = "end", limit: int = 200) -> list[str]:
        """Answer pages until one of kind `until`; the kinds of the pages on the way."""
        kinds = [self.kind]
        while kinds[-1] != until:
            assert len(kinds) < limit, f"stuck: {kinds[-5:]}"
            self.answer()
            kinds.append(self.kind)
        return kinds

    def _landing(self) -> None:
        self.go_on("Start")

    def _consent(self) -> None:
        self.go_on("I agree to take part")

    def _form(self) -> None:
        self.type("item-age", "44")
        self.choose("item-sex-2")
        self.choose("item-ethnicity")
        self.choose("item-ethnicity-3")
        self.go_on()

    def _write(self) -> None:
        self.write()
        self.go_on()

    def write(self, text: str = TEXT) -> None:
        """Fill in the page for one's own view."""
        self.type("text", text)
        self.choose("stance-2")
        self.choose("importance-4")

    def _rate_intro(self) -> None:
        self.go_on()

    def _rate(self) -> None:
        self.choose("rating-4")
        self.go_on()

    def _vote(self) -> None:
        if self.tab.locator("#finish").count():
            self.go_on("Finish voting and continue")
        else:
            self.go_on(("Agree", "Disagree", "Neutral")[int(self.cast) % 3])

    @property
    def cast(self) -> str:
        """How many votes the page says were cast on the question."""
        return self.tab.locator("#main p:has-text('Votes so far') strong").inner_text()


class KeyboardPerson(Person):
    """Somebody without a mouse, who goes from control to control by Tab and must always see where they are."""

    def press(self, name: str) -> None:
        self.reach(self.tab.get_by_role("button", name=name, exact=True).first)
        self.tab.keyboard.press("Enter")

    def choose(self, control: str) -> None:
        wanted = self.tab.locator(f"#{control}")
        if wanted.get_attribute("type") == "checkbox":
            self.reach(wanted)
            self.tab.keyboard.press("Space")
        else:
            self._choose_one(wanted)
        expect(wanted).to_be_checked()

    def _choose_one(self, wanted: Locator) -> None:
        """Tab goes to a group of radio buttons, arrows go around in it and choose."""
        name = wanted.get_attribute("name")
        self.reach(self.tab.locator(f"input[name='{name}']").first)
        for _press in range(10):
            if wanted.is_checked():
                return
            self.tab.keyboard.press("Space" if self._is_focused(wanted) else "ArrowDown")
        raise AssertionError(f"arrows do not reach {name}")

    def type(self, control: str, text: str) -> None:
        self.reach(self.tab.locator(f"#{control}"))
        self.tab.keyboard.insert_text(text)

    def reach(self, wanted: Locator, limit: int = 25) -> None:
        """Press Tab until `wanted` has the focus; on the way the focus is seen and goes forward."""
        passed: list[str] = []
        for _press in range(limit):
            if self._is_focused(wanted):
                return
            self.tab.evaluate("() => { window.lastFocus = document.activeElement; }")
            self.tab.keyboard.press("Tab")
            passed.append(self.look_at_focus()["name"])
        raise AssertionError(f"Tab does not reach it: {passed}")

    def look_at_focus(self) -> dict[str, Any]:
        """What has the focus; it must be seen, later in the page than what had it before, and not covered."""
        focus: dict[str, Any] = self.tab.evaluate(ACTIVE)
        assert not focus["isBody"], "the focus is lost"
        assert focus["isLater"], f"the focus goes back to {focus['name']}"
        assert focus["outline"] >= 2, f"no visible focus on {focus['name']}"
        assert focus["isInView"], f"the focus is out of sight on {focus['name']}"
        assert focus["isOnTop"], f"something covers {focus['name']}"
        return focus

    def _is_focused(self, wanted: Locator) -> bool:
        return bool(wanted.evaluate("element => element === document.activeElement"))
