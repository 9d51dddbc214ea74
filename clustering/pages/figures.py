"""A stored figure with its words, numbers and files, as the templates take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from clustering.models import RunFigure
from clustering.showing.about import about
from clustering.showing.tables import in_words
from clustering.showing.texts import with_texts
from core.models import Run
from studies.models import Study
from voting.models import Statement

FORMATS = ("svg", "png", "pdf")
MOST_NUMBERED = 12
"""As many as `clustering.figures.maps` labels; that module is the worker's alone."""


def figures_of(study: Study, run: Run, *names: str, texts: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The figures of a run by their names, in that order, as far as it has them."""
    found = {row.name: row for row in RunFigure.objects.filter(run=run, name__in=names)}
    return [figure_context(study, run, found[name], texts or {}) for name in names if name in found]


def figure_context(study: Study, run: Run, row: RunFigure, texts: Mapping[str, str]) -> dict[str, Any]:
    """One figure for `components/_figure.html`."""
    words = about(row.name)
    address = [study.slug, run.public_id, row.name]
    notes = row.table.get("notes", {})
    return {
        "id": f"figure-{row.name}",
        "spec_id": f"figure-{row.name}-spec",
        "title": words.title,
        "description": words.description,
        "note": words.note(notes),
        "definition": words.definition,
        "section": words.section,
        "spec": with_texts(row.specification, texts),
        "key": numbered(row, texts),
        "table": in_words(row.table, texts) if row.table else None,
        "render_url": reverse("clustering:figure", args=address),
        "formats": FORMATS,
        "downloads": [{"url": reverse("clustering:figure-csv", args=address), "label": "CSV"}] if row.table else [],
    }


def statement_texts(question_id: int) -> dict[str, str]:
    """The texts of a question's statements by code, as they are now: a text that was erased is gone here too."""
    statements = Statement.objects.filter(question_id=question_id, is_preview=False)
    return {code: text for code, text in statements.values_list("code", "text") if text}


def numbered(row: RunFigure, texts: Mapping[str, str]) -> list[str]:
    """The statements whose number stands in the drawing, in the order of their numbers."""
    if row.name != "loadings" or not row.table:
        return []
    place = row.table["columns"].index("statement")
    return [texts.get(line[place], line[place]) for line in row.table["rows"][:MOST_NUMBERED]]
