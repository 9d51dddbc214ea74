"""A participant who does everything that may go wrong, on purpose or not, and still wants to get to the end.

Double posts, two tabs, the back button, stale and forged pages, empty answers, a lost cookie. After every trick the
walk goes on from what the server shows. What the person then believes to be stored (`acknowledged`) must be what is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from studies.session.tokens import COOKIE
from studies.simulation.choices import Chosen, Said
from studies.simulation.pages import Page, PageFault
from studies.simulation.walker import Walker

MISCHIEF = 0.5
"""The share of posts around which something goes wrong."""
_OTHER_VOTES = {"agree": "disagree", "disagree": "neutral", "neutral": "agree"}
OTHER_VALUES: Mapping[str, Callable[[str], str]] = {
    "rating": lambda value: str(int(value) % 5 + 1),
    "value": _OTHER_VOTES.__getitem__,
    "change": lambda value: f"{value.partition(' ')[0]} {_OTHER_VOTES[value.partition(' ')[2]]}",
    "text": lambda value: value[::-1],
    "importance": lambda value: str(int(value) % 5 + 1),
}
"""For the fields of a post, how a differing one says something else."""
FORGED = "00000000-0000-4000-8000-000000000000"
# What names the page in a post, and so cannot differ.
_OF_THE_PAGE = frozenset({"csrfmiddlewaretoken", "step", "layout", "action", "exposure", "decision"})


class HostileWalker(Walker):
    """Plays a trick around every other post; the tricks and their order are drawn from the person's number."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tricks: list[str] = []
        self._draws: random.Random = self.person.draws("mischief")
        self._sent: list[Chosen] = []
        self._link = ""

    def start(self) -> Page:
        """Press Start twice, as a double click does, and keep the personal link."""
        first = self.read(self.browser.get(self.root + self._query))
        form = first.forms[0] if first.forms else None
        if form is None:
            return first
        fields = [*form.hidden(), ("simulated", self._pass)]
        self._at_once(Chosen("start", form.action, fields))
        page = self._current()
        self._link = page.link
        return page

    def send(self, chosen: Chosen) -> Page:
        """Send what was chosen, with or without mischief before or after."""
        trick = self._draws.choice(_TRICKS) if self._draws.random() < MISCHIEF else Walker.send
        self.tricks.append(trick.__name__)
        page = trick(self, chosen)
        self._sent.append(chosen)
        return page

    def _twice_at_once(self, chosen: Chosen) -> Page:
        """A double click: the same post from two connections at the same moment."""
        self._at_once(chosen)
        self.acknowledge(chosen.says)
        return self._current()

    def _again(self, chosen: Chosen) -> Page:
        """The same post once more, after the answer was lost on the way."""
        Walker.send(self, chosen)
        return Walker.send(self, chosen)

    def _back_and_differently(self, chosen: Chosen) -> Page:
        """Back in the browser, and a different answer from the page that was kept there."""
        Walker.send(self, chosen)
        self._differ(chosen)
        return self._current()

    def _from_another_tab(self, chosen: Chosen) -> Page:
        """Two tabs with the same page: one sends, then the other sends something else."""
        other = self.browser.twin()
        self.read(other.get(self.root + "page/"))
        Walker.send(self, chosen)
        changed, says = differing(chosen)
        self.read(other.post(changed.address, changed.fields))
        self._believe(chosen, says)
        other.close()
        return self._current()

    def _an_old_page_first(self, chosen: Chosen) -> Page:
        """An old page is sent once more, with an answer that differs from the one it was sent with."""
        old = [each for each in self._sent if each.kind in {"rate", "write", "form", "read"}]
        if old:
            changed, _says = differing(self._draws.choice(old))
            self.read(self.browser.post(changed.address, changed.fields))
        return Walker.send(self, chosen)

    def _nonsense_first(self, chosen: Chosen) -> Page:
        """A post with nothing in it but the page's own fields, and one with a page that does not exist."""
        empty = [(name, value) for name, value in chosen.fields if name in _OF_THE_PAGE - {"decision", "action"}]
        if chosen.kind not in {"read", "form"}:
            self.read(self.browser.post(chosen.address, empty))
        forged = [(name, FORGED if name == "step" else value) for name, value in chosen.fields]
        self.read(self.browser.post(chosen.address, forged))
        return Walker.send(self, chosen)

    def _reload_first(self, chosen: Chosen) -> Page:
        """The page is loaded again and again before it is answered."""
        pages = [self._current() for _time in range(2)]
        if pages[0].statement != pages[1].statement or pages[0].passage != pages[1].passage:
            raise PageFault("a page that was loaded again showed something else")
        return Walker.send(self, chosen)

    def _lose_the_cookie(self, chosen: Chosen) -> Page:
        """The browser forgets everything; the personal link leads back."""
        if not self._link:
            return Walker.send(self, chosen)
        Walker.send(self, chosen)
        self.browser.cookies.kept.pop(COOKIE, None)
        page = self.read(self.browser.get(urlsplit(self._link).path))
        form = page.forms[0]
        form.check()
        return self.read(self.browser.post(form.action, form.hidden()))

    def _current(self) -> Page:
        return self.read(self.browser.get(self.root + "page/"))

    def _differ(self, chosen: Chosen) -> None:
        changed, says = differing(chosen)
        self.read(self.browser.post(changed.address, changed.fields))
        self._believe(chosen, says)

    def _believe(self, chosen: Chosen, says: tuple[Said, ...]) -> None:
        """A later vote on a card counts while the block is open; of everything else the first answer stays."""
        if chosen.kind == "vote":
            self.acknowledge(says)

    def _at_once(self, chosen: Chosen) -> None:
        tabs = [self.browser, self.browser.twin()]
        with ThreadPoolExecutor(max_workers=len(tabs)) as pool:
            sent = [pool.submit(tab.post, chosen.address, chosen.fields) for tab in tabs]
            pages = [self.read(each.result()) for each in sent]
        tabs[1].close()
        if any(page.has_errors for page in pages):
            raise PageFault(f"the {chosen.kind} page refused one of two equal posts")


def differing(chosen: Chosen) -> tuple[Chosen, tuple[Said, ...]]:
    """The same post with other answers, and what it says."""
    fields = [(name, _other(name, value)) for name, value in chosen.fields]
    votes = [value.rpartition(" ")[2] for name, value in fields if name in {"value", "change"}]
    says = tuple(
        Said(each.kind, each.question, each.about, vote)
        for each, vote in zip((said for said in chosen.says if said.kind == "vote"), votes, strict=True)
    )
    return Chosen(chosen.kind, chosen.address, fields, chosen.says), says


def _other(name: str, value: str) -> str:
    if name in _OF_THE_PAGE:
        return value
    change = OTHER_VALUES.get(name)
    return change(value) if change is not None else value


_TRICKS: tuple[Callable[[HostileWalker, Chosen], Page], ...] = (
    HostileWalker._twice_at_once,
    HostileWalker._again,
    HostileWalker._back_and_differently,
    HostileWalker._from_another_tab,
    HostileWalker._an_old_page_first,
    HostileWalker._nonsense_first,
    HostileWalker._reload_first,
    HostileWalker._lose_the_cookie,
)
