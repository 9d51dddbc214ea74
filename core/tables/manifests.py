"""The manifest of an export: which files there are, with rows and SHA-256, and where their data come from."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from core.errors import InputProblem, Problems, bad_file, shown
from core.tables.cells import CellFault, json_value
from core.tables.write import Written
from core.textfiles import read_text

FORMAT_VERSION = 1
NAME = "manifest.json"


def manifest(written: Sequence[Written], *, now: dt.datetime, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the folder of an export holds.

    `about` is what its maker knows (study and version with its hash, run parameters, versions of the program and of
    its methods), JSON-ready. Columns that were left out as personal are named with their table.
    """
    return {
        "format": "polyphony-export",
        "format_version": FORMAT_VERSION,
        "created_at": now.astimezone(dt.UTC).isoformat(timespec="microseconds"),
        "about": dict(about),
        "includes_personal_data": any(each.include_personal and each.table.has_personal_columns for each in written),
        "tables": [_entry(each) for each in written],
    }


def _entry(written: Written) -> dict[str, Any]:
    table = written.table
    return {
        "name": table.name,
        "description": str(table.description),
        "file": written.path.name,
        "format": str(written.format),
        "spreadsheet_safe": written.spreadsheet_safe,
        "rows": written.n_rows,
        "bytes": written.n_bytes,
        "sha256": written.sha256,
        "columns": [column.name for column in table.visible(include_personal=written.include_personal)],
        "columns_left_out": [
            column.name for column in table.columns if column.personal and not written.include_personal
        ],
    }


def write_manifest(folder: Path | str, content: Mapping[str, Any]) -> Path:
    """Write the manifest into `folder` as indented JSON."""
    path = Path(folder) / NAME
    path.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n", encoding="utf-8")
    return path


def check_manifest(folder: Path | str) -> dict[str, Any]:
    """Return the manifest of `folder`; raise `BadInput` if it is none, or files are missing or changed."""
    name = NAME
    try:
        content = json_value(read_text(Path(folder) / name, name))
    except CellFault as fault:
        raise bad_file(name, fault.message) from fault
    if not isinstance(content, dict) or content.get("format") != "polyphony-export":
        raise bad_file(name, _("This is not the manifest of an export."))
    if content.get("format_version") != FORMAT_VERSION:
        message = _("The export has format version %(found)s; this program reads version %(known)s.")
        message %= {"found": shown(content.get("format_version")), "known": FORMAT_VERSION}
        raise bad_file(name, message, _("Export anew, or use the version of the program that wrote it."))
    problems = Problems()
    for entry in _entries(content):
        _check_file(Path(folder) / Path(entry["file"]).name, entry["sha256"], problems)
    problems.raise_if_any()
    return content


def _entries(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    entries = content.get("tables")
    needed = ("name", "file", "sha256")
    if isinstance(entries, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in needed) for entry in entries
    ):
        return entries
    raise bad_file(NAME, _("The manifest must list its tables, each with name, file and SHA-256."))


def _check_file(path: Path, sha256: str, problems: Problems) -> None:
    remedy = _("Copy the whole folder again, or export anew.")
    if not path.is_file():
        problems.add(InputProblem(path.name, None, None, _("The file that the manifest lists is missing."), remedy))
        return
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            message = _("The file is not as it was written: its SHA-256 differs from the manifest.")
            problems.add(InputProblem(path.name, None, None, message, remedy))
