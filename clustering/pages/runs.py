"""What identifies a run, and whom it took in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from clustering import selectors
from clustering.inclusion import step_in_words
from clustering.showing.tables import MISSING
from core.models import Run
from studies.models import Enrolment, Study


def flow_in_words(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A flow of n with its steps in words."""
    return [{"step": step_in_words(row), "n": row["n"]} for row in rows]


def flow_of(run: Run) -> list[dict[str, Any]]:
    """The flow of n of each question."""
    lines = (run.result or {}).get("flow", [])
    return [{"question": line["question"], "rows": flow_in_words(line["rows"])} for line in lines]


def origin_notes(study: Study, run: Run) -> dict[str, bool]:
    """What a reader must know about the people behind the numbers."""
    origins = run.parameters["inclusion"]["origins"]
    return {
        "simulated": Enrolment.Origin.SIMULATED.value in origins,
        "withdrawn_data": selectors.contains_withdrawn_data(run, study),
    }


def run_context(study: Study, run: Run) -> dict[str, Any]:
    """What identifies a run and what it took in."""
    return {
        "settings": sorted(flat(run.parameters)),
        "versions": sorted(run.versions.items()),
        "flow": flow_of(run),
        "downloads": downloads(study, run) if run.result is not None else [],
    }


def downloads(study: Study, run: Run) -> list[dict[str, str]]:
    """The numbers of a run as files."""
    return [
        {"url": reverse("clustering:scores-csv", args=[study.slug, run.public_id]), "label": _("Scores (CSV)")},
        {"url": reverse("clustering:result-json", args=[study.slug, run.public_id]), "label": _("Whole result (JSON)")},
    ]


def flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as lines of name and value."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from flat(value, f"{name}.")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield name, MISSING if shown is None else str(shown)
