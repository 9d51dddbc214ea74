"""Processes are killed with -9, brokers go away: nothing acknowledged is lost, and every run is finished."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from studies.simulation.facts import Facts
from studies.simulation.fleet import Fleet, Report, sail
from studies.simulation.planted import PlantedAtRandom
from tests.e2e.serving import FOLDERS, NOBODY, RABBITMQ, REDIS, ROOT, Platform, fresh_database, kill, wait_for

EXAMPLE = ROOT / "examples" / "public_life" / "study.yaml"
SLUG = "public-life"
PASSWORD = "a password for tests"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def served(tmp_path: Path, stack: ExitStack, *, database: str = "postgresql", broker: str = FOLDERS) -> Platform:
    """A fresh copy on SQLite or PostgreSQL."""
    address = stack.enter_context(fresh_database()) if database == "postgresql" else ""
    return Platform(tmp_path, stack, database=address, broker=broker)


class Crowd:
    """Simulated participants who walk in the background."""

    def __init__(self, platform: Platform, *, people: int, concurrency: int) -> None:
        definition = platform.ask("definition", slug=SLUG)
        mind = PlantedAtRandom(Facts.of(definition), 1)
        fleet = Fleet(platform.address, seed=1, people=people, concurrency=concurrency, patience_s=60)
        self.report = Report()
        self._thread = threading.Thread(target=self._walk, args=(fleet, mind, definition["recruitment"]))
        self._thread.start()

    def _walk(self, fleet: Fleet, mind: PlantedAtRandom, recruitment: dict[str, Any]) -> None:
        self.report = sail(fleet, mind, recruitment)

    def arrived(self) -> Report:
        """Wait for everybody."""
        self._thread.join(180)
        assert not self._thread.is_alive()
        return self.report


def promises_broken(platform: Platform, report: Report) -> list[str]:
    walked = [{**asdict(each), "acknowledged": list(each.acknowledged.items())} for each in report.walked]
    found: list[str] = platform.ask("broken", slug=SLUG, walked=walked)
    return found


@pytest.mark.e2e
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_killed_web_server_loses_no_acknowledged_answer(tmp_path: Path, stack: ExitStack, database: str) -> None:
    platform = served(tmp_path, stack, database=database)
    platform.manage("load_study", str(EXAMPLE), "--publish")
    web = platform.start_web()
    crowd = Crowd(platform, people=6, concurrency=6)

    for _time in range(3):
        time.sleep(1)
        worker = psutil.Process(web.pid).children()[0]
        worker.send_signal(signal.SIGKILL)
    time.sleep(1)
    kill(web)
    assert not platform.is_healthy()
    platform.start_web()
    report = crowd.arrived()

    assert report.outcomes == {"complete": 6}, (report.reasons, platform.output("web")[-5000:])
    assert sum(len(each.acknowledged) for each in report.walked) >= 6 * 3 * (8 + 10)
    assert promises_broken(platform, report) == []


def finished(platform: Platform, run: str, *, timeout_s: float = 60) -> dict[str, Any]:
    """The row of a run that has come to its end."""

    def row() -> dict[str, Any] | None:
        found = platform.run_row(run)
        return found if found["status"] in {"finished", "failed"} else None

    found: dict[str, Any] = wait_for(row, timeout_s=timeout_s, why=lambda: f"the run is {platform.run_row(run)}")
    assert found["status"] == "finished", found
    return found


def kill_in_mid_run(platform: Platform, worker: subprocess.Popen[bytes], run: str) -> None:
    """kill -9 of the worker and its pool as soon as it has taken the run."""
    wait_for(lambda: platform.run_row(run)["status"] == "running", every_s=0.01, why=lambda: str(platform.run_row(run)))
    kill(worker)
    assert platform.run_row(run)["status"] == "running", "the run was over before its worker was killed"


@pytest.mark.services
@pytest.mark.parametrize("broker", [FOLDERS, REDIS, RABBITMQ], ids=["folders", "redis", "rabbitmq"])
def test_a_run_whose_worker_is_killed_is_finished_by_another_with_the_same_result(
    tmp_path: Path, stack: ExitStack, broker: str
) -> None:
    platform = served(tmp_path, stack, broker=broker)
    slug = platform.ask("planted", password=PASSWORD)
    platform.start_web()
    browser = platform.sign_in("admin", PASSWORD)
    worker = platform.start_worker()

    # From the button to the result: page, broker, worker.
    platform.press_run(browser, slug)
    undisturbed = finished(platform, platform.ask("queued"))
    kill(worker)
    # A fresh worker has to load its libraries first, so there is time to kill it amid the run.
    worker = platform.start_worker("the one to be killed")
    platform.press_run(browser, slug)
    run = platform.ask("queued")
    kill_in_mid_run(platform, worker, run)
    platform.start_worker("another")
    # The lease is a minute; let it have passed.
    assert platform.ask("silent_for", run=run, seconds=61) == 1

    row = finished(platform, run)
    assert row["attempt"] == 2
    assert row["result_sha256"] == undisturbed["result_sha256"]
    assert undisturbed["attempt"] == 1


@pytest.mark.services
def test_while_the_broker_is_away_participants_notice_nothing_and_runs_wait(tmp_path: Path, stack: ExitStack) -> None:
    platform = served(tmp_path, stack, broker=NOBODY)
    platform.manage("load_study", str(EXAMPLE), "--publish")
    slug = platform.ask("planted", password=PASSWORD)
    platform.start_web()

    report = Crowd(platform, people=2, concurrency=2).arrived()
    assert report.outcomes == {"complete": 2}, report.reasons
    assert promises_broken(platform, report) == []

    began = time.monotonic()
    platform.press_run(platform.sign_in("admin", PASSWORD), slug)
    assert time.monotonic() - began < 15
    run = platform.ask("queued")
    assert platform.run_row(run)["status"] == "queued"

    # The broker is back: the sweeper finds the row.
    platform.environment["CELERY_BROKER_URL"] = REDIS
    stack.callback(platform.delete_queue, REDIS)
    assert platform.ask("silent_for", run=run, seconds=31) == 1
    platform.start_worker()
    assert finished(platform, run)["attempt"] == 1
