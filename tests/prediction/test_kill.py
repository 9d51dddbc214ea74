"""kill -9 in the middle of a judge's run: what was answered stays, and only the rest is asked."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.fake_endpoint import FakeEndpoint

ROOT = Path(__file__).resolve().parents[2]
N_PEOPLE, N_POINTS = 20, 60
BEFORE_THE_KILL = 15


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        server.answer = lambda data: "Rating: 4"
        yield server


class Copy:
    """A copy of the platform of its own, on SQLite, asked by commands."""

    def __init__(self, folder: Path, endpoints: str) -> None:
        self.database = folder / "db.sqlite3"
        unset = {"DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE"}
        self.environment = {key: value for key, value in os.environ.items() if key not in unset} | {
            "POLYPHONY_VAR_DIR": str(folder / "var"),
            "DATABASE_URL": f"sqlite:///{self.database}",
            "POLYPHONY_ENDPOINTS": endpoints,
        }

    def command(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def done(self, *arguments: str) -> bytes:
        process = self.command(*arguments)
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
        return out

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database, timeout=30)) as connection, connection:
            return connection.execute(sql).fetchall()


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, fake: FakeEndpoint) -> None:
    copy = Copy(tmp_path, fake.setting(concurrency=2))
    copy.done("-m", "tests.prediction.planting", "kill", str(N_PEOPLE))
    slow = fake.answer
    fake.answer = lambda data: fake.wait(0.05) or slow(data)
    run = ("manage.py", "predict_ratings", "--study", "kill", "--variant", "FS+FR", "--endpoint", "fake")

    killed = copy.command(*run, "--repeats", "1")
    while fake.n_calls < BEFORE_THE_KILL:
        assert killed.poll() is None, killed.communicate()[1].decode()
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=60)

    stored = {row[0] for row in copy.ask("SELECT prompt_sha256 FROM prediction_prediction")}
    asked_before = fake.n_calls
    assert BEFORE_THE_KILL - 3 <= len(stored) < N_POINTS
    ((status,),) = copy.ask("SELECT status FROM core_run")
    assert status == "running"
    # The lease of the dead worker runs out.
    copy.ask("UPDATE core_run SET heartbeat_at = '2020-01-01 00:00:00'")

    fake.answer = slow
    out = copy.done(*run, "--repeats", "1").decode()

    assert f"{N_POINTS} of {N_POINTS} calls answered" in out
    rows = copy.ask("SELECT enrolment_id, answer_id, repeat FROM prediction_prediction")
    assert len(rows) == len(set(rows)) == N_POINTS
    # Not one call was repeated whose answer was stored; those under way at the kill are asked again.
    assert fake.n_calls - asked_before == N_POINTS - len(stored)
    assert copy.ask("SELECT status, attempt FROM core_run") == [("finished", 2)]
    prompts = [request.prompt for request in fake.requests]
    assert len(prompts) - len(set(prompts)) == asked_before - len(stored)
