"""Everything at once: web, worker, an example study and simulated participants, until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from config.demo import auditing
from config.demo.children import LOOK_EVERY_S, Child, ChildDied, Family
from config.demo.places import HOST, Links, Places, listening_socket
from config.demo.preparing import Login, make_admin, make_study, make_tables_and_files
from config.demo.scoring import finished_scores, progress_line, queue_scores, score_table
from core.errors import Conflict, Invalid
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from studies.models import Enrolment, Study
from studies.simulation.running import simulated_complete

SEED = 1
CONCURRENCY = 4
HEALTHY_WITHIN_S = 60.0
STOP_PATIENCE_S = 8.0
LINE_EVERY_S = 5.0
AUDIT_LINE_EVERY = 50


class Stopped(Exception):
    """Somebody asked the demonstration to end."""


class Command(PolyphonyCommand):
    """The supervisor: it computes and serves nothing itself."""

    help = "Start web and worker with an example study, and let simulated participants walk through it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take how many people, and the first port to try."""
        parser.add_argument("--people", type=int, default=150, help="simulated participants (150)")
        parser.add_argument("--port", type=int, default=8000, help="the first port to try (8000)")

    def perform(self, **options: Any) -> Outcome:
        """Run until somebody stops it; say so and fail if a process dies."""
        if settings.PRODUCTION:
            raise Conflict("The demonstration is no production: unset POLYPHONY_PRODUCTION.")
        if options["people"] < 0 or not 1 <= options["port"] <= 65535:
            raise Invalid("--people is a whole number of at least 0, --port one from 1 to 65535.")
        places = Places(settings.VAR_DIR)
        with places.locked() as is_ours:
            if not is_ours:
                return Outcome(_already(places))
            return self._run(places, people=options["people"], port=options["port"])

    def _run(self, places: Places, *, people: int, port: int) -> Outcome:
        self._family = Family(places.logs, os.environ)
        self._is_stopped = False
        self._catch_signals()
        try:
            self._demonstrate(places, people, port)
        except Stopped:
            self._say("\nStopping …")
        finally:
            places.forget_links()
            self._family.stop(patience_s=STOP_PATIENCE_S)
        return Outcome("Everything that was started has ended. The data are kept; start again to go on.")

    def _demonstrate(self, places: Places, people: int, port: int) -> None:
        self._say("Preparing the database, the static files and the example study …")
        make_tables_and_files()
        self._pause(0)
        login, study = make_admin(places), make_study()
        links = Links(self._start_web(port), study.slug)
        self._start_worker()
        self._wait_until_healthy(links.base_url)
        places.keep_links(links)
        self._say(_welcome(links, login, places))
        self._simulate(study, people, links.base_url)
        self._score(study, links)
        self._audit(study, links)
        self._say("\nServing until you press Ctrl-C.")
        while True:
            self._pause(LOOK_EVERY_S)

    def _start_web(self, port: int) -> str:
        with listening_socket(port) as found:
            number = found.getsockname()[1]
            base_url = f"http://{HOST}:{number}"
            self._family.environment |= {
                "POLYPHONY_BIND": f"fd://{found.fileno()}",
                "POLYPHONY_PUBLIC_URL": base_url,
            }
            self._family.start("web", ["-m", "gunicorn", "--config", "config/gunicorn.py"], handed=[found.fileno()])
        return base_url

    def _start_worker(self) -> None:
        what = ["-m", "celery", "--app", "config.celery", "worker", "--pool", "prefork", "--concurrency", "1", "--beat"]
        self._family.start("worker", [*what, "--without-gossip", "--without-mingle", "--loglevel", "INFO"])

    def _wait_until_healthy(self, base_url: str) -> None:
        ends = time.monotonic() + HEALTHY_WITHIN_S
        while not _is_healthy(base_url):
            if time.monotonic() > ends:
                raise ChildDied(f"The web server does not answer within {HEALTHY_WITHIN_S:.0f} s; see its log.")
            self._pause(LOOK_EVERY_S)

    def _simulate(self, study: Study, people: int, base_url: str) -> None:
        there = simulated_complete(study)
        if there >= people:
            self._say(f"There are {there} simulated participants already.")
            return
        first = study.enrolments.filter(origin=Enrolment.Origin.SIMULATED).count() + 1
        self._say(f"Now {people - there} simulated participants walk through the study, {CONCURRENCY} at a time.")
        numbers = {"--participants": people - there, "--first": first, "--seed": SEED, "--concurrency": CONCURRENCY}
        arguments = [str(each) for pair in numbers.items() for each in pair]
        what = ["manage.py", "simulate", "--study", study.slug, "--base-url", base_url, *arguments]
        self._finish(self._family.start_errand("simulated participants", what))

    def _score(self, study: Study, links: Links) -> None:
        run = finished_scores(study)
        if run is None and not simulated_complete(study):
            return
        run = run or self._computed(queue_scores(study), progress_line)
        if run.status != Run.Status.FINISHED:
            self._say(f"No scores: {run.error}")
            return
        self._say("\nOvertonScores of the example answers, computed from simulated participants:")
        self._say("\n".join(score_table(run)))
        self._say(f"\nOpinion maps, groups and scores: {links.results}")

    def _audit(self, study: Study, links: Links) -> None:
        """Let simulated raters judge pairs of the study's texts, and lock, unblind and report what they said."""
        if not simulated_complete(study):
            return
        try:
            campaign = auditing.make_audit(study)
        except Conflict as error:
            self._say(f"No audit: {error}")
            return
        for n in auditing.judge(campaign):
            if n % AUDIT_LINE_EVERY == 0:
                self._say(f"Blind audit: {n} judgements of simulated raters")
                self._pause(0)
        auditing.finish(campaign)
        run = self._computed(
            auditing.finished_report(campaign) or auditing.queue_report(campaign), auditing.progress_line
        )
        if run.status != Run.Status.FINISHED:
            self._say(f"No agreement report: {run.error}")
        self._say(f"\nA blind audit from the draw of pairs to its agreement report: {links.audit}")

    def _computed(self, run: Run, progress_line: Callable[[Run], str]) -> Run:
        """Wait until the worker has finished `run`, and show how far it is."""
        said, said_at = "", 0.0
        while run.is_unfinished:
            line = progress_line(run)
            if line != said and time.monotonic() - said_at >= LINE_EVERY_S:
                said, said_at = line, time.monotonic()
                self._say(line)
            self._pause(LOOK_EVERY_S)
            run.refresh_from_db()
        return run

    def _finish(self, child: Child) -> None:
        """Wait for a child that ends by itself."""
        while child.is_running:
            self._pause(LOOK_EVERY_S)
        if child.process.returncode:
            self._say("Not every simulated participant got to the end; the reasons stand above.")
        self._family.forget(child)

    def _pause(self, seconds: float) -> None:
        """Wait, unless somebody asks to stop or a child dies."""
        time.sleep(seconds)
        if self._is_stopped:
            raise Stopped
        self._family.check()

    def _catch_signals(self) -> None:
        """The first Ctrl-C (or SIGTERM, or a closed terminal) stops in good order, the second one at once."""

        def stop(_number: int, _frame: Any) -> None:
            if self._is_stopped:
                for child in self._family.children:
                    child.kill_group()
            self._is_stopped = True

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _is_healthy(base_url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{base_url}/healthz", timeout=5) as answer:  # noqa: S310 - our own server
            return bool(json.load(answer)["status"] == "ok")
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _already(places: Places) -> str:
    links = places.kept_links()
    if links is None:
        return "Another demonstration is just starting in this folder."
    return "A demonstration already runs from this folder.\n" + _addresses(links)


def _addresses(links: Links) -> str:
    rows = {
        "Take part": links.participant,
        "As Prolific would send somebody": links.prolific,
        "Admin": links.admin,
        "Results": links.results,
    }
    return "\n".join(f"  {name:<32} {address}" for name, address in rows.items())


def _welcome(links: Links, login: Login, places: Places) -> str:
    password = login.password or "the one you gave it (manage.py changepassword sets another)"
    return "\n".join(
        [
            f"\nPolyphony runs at {links.base_url}/",
            "The people in this demonstration are simulated: what they wrote, rated and voted comes from a program.\n",
            _addresses(links),
            f"  {'Login':<32} {login.name}, password {password}",
            f"  {'Password and logs are kept in':<32} {places.password_file}, {places.logs}\n",
        ]
    )
