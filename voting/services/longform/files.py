"""The files that were given: single tables, or folders of exports, of which the tables that can come in are taken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from core.errors import BadInput, Problems, bad_file
from core.tables import Format, check_manifest, column_names
from voting.services.longform.kinds import Content, Recognised, recognise

#: Of a folder with several formats one is read; typed ones first.
PREFERRED = (Format.PARQUET, Format.JSONL, Format.CSV)


@dataclass(frozen=True, slots=True)
class Given:
    """A file to read, and what it was recognised as."""

    path: Path
    name: str
    recognised: Recognised
    spreadsheet_safe: bool

    @property
    def content(self) -> Content:
        """What it holds."""
        return self.recognised.content


def recognised_files(paths: Sequence[Path], *, spreadsheet_safe: bool) -> list[Given]:
    """Recognise each file, in the order in which they have to be read.

    Raises
    ------
    BadInput
        With every file that cannot be read or recognised.
    """
    problems = Problems()
    found: list[Given] = []
    for path, is_safe in _single_files(paths, spreadsheet_safe, problems):
        try:
            names = column_names(path, path.name, spreadsheet_safe=is_safe)
            found.append(Given(path, path.name, recognise(names, path.name), is_safe))
        except BadInput as error:
            problems.take(error)
    problems.raise_if_any()
    order = list(Content)
    return sorted(found, key=lambda given: order.index(given.content))


def _single_files(paths: Sequence[Path], spreadsheet_safe: bool, problems: Problems) -> Iterable[tuple[Path, bool]]:
    for path in paths:
        if not path.is_dir():
            yield path, spreadsheet_safe
            continue
        try:
            yield from _tables_of_export(path)
        except BadInput as error:
            problems.take(error)


def _tables_of_export(folder: Path) -> Iterable[tuple[Path, bool]]:
    """The tables of an export that come in, in one format each; what the manifest says must hold."""
    entries: list[dict[str, Any]] = check_manifest(folder)["tables"]
    n_found = 0
    for content in Content:
        of_kind = {entry.get("format"): entry for entry in entries if entry["name"] == content}
        entry = next((of_kind[form] for form in map(str, PREFERRED) if form in of_kind), None)
        if entry is not None:
            n_found += 1
            yield folder / Path(entry["file"]).name, bool(entry.get("spreadsheet_safe"))
    if not n_found:
        raise bad_file(folder.name, _("The export has none of the tables that can be imported."))


def sha256_of(paths: Iterable[Path]) -> str:
    """One hash over the content of the files, whatever their names and order."""
    each = []
    for path in paths:
        with path.open("rb") as file:
            each.append(hashlib.file_digest(file, "sha256").hexdigest())
    return hashlib.sha256("\n".join(sorted(each)).encode()).hexdigest()
