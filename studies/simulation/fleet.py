"""Many simulated participants at a time, with progress and a report at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from studies.session.tokens import simulated_pass
from studies.simulation.browser import Browser
from studies.simulation.hostile import HostileWalker
from studies.simulation.minds import Mind, Person
from studies.simulation.walker import FAILED, STOPPED, Walked, Walker, arrival_query

COMPLETE = "complete"
TELL_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Fleet:
    """Who walks, and how.

    Attributes
    ----------
    first, people : the numbers of the participants: `people` of them from `first` on
    seed : with a number, decides what a participant thinks and does
    concurrency : how many are under way at the same time
    is_hostile : double posts, two tabs, stale pages and the like
    patience_s : how long a participant waits for a server that does not answer
    """

    base_url: str
    seed: int
    people: int
    first: int = 1
    concurrency: int = 8
    is_hostile: bool = False
    patience_s: float = 30.0


@dataclass(slots=True)
class Report:
    """How all walks ended."""

    walked: list[Walked] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def outcomes(self) -> dict[str, int]:
        """How many walks ended how, the most frequent first."""
        return dict(Counter(each.outcome for each in self.walked).most_common())

    @property
    def reasons(self) -> dict[str, int]:
        """Why walks failed, with how many."""
        return dict(Counter(each.reason for each in self.walked if each.outcome == FAILED).most_common())

    @property
    def n_posts(self) -> int:
        """How many forms were sent."""
        return sum(each.n_posts for each in self.walked)

    @property
    def is_whole(self) -> bool:
        """Whether everybody got to one of the study's ends."""
        return not {FAILED, STOPPED} & set(self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """The report without the people."""
        return {
            "people": len(self.walked),
            "outcomes": self.outcomes,
            "reasons": self.reasons,
            "posts": self.n_posts,
            "requests": sum(each.n_requests for each in self.walked),
            "seconds": round(self.seconds, 1),
        }


def sail(
    fleet: Fleet,
    mind: Mind,
    recruitment: Mapping[str, object],
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[Sequence[Walked]], None] = lambda _walked: None,
) -> Report:
    """Let the fleet walk, and return how it went. `tell` hears about once a second who has arrived so far."""
    began = time.monotonic()
    report = Report()
    walkers = [_walker(fleet, mind, recruitment, number, is_stopped) for number in _numbers(fleet)]
    with ThreadPoolExecutor(max_workers=fleet.concurrency, thread_name_prefix="participant") as pool:
        waiting = {pool.submit(walker.walk) for walker in walkers}
        while waiting:
            done, waiting = wait(waiting, timeout=TELL_EVERY_S)
            report.walked += [each.result() for each in done]
            tell(report.walked)
    report.walked.sort(key=lambda walked: walked.number)
    report.seconds = time.monotonic() - began
    return report


def _numbers(fleet: Fleet) -> range:
    return range(fleet.first, fleet.first + fleet.people)


def _walker(
    fleet: Fleet, mind: Mind, recruitment: Mapping[str, object], number: int, is_stopped: Callable[[], bool]
) -> Walker:
    person = Person(fleet.seed, number)
    # Every other one has no JavaScript: both ways of sending a form are walked.
    browser = Browser(fleet.base_url, patience_s=fleet.patience_s, htmx=person.draws("browser").random() < 0.5)
    kind = HostileWalker if fleet.is_hostile else Walker
    return kind(
        person,
        mind,
        browser,
        simulated_pass=simulated_pass(mind.facts.slug),
        query=arrival_query(person, recruitment),
        is_stopped=is_stopped,
    )
