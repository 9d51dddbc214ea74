"""Single files of a report that are made of its document at once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from annotation.reporting.html import whole_page
from annotation.reporting.tables import tables_of
from core.canonical import canonical_json
from core.tables import Format, write_table

Document = dict[str, Any]


def _as_csv(report: Document) -> str:
    """Every coefficient of every cell, as in `estimates.csv` of the archive."""
    table = tables_of(report)[0]
    with tempfile.TemporaryDirectory(prefix="polyphony-agreement-") as scratch:
        return write_table(table, table.rows(), scratch, Format.CSV).path.read_text(encoding="utf-8")


FILES: dict[str, tuple[Callable[[Document], str], str]] = {
    "csv": (_as_csv, "text/csv; charset=utf-8"),
    "html": (whole_page, "text/html; charset=utf-8"),
    "json": (lambda report: canonical_json(report) + "\n", "application/json"),
}


def file_of(report: Document, form: str) -> tuple[bytes, str]:
    """The content of a file and its media type."""
    make, media_type = FILES[form]
    return make(report).encode("utf-8"), media_type
