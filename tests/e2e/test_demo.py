"""`make demo`: everything from one command, safe to repeat, and gone after Ctrl-C."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from config.demo.places import AUDIT_SLUG
from studies.simulation.browser import Browser
from studies.simulation.pages import read_page
from tests.e2e.serving import ROOT, free_port, left_behind, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PEOPLE = 5
LINKS_WITHIN_S = 30


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


class Demo:
    """A demonstration as a person starts it, on SQLite and the folder broker, in a folder whose path has a space."""

    def __init__(self, folder: Path, stack: ExitStack, *, people: int = PEOPLE, port: int | None = None) -> None:
        self.var_dir = folder / "var folder"
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("POLYPHONY_", "DJANGO_"))
        }
        environment |= {"POLYPHONY_VAR_DIR": str(self.var_dir), "DATABASE_URL": "", "CELERY_BROKER_URL": ""}
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--people", str(people), "--port", str(port or free_port())],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        stack.callback(self._end)

    def read_until(self, text: str, *, timeout_s: float = 120) -> str:
        """Everything said so far, as soon as `text` was said."""
        until = time.monotonic() + timeout_s
        while text not in self.said:
            line = self._next(until)
            assert line is not None, f"it ended without saying {text!r}:\n{self.said}"
            self.said += line
        return self.said

    def read_to_the_end(self, *, timeout_s: float = 30) -> str:
        """Everything it said until it ended."""
        until = time.monotonic() + timeout_s
        while (line := self._next(until)) is not None:
            self.said += line
        self.process.wait(timeout_s)
        return self.said

    def stop(self, number: signal.Signals) -> int:
        """Send a signal as the terminal does; the exit status."""
        self.process.send_signal(number)
        self.read_to_the_end()
        return self.process.returncode

    def left_behind(self) -> list[str]:
        """What still works in its folder."""
        return left_behind(self.var_dir)

    def link(self, pattern: str) -> str:
        """A link that was printed."""
        found = re.search(pattern, self.said)
        assert found, self.said
        return found[0]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _next(self, until: float) -> str | None:
        try:
            return self._lines.get(timeout=max(until - time.monotonic(), 0.01))
        except queue.Empty:
            raise AssertionError(f"it says nothing more:\n{self.said}") from None

    def _end(self) -> None:
        self.process.terminate()
        self._reader.join(30)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_one_command_leads_from_nothing_to_scores_and_ends_with_ctrl_c(tmp_path: Path, stack: ExitStack) -> None:
    taken = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port = taken.getsockname()[1]
    began = time.monotonic()
    demo = Demo(tmp_path, stack, port=port)

    demo.read_until("Password and logs")
    assert time.monotonic() - began < LINKS_WITHIN_S
    assert "The people in this demonstration are simulated" in demo.said
    assert f"127.0.0.1:{port}/" not in demo.said
    _look_at_the_links(demo)

    said = demo.read_until("Serving until")
    assert f"{PEOPLE} complete" in said
    assert "best across the answers" in said
    assert f"/audits/{AUDIT_SLUG}/report/" in said
    assert "No agreement report" not in said
    password_file = demo.var_dir / "admin-password"
    assert stat.S_IMODE(password_file.stat().st_mode) == 0o600

    second = Demo(tmp_path, stack, port=port)
    assert "A demonstration already runs from this folder." in second.read_to_the_end()
    assert second.process.returncode == 0

    assert demo.stop(signal.SIGINT) == 0
    assert "Everything that was started has ended" in demo.said
    assert demo.left_behind() == []

    _start_again(tmp_path, stack)


def _look_at_the_links(demo: Demo) -> None:
    base = demo.link(r"http://127\.0\.0\.1:\d+")
    browser = Browser(base)
    for link in (demo.link(r"http://\S+/s/public-life/(?=\s)"), demo.link(r"http://\S+PROLIFIC_PID=\S+")):
        page = read_page(browser.get(link).text)
        assert page.heading == "Eight questions of public life"
        assert [button.text for button in page.forms[0].buttons] == ["Start"]
    password = demo.link(r"(?<=admin, password )\S+")
    [form] = read_page(browser.get("/admin/login/").text).forms
    browser.post("/admin/login/", [*form.hidden(), ("username", "admin"), ("password", password)])
    assert browser.get(demo.link(r"http://\S+/admin/")).status == 200
    assert "Eight questions of public life" in browser.get(demo.link(r"http://\S+/results/public-life/")).text
    browser.close()


def _start_again(tmp_path: Path, stack: ExitStack) -> None:
    again = Demo(tmp_path, stack)
    said = again.read_until("Serving until", timeout_s=60)

    assert f"There are {PEOPLE} simulated participants already." in said
    assert "best across the answers" in said
    assert again.stop(signal.SIGTERM) == 0
    assert again.left_behind() == []


def test_a_second_ctrl_c_ends_everything_at_once_even_amid_the_walks(tmp_path: Path, stack: ExitStack) -> None:
    demo = Demo(tmp_path, stack, people=50)
    demo.read_until("walk through the study")
    time.sleep(1)

    demo.process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    began = time.monotonic()
    demo.process.send_signal(signal.SIGINT)
    demo.read_to_the_end()

    assert time.monotonic() - began < 3
    assert demo.left_behind() == []


def test_if_a_process_dies_the_demonstration_says_so_and_stops(tmp_path: Path, stack: ExitStack) -> None:
    demo = Demo(tmp_path, stack, people=0)
    demo.read_until("Serving until")
    [web] = [each for each in psutil.Process(demo.process.pid).children() if "gunicorn" in " ".join(each.cmdline())]

    web.send_signal(signal.SIGKILL)

    assert "The process “web” was killed by signal 9" in demo.read_to_the_end()
    assert demo.process.returncode == 1
    wait_for(lambda: not demo.left_behind(), why=lambda: str(demo.left_behind()))


def test_a_killed_supervisor_takes_its_children_with_it(tmp_path: Path, stack: ExitStack) -> None:
    demo = Demo(tmp_path, stack, people=0)
    demo.read_until("Serving until")

    demo.process.kill()
    demo.process.wait(10)

    wait_for(lambda: not demo.left_behind(), why=lambda: str(demo.left_behind()))
