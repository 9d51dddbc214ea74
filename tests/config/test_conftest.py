"""What cannot run here is skipped with a reason, and fails where everything is required."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.mark.races
def test_marked(): pass

def test_skipped(): pytest.skip("not today")

@pytest.mark.xfail(reason="known")
def test_expected_failure(): raise ValueError
"""
WHOLE_FILE = "import pytest\npytest.skip('not today', allow_module_level=True)\n"


def run(folder: Path, *, required: str) -> str:
    """Run a few tests on SQLite with the hooks of our conftest, and return what pytest says."""
    (folder / "conftest.py").write_text("from tests.conftest import *\n")
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_whole.py").write_text(WHOLE_FILE)
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "no:cacheprovider", "-n", "0", str(folder)]
    command.append("--continue-on-collection-errors")
    environment = {**os.environ, "DATABASE_URL": "", "POLYPHONY_REQUIRE_ALL": required}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120).stdout


def test_what_cannot_run_here_is_skipped_with_a_reason(tmp_path: Path) -> None:
    said = run(tmp_path, required="")

    assert "3 skipped, 1 xfailed" in said
    assert "needs PostgreSQL: set DATABASE_URL" in said


def test_a_skip_is_a_failure_where_everything_is_required(tmp_path: Path) -> None:
    said = run(tmp_path, required="1")

    for name in ("test_some.py::test_marked", "test_some.py::test_skipped", "test_whole.py"):
        assert f"{name} was skipped" in said
    assert "skipped" not in said.splitlines()[-1]


def test_tests_talk_to_this_machine_only() -> None:
    with socket.socket() as probe, pytest.raises(RuntimeError, match=r"not to 192\.0\.2\.1"):
        probe.connect(("192.0.2.1", 80))
