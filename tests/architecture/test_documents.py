"""What is configurable is documented, and nothing committed knows the machine it was written on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("README.md", "docs/operations.md", "docs/configuration.md")
READERS = [
    *(ROOT / "config").glob("*.py"),
    ROOT / "tests" / "conftest.py",
    ROOT / "tools" / "test.sh",
    ROOT / "docker" / "entrypoint.sh",
    ROOT / "Makefile",
]
READ = re.compile(
    r"""(?:env_\w+\(\s*|environ(?:\.get)?[(\[]\s*|\$\{?|\$\()"?((?:POLYPHONY|DATABASE|CELERY|WEB|DEMO)_[A-Z_]+)\b"""
)
# Set by the tests for their own child processes.
INTERNAL = {"POLYPHONY_TEST_OWNER"}
# Assembled, so that this file does not find itself.
MACHINE = re.compile("|".join(["/wo" + "rk/", "/ro" + "ot/", "/opt/wh" + "eels", "/opt/py" + "pi", "/tmp/p" + "p"]))
INDEXES = re.compile("|".join(["py" + r"pi\.org", "pythonh" + r"osted\.org", "registry\\.np" + r"mjs\.org"]))


def variables() -> list[str]:
    """Return every environment variable that something of ours reads."""
    found = {name for path in READERS for name in READ.findall(path.read_text(encoding="utf-8"))}
    return sorted(found - INTERNAL)


def committed() -> list[Path]:
    """Return the files under version control, or, without git, all text files outside the made folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        made = {".git", ".venv", "var", "build"}
        paths = [path for path in ROOT.rglob("*") if path.relative_to(ROOT).parts[0] not in made]
    return [path for path in paths if path.is_file() and "vendor" not in path.parts]


def test_the_variables_are_found() -> None:
    assert {"DATABASE_URL", "CELERY_BROKER_URL", "POLYPHONY_VAR_DIR", "WEB_CONCURRENCY"} <= set(variables())


@pytest.mark.parametrize("name", variables())
def test_every_variable_is_in_a_configuration_table(name: str) -> None:
    tables = [(ROOT / table).read_text(encoding="utf-8") for table in TABLES if (ROOT / table).exists()]

    assert any(re.search(rf"^\|[^|]*`{name}`", text, re.MULTILINE) for text in tables)


@pytest.mark.parametrize("pattern", [MACHINE, INDEXES], ids=["paths", "indexes"])
def test_nothing_committed_knows_this_machine(pattern: re.Pattern[str]) -> None:
    found = []
    for path in committed():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in pattern.finditer(text)]

    assert found == []


def test_no_file_is_longer_than_a_reader_bears() -> None:
    code = [path for path in committed() if path.suffix == ".py" and not {"migrations", "tests"} & set(path.parts)]

    long = {str(path.relative_to(ROOT)): n for path in code if (n := path.read_text("utf-8").count("\n")) > 400}

    assert long == {}
