"""Let simulated participants walk through a study."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from core.errors import DomainError, Invalid, NotThere
from core.management_base import Outcome, PolyphonyCommand
from studies.models import Study
from studies.simulation.fleet import COMPLETE, Fleet
from studies.simulation.running import Simulation, opinions_of, read_opinions, simulate
from studies.simulation.walker import Walked

LINE_EVERY_S = 5.0


class Command(PolyphonyCommand):
    """Bots over HTTP against a running server, marked as simulated everywhere."""

    help = "Let simulated participants with planted opinion groups walk through a study over HTTP."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the study, how many, and how."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="an open study of this platform")
        parser.add_argument("--participants", type=int, default=20, metavar="N", help="how many (20)")
        parser.add_argument("--seed", type=int, default=0, help="decides what they think and do (0)")
        parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first one (1)")
        parser.add_argument("--concurrency", type=int, default=8, metavar="C", help="how many at the same time (8)")
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, metavar="URL", help="where the server is")
        parser.add_argument("--opinions", type=Path, metavar="FILE", help="planted opinions; else the example's own")
        parser.add_argument("--hostile", action="store_true", help="double posts, two tabs, stale pages, lost cookies")
        parser.add_argument("--patience", type=float, default=30.0, metavar="S", help="seconds to wait for a server")

    def perform(self, **options: Any) -> Outcome:
        """Simulate, and say how it went; Ctrl-C stops after the posts under way."""
        study = Study.objects.filter(slug=options["study"]).select_related("current_version").first()
        if study is None:
            raise NotThere(f"There is no study {options['study']}.")
        opinions = read_opinions(options["opinions"]) if options["opinions"] else opinions_of(study.slug)
        stopped = _stop_on_signals()
        simulation = simulate(
            study=study,
            fleet=_fleet(options),
            opinions=opinions,
            now=timezone.now(),
            is_stopped=stopped.is_set,
            tell=self._teller(options["participants"]),
        )
        text = _text(simulation)
        if not simulation.report.is_whole:
            raise DomainError(text, code="simulation_failed")
        return Outcome(text, {**simulation.report.to_dict(), "truth": str(simulation.path)})

    def _teller(self, people: int) -> Any:
        """What prints a line of progress every few seconds."""
        began = told = time.monotonic()

        def tell(walked: Sequence[Walked]) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told >= LINE_EVERY_S or len(walked) == people:
                told = now
                self.progress(f"Simulated participants: {len(walked)} of {people} done, {now - began:.0f} s")

        return tell


def _fleet(options: dict[str, Any]) -> Fleet:
    if options["participants"] < 1 or options["concurrency"] < 1 or options["first"] < 1:
        raise Invalid("--participants, --concurrency and --first are whole numbers of at least 1.")
    try:
        return Fleet(
            base_url=options["base_url"],
            seed=options["seed"],
            people=options["participants"],
            first=options["first"],
            concurrency=options["concurrency"],
            is_hostile=options["hostile"],
            patience_s=options["patience"],
        )
    except ValueError as error:
        raise Invalid(str(error)) from error


def _stop_on_signals() -> threading.Event:
    """An event that Ctrl-C and a polite kill set; the second Ctrl-C acts as usual."""
    stopped = threading.Event()

    def stop(number: int, _frame: Any) -> None:
        stopped.set()
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
    return stopped


def _text(simulation: Simulation) -> str:
    report = simulation.report
    ends = ", ".join(f"{n} {outcome}" for outcome, n in report.outcomes.items()) or f"0 {COMPLETE}"
    lines = [
        f"{len(report.walked)} simulated participants in {report.seconds:.1f} s ({report.n_posts} posts): {ends}.",
        *(f"  {n} failed: {reason}" for reason, n in report.reasons.items()),
        f"Who belongs to which planted group: {simulation.path}",
    ]
    return "\n".join(lines)
