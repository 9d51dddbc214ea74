"""Everything of a report as files: JSON, page, tables in two formats, matrix, dictionary, and hashes of all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation.reporting.html import whole_page
from annotation.reporting.matrices import write_matrix
from annotation.reporting.tables import tables_of
from annotation.stats.material import Material
from core.canonical import canonical_json
from core.tables import Format, data_dictionary, dictionary_markdown, write_table

FORMATS = (Format.CSV, Format.PARQUET)


def write_folder(report: dict[str, Any], material: Material, folder: Path) -> Sequence[Path]:
    """Write all files of a report into a folder, which is made; equal reports give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = tables_of(report)
    dictionary = data_dictionary(tables)
    paths = [
        _text(folder / "report.json", canonical_json(report) + "\n"),
        _text(folder / "report.html", whole_page(report)),
        _text(folder / "data_dictionary.md", dictionary_markdown(tables)),
        write_table(dictionary, dictionary.rows(), folder, Format.CSV).path,
        *(write_table(table, table.rows(), folder, form).path for table in tables for form in FORMATS),
        folder / "matrix.csv",
    ]
    with paths[-1].open("w", encoding="utf-8", newline="") as file:
        write_matrix(material, file)
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(paths))
    return [*paths, _text(folder / "SHA256SUMS", "".join(sums))]


def _text(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8", newline="\n")
    return path
