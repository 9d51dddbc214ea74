"""The image's entry points run as they stand; the compose file says what the code needs."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from django.db import connection
from kombu import Connection, Exchange, Queue
from packaging.specifiers import SpecifierSet
from redis import Redis

ROOT = Path(__file__).resolve().parents[2]
ENTRYPOINT = ROOT / "docker" / "entrypoint.sh"
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def health(port: int) -> dict[str, Any] | None:
    """Return what the health check says, or None while nothing listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ConnectionError):
        return None


def wait_for(what: Callable[[], Any], timeout_s: float = 60) -> Any:
    """Return the first true answer of `what`."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.25)
    raise AssertionError(f"nothing within {timeout_s} s")


class Roles:
    """Starts roles of the entry point in one environment, and ends them."""

    def __init__(self, environment: dict[str, str], folder: Path, stack: ExitStack) -> None:
        self.environment = environment
        self.folder = folder
        self.stack = stack

    def start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a role in the background; its output is in a file named for it."""
        output = self.stack.enter_context((self.folder / f"{role}.log").open("wb"))
        process = subprocess.Popen(
            [str(ENTRYPOINT), role, *arguments],
            env={**self.environment, "POLYPHONY_VAR_DIR": str(self.folder / role)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.stack.callback(self.end, process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """End a role as Docker does, and whatever it left behind."""
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(15)

    def output(self, role: str) -> str:
        """Return what a role has written so far."""
        return (self.folder / f"{role}.log").read_text(encoding="utf-8")


def delete_queue(broker: str, name: str) -> None:
    """Remove the queue and what was still in it."""
    if broker.startswith("redis"):
        # kombu would leave the names of its bindings behind.
        client = Redis.from_url(broker)
        client.delete(*client.keys(f"*{name}*"))
        client.close()
        return
    with Connection(broker) as opened:
        Queue(name, Exchange(name), channel=opened).delete()
        Exchange(name, channel=opened).delete()


@pytest.fixture(params=["redis://127.0.0.1:6379/0", "amqp://guest:guest@127.0.0.1:5672//"], ids=["redis", "rabbitmq"])
def roles(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Roles]:
    """The entry point in an environment with a database of its own."""
    where = connection.settings_dict
    server = f"{where['USER']}:{where['PASSWORD']}@{where['HOST'] or '127.0.0.1'}:{where['PORT'] or 5432}"
    name = f"polyphony_roles_{os.getpid()}_{request.param[:4]}"
    admin = psycopg.connect(f"postgres://{server}/postgres", autocommit=True)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("POLYPHONY_", "DJANGO_"))},
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DATABASE_URL": f"postgres://{server}/{name}",
        "CELERY_BROKER_URL": request.param,
        # So that no test takes another's messages, or leaves any.
        "POLYPHONY_QUEUE": name,
        "POLYPHONY_SECRET_KEY": "k" * 64,
        "WEB_CONCURRENCY": "1",
    }
    with admin, ExitStack() as stack:
        admin.execute(f'CREATE DATABASE "{name}"')
        stack.callback(delete_queue, request.param, name)
        stack.callback(admin.execute, f'DROP DATABASE "{name}" WITH (FORCE)')
        yield Roles(environment, tmp_path, stack)


@pytest.mark.services
def test_web_worker_and_beat_work_together_as_the_image_starts_them(roles: Roles) -> None:
    port = free_port()
    roles.environment["POLYPHONY_BIND"] = f"127.0.0.1:{port}"

    assert roles.start("migrate").wait(120) == 0, roles.output("migrate")
    for role in ("web", "worker", "beat"):
        roles.start(role)

    first = wait_for(lambda: health(port))
    assert (first["database"], first["migrations"], first["broker"]) == (True, True, True)
    # Beat says when, the broker carries it, the worker does it, the web process sees it.
    swept = wait_for(lambda: (health(port) or {}).get("swept_at"))
    assert swept, roles.output("worker")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/admin/login/", timeout=10) as page:
        assert re.search(rb"/static/admin/css/base\.[0-9a-f]{12}\.css", page.read())


def test_a_role_nobody_knows_is_refused() -> None:
    done = subprocess.run([str(ENTRYPOINT), "cook"], capture_output=True, text=True, timeout=30)

    assert done.returncode == 2
    assert "use web, worker, beat, migrate or manage" in done.stderr


def test_the_image_has_a_python_that_the_project_runs_on() -> None:
    versions = set(re.findall(r"^FROM python:(\d+\.\d+)-slim", DOCKERFILE, re.MULTILINE))

    assert len(versions) == 1
    assert versions.pop() in SpecifierSet(PROJECT["requires-python"])


def test_the_image_is_named_for_the_version() -> None:
    assert COMPOSE["x-polyphony"]["image"] == f"polyphony:{PROJECT['version']}"


def test_nobody_in_the_image_is_root() -> None:
    assert re.search(r"^USER polyphony$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.index("USER polyphony") < DOCKERFILE.index("ENTRYPOINT")


def test_compose_starts_each_role_and_migrates_first() -> None:
    services = COMPOSE["services"]

    assert set(services) == {"database", "redis", "migrate", "web", "worker", "beat"}
    for role in ("web", "worker", "beat"):
        assert services[role]["command"] == [role]
        assert services[role]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_compose_uses_databases_that_django_supports() -> None:
    major = re.match(r"postgres:(\d+)", COMPOSE["services"]["database"]["image"])

    assert major
    assert int(major[1]) >= 15


def test_compose_sets_only_variables_that_the_settings_read() -> None:
    read = set(re.findall(r'env_\w+\(\s*"(\w+)"', (ROOT / "config" / "settings.py").read_text(encoding="utf-8")))
    read |= set(re.findall(r'environ\.get\("(\w+)"', (ROOT / "config" / "gunicorn.py").read_text(encoding="utf-8")))

    assert set(COMPOSE["services"]["web"]["environment"]) <= read


def test_every_secret_of_compose_must_be_given() -> None:
    text = (ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8")
    example = (ROOT / "docker" / "example.env").read_text(encoding="utf-8")

    for name in set(re.findall(r"\$\{(\w+)", text)):
        assert re.search(rf"^{name}=", example, re.MULTILINE), name
    for name in ("POLYPHONY_SECRET_KEY", "DATABASE_PASSWORD"):
        assert f"${{{name}:?" in text
        assert re.search(rf"^{name}=$", example, re.MULTILINE)


def test_the_versions_stated_elsewhere_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
