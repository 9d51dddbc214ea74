"""What is pinned is what pyproject.toml asks for, hashed, and all that is imported."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"config", "core", "studies", "voting", "clustering", "annotation", "prediction"}
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^ ;\\]+)")
# Imported by us, and part of a distribution that pyproject.toml names for another of its parts.
PARTS_OF_OTHERS = {"kombu": "celery"}


def pins(name: str) -> dict[str, set[Version]]:
    """Return the versions of each package that requirements/`name` pins (more than one by marker)."""
    found: dict[str, set[Version]] = {}
    for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
        if match := PIN.match(line):
            found.setdefault(canonicalize_name(match["name"]), set()).add(Version(match["version"]))
    return found


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("base.txt", PROJECT["dependencies"]),
        ("test.txt", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]),
    ],
)
def test_the_pins_are_what_the_project_asks_for(name: str, wanted: list[str]) -> None:
    pinned = pins(name)

    for requirement in map(Requirement, wanted):
        versions = pinned[canonicalize_name(requirement.name)]
        assert all(version in requirement.specifier for version in versions), requirement


def test_tests_run_with_the_versions_that_users_get() -> None:
    base, test = pins("base.txt"), pins("test.txt")

    assert {name: test.get(name) for name in base} == base


@pytest.mark.parametrize("name", ["base.txt", "test.txt"])
def test_every_pin_has_a_hash_and_no_line_names_an_index(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]

    assert len(entries) > 20
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(
        r"^\s*-|://|--(extra-)?index|find-links", re.sub(r"^ +--hash=.*$", "", text, flags=re.MULTILINE), re.MULTILINE
    )


def test_every_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|test) = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)

    assert len(lists) == 2
    assert [line for block in lists for line in block.splitlines() if not re.search(r'",\s+# \w', line)] == []


def licence(name: str) -> str:
    """Return all that an installed package says of its licence in the short fields."""
    try:
        said = metadata(name)
    except PackageNotFoundError:  # for another system or Python, by its marker
        return ""
    short = [text for text in said.get_all("License", []) if len(text) < 200]
    classifiers = [text for text in said.get_all("Classifier", []) if text.startswith("License ::")]
    return " ".join([*said.get_all("License-Expression", []), *short, *classifiers])


def test_nothing_runs_under_a_licence_that_would_bind_the_user() -> None:
    # The lesser GPL lets a program use a library as it is; psycopg is under it.
    binding = re.compile(r"\bA?GPL|(?<!Lesser )General Public License")

    found = {name: said for name in pins("base.txt") if binding.search(said := licence(name))}

    assert found == {}


def imported(path: Path) -> set[str]:
    """Return the top-level names that a file imports, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_whatever_is_imported_is_asked_for() -> None:
    asked = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    distributions = packages_distributions()
    files = [path for app in OURS for path in (ROOT / app).rglob("*.py")]

    names = set().union(*map(imported, files)) - OURS - sys.stdlib_module_names
    missing = {
        name
        for name in names
        if not asked & {canonicalize_name(PARTS_OF_OTHERS.get(name, one)) for one in distributions.get(name, [name])}
    }

    assert missing == set()
