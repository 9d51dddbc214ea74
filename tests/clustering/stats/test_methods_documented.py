"""docs/methods.md lists every module of statistics with its version, and names only functions that exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
METHODS = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
STATS = ROOT / "clustering" / "stats"
MODULES = sorted(
    ".".join(path.relative_to(STATS).with_suffix("").parts)
    for path in STATS.rglob("*.py")
    if path.stem not in {"__init__", "plain"}
)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_is_listed_with_its_version(name):
    version = importlib.import_module(f"clustering.stats.{name}").METHOD_VERSION

    assert re.search(rf"^\| `{name}` \| {version} \|", METHODS, re.MULTILINE)


def test_named_functions_exist():
    named = re.findall(rf"`({'|'.join(MODULES)})\.(\w+)`", METHODS)

    assert len(named) >= 10
    for module, function in named:
        assert hasattr(importlib.import_module(f"clustering.stats.{module}"), function), f"{module}.{function}"


def test_importing_the_package_loads_nothing():
    source = (ROOT / "clustering" / "stats" / "__init__.py").read_text(encoding="utf-8")

    assert "import" not in re.sub(r'""".*?"""', "", source, flags=re.DOTALL)
