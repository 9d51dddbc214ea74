"""What every test may rely on, and what a machine without a service, browser or data is told."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from hypothesis import settings as hypothesis_settings

from tests.cast import *  # noqa: F403 - the people of the tests are fixtures

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("POLYPHONY_SHARED") or ROOT.parent / "shared")
REQUIRE_ALL = os.environ.get("POLYPHONY_REQUIRE_ALL", "") not in {"", "0"}
CHROMIUM = os.environ.get("POLYPHONY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
PORTS = {"Redis": 6379, "RabbitMQ": 5672}

# Two tests at a time on a busy machine: a slow example is no finding.
hypothesis_settings.register_profile("house", deadline=None, derandomize=True)
hypothesis_settings.load_profile("house")


_connect = socket.socket.connect


def connect_here(self: socket.socket, address: object) -> None:
    """Connect within this machine only: a test that asks the world is a test of the world."""
    host = address[0] if isinstance(address, tuple) else "localhost"
    if host not in {"localhost", "::1"} and not str(host).startswith("127."):
        raise RuntimeError(f"tests talk to this machine only, not to {host}")
    _connect(self, address)


socket.socket.connect = connect_here  # type: ignore[method-assign]


def listens(port: int) -> bool:
    """Return whether something on this machine takes connections on `port`."""
    with contextlib.closing(socket.socket()) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def why_not(marker: str) -> str | None:
    """Return why tests with `marker` cannot run on this machine, or None if they can."""
    on_postgresql = connection.vendor == "postgresql"
    if marker in {"races", "e2e", "services"} and not on_postgresql:
        return "needs PostgreSQL: set DATABASE_URL"
    if marker == "e2e" and not CHROMIUM:
        return "needs a browser: install chromium or set POLYPHONY_CHROMIUM"
    if marker == "services":
        away = [name for name, port in PORTS.items() if not listens(port)]
        return f"needs {' and '.join(away)} on this machine" if away else None
    if marker == "shared" and not SHARED.is_dir():
        return f"needs real data: {SHARED} is missing, set POLYPHONY_SHARED"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine cannot run, with the reason."""
    reasons = {marker: why_not(marker) for marker in ("races", "e2e", "services", "shared")}
    for item in items:
        for marker, reason in reasons.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Turn a skip into a failure where everything is required."""
    report = yield
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"POLYPHONY_REQUIRE_ALL is set, but {item.nodeid} was skipped: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Turn the skip of a whole module into a failure where everything is required."""
    report = yield
    if REQUIRE_ALL and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"POLYPHONY_REQUIRE_ALL is set, but {collector.nodeid} was skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data; for tests marked `shared`."""
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser of this machine; for tests marked `e2e`."""
    return CHROMIUM


@pytest.fixture(autouse=True)
def _fresh_caches() -> None:
    """Start each test with an empty cache, so that throttles count from zero."""
    from django.core.cache import cache

    cache.clear()
