"""One simulated participant's way through a study, from the start page to the completion code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from core.canonical import text_sha256
from studies.session.tokens import COOKIE
from studies.simulation.browser import Browser, Response, Unreachable
from studies.simulation.choices import Chosen, Memory, Said, choose
from studies.simulation.minds import Mind, Person
from studies.simulation.pages import Page, PageFault, read_page

FAILED, STOPPED, NO_CODE = "failed", "stopped", "ended without a code"
MOST_POSTS = 2000
"""More posts than any session needs: whoever sends more is going round in circles."""
# The list of one's own votes grows with every vote, and is read only by those who change one.
_OWN_VOTES = '<details id="own-votes"'


@dataclass(slots=True)
class Walked:
    """How a walk ended, and what the platform has acknowledged of it."""

    number: int
    outcome: str
    reason: str = ""
    code: str = ""
    token_sha256: str = ""
    n_posts: int = 0
    n_requests: int = 0
    groups: dict[str, str] = field(default_factory=dict)
    acknowledged: dict[tuple[str, str, str], str] = field(default_factory=dict)


def arrival_query(person: Person, recruitment: Mapping[str, object]) -> str:
    """The query with which the person opens the study's link: ids in Prolific's form if nobody may come without."""
    if recruitment["open"]:
        return ""
    ids = hashlib.sha256(f"simulated {person.seed} {person.number}".encode()).hexdigest()
    query = {"PROLIFIC_PID": ids[:24], "STUDY_ID": "5" * 24, "SESSION_ID": ids[24:48]}
    return "?" + urlencode(query)


class Walker:
    """A well-behaved participant: reads each page, answers it, and goes on until there is no form."""

    def __init__(
        self,
        person: Person,
        mind: Mind,
        browser: Browser,
        *,
        simulated_pass: str,
        query: str = "",
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.person = person
        self.mind = mind
        self.browser = browser
        self.memory = Memory()
        self.walked = Walked(person.number, FAILED)
        self._pass = simulated_pass
        self._query = query
        self._is_stopped = is_stopped

    @property
    def root(self) -> str:
        """The address of the study's start page, without a query."""
        return f"/s/{self.mind.facts.slug}/"

    def walk(self) -> Walked:
        """Go through the study. Never raises for what the platform does: the reason stands in the result."""
        walked = self.walked
        try:
            walked.outcome, walked.code = self._go(self.start())
        except (PageFault, Unreachable) as fault:
            walked.reason = str(fault)
        finally:
            walked.n_requests = self.browser.n_requests
            walked.token_sha256 = text_sha256(self.browser.cookies.value(COOKIE))
            walked.groups = {code: self.mind.group(self.person, code) for code in self._questions()}
            self.browser.close()
        return walked

    def start(self) -> Page:
        """Open the link and press Start."""
        page = self.read(self.browser.get(self.root + self._query))
        form = next((form for form in page.forms if form.method == "post"), None)
        if form is None:
            return page
        form.check()
        return self.read(self.browser.post(form.action, [*form.hidden(), ("simulated", self._pass)]))

    def send(self, chosen: Chosen) -> Page:
        """Post what was chosen and read the page that answers."""
        page = self.read(self.browser.post(chosen.address, chosen.fields))
        if page.has_errors:
            raise PageFault(f"the {chosen.kind} page refused what was entered: {page.heading}")
        self.acknowledge(chosen.says)
        return page

    def acknowledge(self, says: Iterable[Said]) -> None:
        """Remember what the platform has said it keeps: the first answer, but the last vote."""
        for said in says:
            key = (said.kind, said.question, said.about)
            if said.kind == "vote":
                self.walked.acknowledged[key] = said.value
            else:
                self.walked.acknowledged.setdefault(key, said.value)

    def read(self, response: Response) -> Page:
        """The page of a response.

        Raises
        ------
        PageFault
            If the server answered with an error.
        """
        if response.status >= 400 and response.status not in {409, 422}:
            heading = read_page(response.text).heading
            raise PageFault(f"the server answered {response.status}: {heading or 'no heading'}")
        needs_all = self.memory.regret is not None
        return read_page(response.text if needs_all else response.text.partition(_OWN_VOTES)[0])

    def _go(self, page: Page) -> tuple[str, str]:
        while (chosen := choose(page, self.person, self.mind, self.memory)) is not None:
            if self._is_stopped():
                return STOPPED, ""
            if self.walked.n_posts >= MOST_POSTS:
                raise PageFault(f"no end after {MOST_POSTS} posts: {page.heading}")
            self.walked.n_posts += 1
            page = self.send(chosen)
        if not page.code:
            raise PageFault(f"{NO_CODE}: {page.heading or 'no heading'}")
        return self.mind.facts.codes.get(page.code, NO_CODE), page.code

    def _questions(self) -> list[str]:
        return list(dict.fromkeys(question for _kind, question, _about in self.walked.acknowledged))
