"""A copy of the platform of its own: database, var folder, broker, and processes that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import psycopg
from django.conf import settings
from django.db import connection
from kombu import Connection, Exchange, Queue
from redis import Redis

from studies.simulation.browser import Browser
from studies.simulation.pages import Form, read_page

ROOT = Path(__file__).resolve().parents[2]
REDIS, RABBITMQ = "redis://127.0.0.1:6379/0", "amqp://guest:guest@127.0.0.1:5672//"
FOLDERS = ""
"""The address of the default broker."""
NOBODY = "redis://127.0.0.1:9/0"
"""A broker that is away: nothing listens on the discard port."""
SELECT = re.compile(r'<select name="([^"]+)".*?</select>', re.DOTALL)
SELECTED = re.compile(r'<option value="([^"]*)" selected')


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(
    what: Callable[[], Any], *, timeout_s: float = 60, every_s: float = 0.1, why: Callable[[], str] = str
) -> Any:
    """The first true answer of `what`; `why` explains that there was none."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(every_s)
    raise AssertionError(f"nothing within {timeout_s} s: {why()}")


def left_behind(var_dir: Path) -> list[str]:
    """The processes that work in this var folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("POLYPHONY_VAR_DIR") == str(var_dir):
                found.append(" ".join(process.cmdline()))
    return found


class Platform:
    """Starts and kills the parts of one copy; everything is gone when the stack closes."""

    def __init__(self, folder: Path, stack: ExitStack, *, database: str, broker: str = FOLDERS) -> None:
        self.folder = folder
        self.var_dir = folder / "var"
        self.port = free_port()
        self.database = database
        self._stack = stack
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("POLYPHONY_", "DJANGO_"))},
            "POLYPHONY_VAR_DIR": str(self.var_dir),
            "POLYPHONY_BIND": f"127.0.0.1:{self.port}",
            "POLYPHONY_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            # The tests' own, so that a pass for simulated participants that was signed here is taken there.
            "POLYPHONY_SECRET_KEY": settings.SECRET_KEY,
            # Nobody takes another's messages.
            "POLYPHONY_QUEUE": f"polyphony-{os.getpid()}-{self.port}",
            "DATABASE_URL": database,
            "CELERY_BROKER_URL": broker,
            "PYTHONPATH": str(ROOT),
        }
        stack.callback(self.delete_queue, broker)
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--noinput", "--verbosity", "0")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it printed."""
        return self._run("manage.py", *arguments)

    def ask(self, what: str, **arguments: Any) -> Any:
        """The answer of a function in `tests.e2e.asking`, which runs on this copy's database."""
        return json.loads(self._run("-m", "tests.e2e.asking", what, json.dumps(arguments)))

    def start_web(self) -> subprocess.Popen[bytes]:
        """Start the web server and wait until it answers."""
        process = self._start("web", "-m", "gunicorn", "--config", "config/gunicorn.py")
        wait_for(self.is_healthy, why=lambda: self.output("web"))
        return process

    def start_worker(self, name: str = "worker") -> subprocess.Popen[bytes]:
        """Start a worker with beat inside."""
        what = ["-m", "celery", "--app", "config.celery", "worker", "--pool", "prefork", "--concurrency", "1", "--beat"]
        return self._start(name, *what, "--without-gossip", "--without-mingle", "--loglevel", "INFO")

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=5) as answer:
                return bool(json.load(answer)["status"] == "ok")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def output(self, name: str) -> str:
        """What a part has written so far."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def run_row(self, public_id: str) -> dict[str, Any]:
        """State of a run, read past Django so that it can be polled often. PostgreSQL only."""
        columns = ["status", "attempt", "progress_done", "result_sha256", "error"]
        with psycopg.connect(self.database) as database:
            query = f"SELECT {', '.join(columns)} FROM core_run WHERE public_id = %s"
            row = database.execute(query, [public_id]).fetchone()
        assert row is not None
        return dict(zip(columns, row, strict=True))

    def sign_in(self, name: str, password: str) -> Browser:
        """A browser in which somebody of the team has signed in."""
        browser = Browser(self.address)
        self._stack.callback(browser.close)
        [form] = read_page(browser.get("/admin/login/").text).forms
        browser.post("/admin/login/", [*form.hidden(), ("username", name), ("password", password)])
        return browser

    def press_run(self, browser: Browser, slug: str) -> None:
        """Press the button on the results page that starts a run, with the settings as they stand there."""
        html = browser.get(f"/results/{slug}/").text
        form = next(form for form in read_page(html).forms if form.action.endswith("/run/"))
        response = browser.post(form.action, [*_as_it_stands(form), *_selected(html)])
        assert response.status == 200, response.text

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._stack.callback(kill, process)
        return process

    def delete_queue(self, broker: str) -> None:
        """Remove this copy's queue and what is still in it."""
        name = self.environment["POLYPHONY_QUEUE"]
        if broker == REDIS:
            client = Redis.from_url(broker)
            # kombu would leave the names of its bindings behind.
            if keys := client.keys(f"*{name}*"):
                client.delete(*keys)
            client.close()
        elif broker == RABBITMQ:
            with Connection(broker) as opened:
                Queue(name, Exchange(name), channel=opened).delete()
                Exchange(name, channel=opened).delete()


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9 of a process and all of its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(15)


@contextlib.contextmanager
def fresh_database() -> Iterator[str]:
    """The address of an empty PostgreSQL database beside the tests' own."""
    where = connection.settings_dict
    server = f"{where['USER']}:{where['PASSWORD']}@{where['HOST'] or '127.0.0.1'}:{where['PORT'] or 5432}"
    name = f"polyphony_served_{os.getpid()}_{free_port()}"
    with psycopg.connect(f"postgres://{server}/postgres", autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"postgres://{server}/{name}"
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _as_it_stands(form: Form) -> list[tuple[str, str]]:
    chosen = {"radio", "checkbox"}
    return [(each.name, each.value) for each in form.fields if each.kind not in chosen or each.is_checked]


def _selected(html: str) -> list[tuple[str, str]]:
    found = []
    for select in SELECT.finditer(html):
        option = SELECTED.search(select[0])
        found.append((select[1], option[1] if option else ""))
    return found
