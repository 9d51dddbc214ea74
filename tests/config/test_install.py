"""make finds a Python, or says what to do, also in a folder with a space."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ["sh", "cat", "cksum", "dirname", "rm", "make", "awk"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what installs, in a folder with a space, with a search path that holds no Python."""
    folder = tmp_path / "a folder"
    (folder / "bin").mkdir(parents=True)
    for name in ("tools", "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", folder)
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    return folder


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in the folder with the tools of its own bin alone."""
    return subprocess.run(
        [str(folder / "bin" / "make"), *arguments],
        cwd=folder,
        env={"PATH": str(folder / "bin")},
        capture_output=True,
        text=True,
        timeout=120,
    )


def an_environment_that_fits(folder: Path, version: str) -> None:
    """Pretend that .venv was made here from these requirements."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    checksum = subprocess.run(
        "cat requirements/test.txt | cksum", shell=True, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()
    (folder / ".venv" / "requirements-stamp").write_text(f"{checksum} {version} {folder}")


def test_without_a_python_it_says_what_to_do(copy: Path) -> None:
    done = make(copy, "install")

    assert done.returncode != 0
    assert "needs Python 3.11 or later" in done.stderr
    assert "apt install python3 python3-venv" in done.stderr
    assert not (copy / ".venv").exists()


def test_a_python_that_is_too_old_is_passed_over(copy: Path) -> None:
    old = copy / "bin" / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)

    assert "needs Python 3.11 or later" in make(copy, "install").stderr


def test_a_named_python_that_does_not_fit_is_named_back(copy: Path) -> None:
    assert "PYTHON=/no/python is no Python of at least 3.11" in make(copy, "PYTHON=/no/python", "install").stderr


def test_an_environment_that_fits_is_left_alone(copy: Path) -> None:
    an_environment_that_fits(copy, sys.version)

    done = make(copy, f"PYTHON={sys.executable}", "install")

    assert (done.returncode, done.stdout) == (0, "")


def test_changed_requirements_make_it_again(copy: Path) -> None:
    an_environment_that_fits(copy, sys.version)
    python = copy / "bin" / "fake python"
    # Stands for a Python, and notes that a new environment was asked for.
    python.write_text(f'#!/bin/sh\n[ "$2" = venv ] && echo asked && exit 3\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    with (copy / "requirements" / "test.txt").open("a") as file:
        file.write("# changed\n")

    done = make(copy, f"PYTHON={python}", "install")

    assert "asked" in done.stdout
    assert done.returncode != 0
    assert not (copy / ".venv" / "requirements-stamp").exists()


def test_help_lists_what_there_is(copy: Path) -> None:
    listed = {line.split()[1] for line in make(copy).stdout.splitlines()}

    assert {"install", "demo", "test", "test-fast", "lint", "vendor", "benchmark", "help"} <= listed
