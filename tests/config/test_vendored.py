"""Vendored files are what their table says, and fit the Python side."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "vendor", ROOT / "core" / "embeddings" / "vendor"]
ROW = re.compile(
    r"^\| (?P<file>\S+) \| (?P<package>\S+) \| (?P<version>\S+) \| (?P<licence>\S+) \| (?P<sha>\w{64}) \|$"
)


def table(folder: Path) -> dict[str, re.Match[str]]:
    """Return the rows of a folder's VENDORED.md by file."""
    lines = (folder / "VENDORED.md").read_text(encoding="utf-8").splitlines()
    return {row["file"]: row for row in map(ROW.match, lines) if row}


@pytest.mark.parametrize("folder", FOLDERS, ids=["served", "tests", "embedder"])
def test_every_file_is_listed_with_its_hash(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "VENDORED.md"]

    found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    assert found == {name: row["sha"] for name, row in table(folder).items()}


@pytest.mark.parametrize("folder", FOLDERS, ids=["served", "tests", "embedder"])
def test_every_package_comes_with_its_licence(folder: Path) -> None:
    rows = table(folder)

    assert all(f"licences/{row['package']}.txt" in rows for row in rows.values())


def test_what_is_served_has_no_copyleft_licence() -> None:
    licences = {row["licence"] for row in table(FOLDERS[0]).values()}

    assert licences <= {"BSD-3-Clause", "MIT", "ISC", "0BSD", "Unlicense"}


def test_pages_and_exports_draw_with_the_versions_that_altair_writes_for() -> None:
    import altair
    import vl_convert

    rows = table(FOLDERS[0])

    assert f"v{rows['vega-lite.min.js']['version']}" == altair.SCHEMA_VERSION
    assert rows["vega.min.js"]["version"] == vl_convert.get_vega_version()
    assert rows["vega-embed.min.js"]["version"] == vl_convert.get_vega_embed_version()
