"""Which files there are, and which of them may still be downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from clustering.models import RunFigure
from clustering.parameters import OVERTON
from core.models import Run
from studies.models import Study, Tombstone

FIGURE = "figure"
REPORT = "report"
KINDS = (FIGURE, REPORT)
FILES = "results"
"""The folder of the files in Django's storage; below it one a run."""

KEPT = timedelta(days=7)
"""How long a file can be downloaded after it was made."""

MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
}
TEAM, OUTSIDE = "team", "outside"
AUDIENCES = (TEAM, OUTSIDE)


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file of a run: whether it is under way, ready, or why there is none."""

    run: Run
    n_bytes: int
    why_not: str

    @property
    def is_ready(self) -> bool:
        """Whether it may be downloaded."""
        return not self.why_not


def file_runs(study: Study) -> QuerySet[Run]:
    """The runs that made files of a study, newest first."""
    return Run.objects.filter(kind__in=KINDS, subject_id=str(study.public_id)).order_by("-id")


def file_line(run: Run, *, now: datetime) -> FileLine:
    """A run as a file."""
    return FileLine(run, int((run.result or {}).get("bytes", 0)), reason_against(run, now=now))


def reports_of(study: Study, of_run: Run, *, now: datetime, limit: int = 5) -> list[FileLine]:
    """The last reports about a run."""
    runs = file_runs(study).filter(kind=REPORT, parameters__run=str(of_run.public_id))
    return [file_line(run, now=now) for run in runs[:limit]]


def reason_against(run: Run, *, now: datetime) -> str:
    """Why the file of `run` may not be downloaded, whoever asks; empty if it may."""
    if run.status == Run.Status.FAILED:
        return run.error
    if run.result is None or run.finished_at is None:
        return _("It is not finished yet.")
    if now >= run.finished_at + KEPT:
        return _("It has expired. Make it anew.")
    if _withdrawn_since(run):
        return _("Somebody has withdrawn since: it may hold what was erased. Make it anew.")
    return ""


def _withdrawn_since(run: Run) -> bool:
    assert run.result is not None, "asked of finished runs only"
    since = datetime.fromisoformat(run.result["made_at"])
    return Tombstone.objects.filter(study__public_id=run.subject_id, withdrawn_at__gte=since).exists()


def result_run(study: Study, public_id: UUID) -> Run | None:
    """A finished run of the study's results, or a part of one; None if there is none."""
    of_study = Q(kind=OVERTON, subject_id=str(study.public_id))
    part = Q(parent__kind=OVERTON, parent__subject_id=str(study.public_id))
    return Run.objects.finished().filter(of_study | part, public_id=public_id).first()


def figure_row(study: Study, public_id: UUID, name: str) -> RunFigure | None:
    """A stored figure of a run of the study."""
    run = result_run(study, public_id)
    return None if run is None else RunFigure.objects.filter(run=run, name=name).select_related("run").first()
