"""The two servers that are compared: databases of their own on PostgreSQL, gunicorn with the same settings."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parents[1]
POSTGRES = os.environ.get("POLYPHONY_TEST_POSTGRES") or "postgres://postgres@127.0.0.1:5432/postgres"
WORKERS, THREADS = 2, 4
SLUG = "public-life"
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server and its database."""

    name: str
    port: int
    process: subprocess.Popen[bytes]
    database: str

    def cpu_s(self) -> tuple[float, float]:
        """CPU seconds used so far by the web processes, and by the database's for this server and those that ended."""
        return sum(map(_cpu_s, _family(self.process.pid))), _database_cpu_s(self.database)


@contextlib.contextmanager
def servers() -> Iterator[tuple[Server, Server, Server]]:
    """The platform with its example study, and the minimal view twice; everything is gone afterwards.

    First the minimal view as Django ships, with a connection for each request, then with kept connections.
    """
    with TemporaryDirectory(prefix="polyphony-benchmark-") as folder, contextlib.ExitStack() as stack:
        ours = stack.enter_context(_platform(Path(folder)))
        plain, kept = (stack.enter_context(_minimal(Path(folder), age)) for age in (0, 60))
        yield ours, plain, kept


@contextlib.contextmanager
def _platform(folder: Path) -> Iterator[Server]:
    name = f"polyphony_benchmark_{os.getpid()}"
    with _database(name) as url:
        environment = {"DATABASE_URL": url, "POLYPHONY_VAR_DIR": str(folder / "var"), "POLYPHONY_LOG_LEVEL": "ERROR"}
        for what in (["migrate"], ["collectstatic", "--noinput"], ["load_study", _example(), "--publish"]):
            _manage(environment, "manage.py", *what)
        with _gunicorn("polyphony", "config.wsgi:application", environment, folder, name) as server:
            yield server


@contextlib.contextmanager
def _minimal(folder: Path, connection_age_s: int) -> Iterator[Server]:
    name = f"polyphony_benchmark_minimal_{connection_age_s}_{os.getpid()}"
    with _database(name) as url:
        environment = {
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "benchmarks.minimal.settings",
            "MINIMAL_CONNECTION_AGE": str(connection_age_s),
        }
        _manage(environment, "-m", "django", "migrate", "--run-syncdb")
        with _gunicorn("minimal view", "benchmarks.minimal.wsgi:application", environment, folder, name) as server:
            yield server


def _example() -> str:
    return str(ROOT / "examples" / "public_life" / "study.yaml")


def _manage(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=_with(environment), check=True, stdout=subprocess.DEVNULL
    )


def _with(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a child, without what might have been set for another copy."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("POLYPHONY_", "DJANGO_", "CELERY_"))
    }
    return {**kept, "PYTHONPATH": str(ROOT), **environment}


@contextlib.contextmanager
def _database(name: str) -> Iterator[str]:
    parts = urlsplit(POSTGRES)
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlunsplit(parts._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(POSTGRES, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextlib.contextmanager
def _gunicorn(
    name: str, application: str, environment: dict[str, str], folder: Path, database: str
) -> Iterator[Server]:
    port = _free_port()
    settings = {
        "POLYPHONY_BIND": f"127.0.0.1:{port}",
        "WEB_CONCURRENCY": str(WORKERS),
        "POLYPHONY_THREADS": str(THREADS),
    }
    what = [sys.executable, "-m", "gunicorn", "--config", "config/gunicorn.py", application]
    log = folder / f"{database}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(what, cwd=ROOT, env=_with({**environment, **settings}), stdout=output, stderr=output)
    try:
        _wait(port, process, log)
        yield Server(name, port, process, database)
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _attempt in range(300):
        if process.poll() is not None:
            raise RuntimeError(f"gunicorn ended:\n{log.read_text()}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
        except urllib.error.HTTPError:
            return  # it answers, whatever it says
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("gunicorn does not answer")


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in _family(int(child)))]


def _database_cpu_s(database: str) -> float:
    """CPU seconds of the database's processes for one database, and of all that have ended; 0 on another machine.

    Where connections are opened for each request, most of the work is done by processes that have ended. Their sum is
    the server's own, so it is exact only if nobody else uses it meanwhile.
    """
    if urlsplit(POSTGRES).hostname not in {"127.0.0.1", "localhost", None}:
        return 0.0
    with psycopg.connect(POSTGRES) as connection:
        found = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s", [database]).fetchall()
        server = int(_stat(connection.info.backend_pid)[1])
    ended = _stat(server)
    return sum(_cpu_s(int(pid)) for (pid,) in found) + (int(ended[13]) + int(ended[14])) / CLOCK_TICKS


def _cpu_s(pid: int) -> float:
    try:
        fields = _stat(pid)
    except FileNotFoundError:
        return 0.0  # it has just ended
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, from the state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
