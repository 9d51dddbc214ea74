"""There is one way in: pages, forms, the interface for programs, commands and reads write nothing by themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("core", "studies", "voting", "clustering", "annotation", "prediction", "config")
#: What modules are called that ask services to write.
ASKING = ("views", "api", "admin", "forms", "selectors", "exports", "tasks", "urls", "pages")
WRITES = {"save", "create", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
#: Where a call of such a name writes none of our rows, with the reason.
KNOWN = {
    ("config/tasks.py", "model.objects.filter(attempt_time__lt=before).delete"): "rows of django-axes, by their age",
}


def modules() -> list[Path]:
    """The modules that ask services to write."""
    found = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    return [path for path in found if path.stem.split("_")[0] in ASKING or "commands" in path.parts]


def writes_in(source: str) -> Iterator[str]:
    """Yield the calls that write rows, as they stand in the source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            yield ast.unparse(node.func)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_modules_to_check() -> None:
    assert len(modules()) > 40


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_services_write(path: Path) -> None:
    found = [call for call in writes_in(path.read_text(encoding="utf-8")) if (name_of(path), call) not in KNOWN]

    assert not found, "call a service instead"


@pytest.mark.parametrize("source", ["Study.objects.create(slug='a')", "study.save()", "rows.filter(a=1).update(b=2)"])
def test_a_write_is_found(source: str) -> None:
    assert list(writes_in(source))


def test_every_exception_is_still_needed() -> None:
    for name, call in KNOWN:
        assert call in writes_in((ROOT / name).read_text(encoding="utf-8")), f"{name} needs no exception for {call}"
