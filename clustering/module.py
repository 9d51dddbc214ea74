"""What `clustering` offers a study through the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clustering import exports, selectors, services
from core.registry import StudyModule
from studies.models import Study


def summary(study: Study) -> Sequence[tuple[Any, Any]]:
    """Whether there are results, for the study's page."""
    run = selectors.reported_run(study)
    unfinished = selectors.unfinished_run(study)
    state = unfinished.get_status_display() if unfinished else None
    return [
        (_("Last results (UTC)"), f"{run.finished_at:%Y-%m-%d %H:%M}" if run and run.finished_at else _("none yet")),
        *([(_("Run under way"), state)] if state else []),
    ]


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """The results of the study, the runs that computed them, and which questions are worth asking again."""
    written = [(_("Screening"), reverse("clustering:screening", args=[study.slug]))] if "write" in study.blocks else []
    return [
        (_("Results"), reverse("clustering:results", args=[study.slug])),
        (_("Runs"), reverse("clustering:runs", args=[study.slug])),
        *written,
    ]


module = StudyModule(
    slug="clustering",
    label=gettext_lazy("Opinion groups"),
    tables=exports.tables,
    about=exports.about,
    summary=summary,
    pages=pages,
    erase=services.erase_participation,
)
