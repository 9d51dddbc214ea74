"""Apps import in one direction, and the web process leaves out what only the worker computes with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("config", "core", "studies", "voting", "clustering", "annotation", "prediction")
LINTER = Path(sys.executable).with_name("lint-imports")
HEAVY = ("altair", "pandas", "sklearn", "scipy", "vl_convert", "pyarrow", "onnxruntime")


def contracts(folder: Path) -> dict[str, str]:
    """Return each contract and whether it was kept in the packages of a folder."""
    done = subprocess.run([str(LINTER), "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=120)
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines() if line.endswith((" KEPT", " BROKEN"))]
    assert lines, done.stdout + done.stderr
    return {line[0]: line[1] for line in lines}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_directions_are_kept() -> None:
    assert set(contracts(ROOT).values()) == {"KEPT"}


def test_planted_breaches_are_reported(copy: Path) -> None:
    def plant(file: str, line: str) -> None:
        with (copy / file).open("a", encoding="utf-8") as target:
            target.write(f"\n{line}\n")

    plant("studies/access.py", "from voting import module")
    plant("clustering/stats/__init__.py", "import django")
    plant("core/models/run.py", "from clustering import services")
    plant("clustering/services.py", "from config import views")
    plant("clustering/module.py", "import annotation")

    verdicts = contracts(copy)

    assert set(verdicts.values()) == {"BROKEN"}
    assert len(verdicts) == 5


def test_the_web_process_loads_nothing_that_only_the_worker_needs() -> None:
    program = (
        "import sys; import config.wsgi; from django.urls import get_resolver;"
        "from django.contrib import admin; admin.site.urls; list(get_resolver().url_patterns);"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert done.stdout.strip() == "[]", done.stderr
