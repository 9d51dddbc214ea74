"""An export as a folder: tables, data dictionary, definitions and manifest."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from core import registry
from core.canonical import canonical_json, text_sha256
from core.runs import versions
from core.tables import (
    Column,
    Format,
    Kind,
    Table,
    Written,
    data_dictionary,
    dictionary_markdown,
    manifest,
    write_table,
)
from core.tables import write_manifest as write_content
from studies.models import Study

DICTIONARY = "data_dictionary.md"
SMALL_GROUP = 5
"""Groups of fewer people are not shown outside the team."""

Tell = Callable[[int, int, str], None]
"""Told how many files of how many are written, and which comes next."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What an export holds and how it is written."""

    formats: tuple[Format, ...] = (Format.CSV, Format.PARQUET)
    spreadsheet_safe: bool = False
    include_external_ids: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, for the parameters of a run and the manifest."""
        return {
            "formats": sorted(str(form) for form in self.formats),
            "spreadsheet_safe": self.spreadsheet_safe,
            "include_external_ids": self.include_external_ids,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Choice:
        """The choice back from a run."""
        formats = tuple(Format(name) for name in values["formats"])
        return cls(formats, bool(values["spreadsheet_safe"]), bool(values["include_external_ids"]))


def all_tables() -> list[Table]:
    """The tables of every app, lower apps first.

    Raises
    ------
    ValueError
        If two apps declare tables of the same name.
    """
    tables = [table for module in registry.modules() for table in module.tables()]
    names = [table.name for table in tables]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"two apps export tables of the name {', '.join(twice)}")
    return tables


def dictionary_text(*, include_personal: bool) -> str:
    """The data dictionary of every app for people, in Markdown, with what holds for all tables."""
    notes = "\n".join(f"* {note}" for note in notes_on_exports())
    tables = dictionary_markdown(all_tables(), include_personal=include_personal)
    return f"{tables}\n## {_('Notes')}\n\n{notes}\n"


def notes_on_exports() -> list[str]:
    """What whoever uses an export must know."""
    return [
        _(
            "These files are for the study's team. They hold groups of fewer than %(n)d people, which must not be "
            "shown outside it."
        )
        % {"n": SMALL_GROUP},
        _("Previews are left out. Simulated participants are marked by their origin."),
        _("What was not shown or not answered has no row, or a reason in the column missing; it is never 0."),
        _(
            "A spreadsheet that opens CSV directly may turn a code such as 219E01BE into a number and start formulas: "
            "import it as text, or export the spreadsheet-safe form."
        ),
    ]


def write_folder(
    *, study: Study, folder: Path, choice: Choice, now: datetime, is_snapshot: bool, tell: Tell
) -> Content:
    """Write everything into `folder`, which is there and empty, and return the manifest. Run it in a snapshot."""
    tables = [table for table in all_tables() if table.visible(include_personal=choice.include_external_ids)]
    written = list(_written_tables(study, tables, folder, choice, tell))
    dictionary = data_dictionary(all_tables(), include_personal=choice.include_external_ids)
    written.append(_written(dictionary, dictionary.rows(), folder, Format.CSV, choice))
    text = dictionary_text(include_personal=choice.include_external_ids)
    about = {
        "study": _identity(study),
        "definitions": _definitions(study, folder),
        "files": [_written_text(folder / DICTIONARY, text)],
        "choice": choice.to_dict(),
        "is_snapshot": is_snapshot,
        "conventions": conventions(tables),
        "notes": notes_on_exports(),
        "program": program(),
        **_of_apps(study),
    }
    content = manifest(written, now=now, about=about)
    write_content(folder, content)
    return content


Content = dict[str, Any]


def _written_tables(
    study: Study, tables: Sequence[Table], folder: Path, choice: Choice, tell: Tell
) -> Iterator[Written]:
    total = len(tables) * len(choice.formats)
    pairs = [(table, form) for table in tables for form in choice.formats]
    for number, (table, form) in enumerate(pairs):
        tell(number, total, table.name)
        yield _written(table, table.rows(study), folder, form, choice)


def _written(table: Table, rows: Any, folder: Path, form: Format, choice: Choice) -> Written:
    return write_table(
        table,
        rows,
        folder,
        form,
        include_personal=choice.include_external_ids,
        spreadsheet_safe=choice.spreadsheet_safe,
    )


def _written_text(path: Path, text: str) -> dict[str, Any]:
    data = text.encode("utf-8")
    path.write_bytes(data)
    return {"file": path.name, "bytes": len(data), "sha256": text_sha256(text)}


def _definitions(study: Study, folder: Path) -> list[dict[str, Any]]:
    """Write each published version's definition as the canonical JSON whose SHA-256 the version carries."""
    entries = []
    for version in study.versions.filter(is_preview=False).order_by("number").iterator(chunk_size=20):
        path = folder / f"definition-v{version.number}.json"
        file = _written_text(path, canonical_json(version.definition))
        published = version.published_at.isoformat()
        about = {"version": version.number, "published_at": published, "reason": version.reason}
        entries.append({**file, **about, "version_sha256": version.sha256})
    return entries


def _identity(study: Study) -> dict[str, Any]:
    current = study.current_version
    return {
        "slug": study.slug,
        "title": study.title,
        "public_id": str(study.public_id),
        "status": str(study.status),
        "version": current.number if current else None,
        "version_sha256": current.sha256 if current else None,
    }


def _of_apps(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in registry.modules():
        if module.about is not None:
            found |= module.about(study)
    return found


def conventions(tables: Sequence[Table]) -> dict[str, dict[str, str]]:
    """What each number of a closed list means, signs included, by table and column."""
    return {
        f"{table.name}.{column.name}": {str(value): str(meaning) for value, meaning in column.values.items()}
        for table in tables
        for column in table.columns
        if _is_coded_number(column) and column.values is not None
    }


def _is_coded_number(column: Column) -> bool:
    return column.kind is Kind.INTEGER and column.values is not None


def program() -> dict[str, str]:
    """The versions of the program and of what it counts with."""
    return {
        "polyphony": _version(),
        "python": platform.python_version(),
        "pyarrow": metadata.version("pyarrow"),
        **versions(),
    }


@lru_cache(maxsize=1)
def _version() -> str:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])
