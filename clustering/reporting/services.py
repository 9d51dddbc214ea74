"""Ask for a figure or a report as a file, take it, and delete what nobody may have any more."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from clustering.models import RunFigure
from clustering.reporting import selectors
from clustering.reporting.selectors import AUDIENCES, FIGURE, FILES, KINDS, REPORT
from core import audit
from core.canonical import content_sha256
from core.errors import Conflict, Invalid
from core.models import Run
from core.runs import Computed, RunningRun, publish, queue_run
from studies.models import Study

By = AbstractBaseUser | AnonymousUser | None
FORMATS = ("svg", "png", "pdf")


@transaction.atomic
def start_figure(*, study: Study, row: RunFigure, form: str, by: By, now: datetime) -> Run:
    """Ask for a figure in a format; the file that is there or under way, if there is one.

    Raises
    ------
    Invalid
        If there is no such format.
    """
    if form not in FORMATS:
        raise Invalid(_("A figure comes as SVG, PNG or PDF."), code="unknown_format")
    parameters = {"run": str(row.run.public_id), "figure": row.name, "format": form}
    if made := _made_before(FIGURE, study, parameters, now):
        return made
    run = _queue(FIGURE, study, parameters, by=by, now=now)
    publish(run)
    return run


@transaction.atomic
def start_report(*, study: Study, run: Run, audience: str, by: By, now: datetime) -> Run:
    """Ask a worker for the report about a finished run, see `queue_report`."""
    made = queue_report(study=study, run=run, audience=audience, by=by, now=now)
    publish(made)
    return made


@transaction.atomic
def queue_report(*, study: Study, run: Run, audience: str, by: By, now: datetime) -> Run:
    """The unfinished report about a finished run, for the team or for others, made if there is none.

    It is always made anew, since names and texts may have changed.

    Raises
    ------
    Invalid
        If there is no such audience.
    Conflict
        If the run has no result.
    """
    if audience not in AUDIENCES:
        raise Invalid(_("A report is for the team or for others."), code="unknown_audience")
    if run.status != Run.Status.FINISHED:
        raise Conflict(_("Only a finished run can be reported."))
    return _queue(REPORT, study, {"run": str(run.public_id), "audience": audience}, by=by, now=now)


def _queue(kind: str, study: Study, parameters: dict[str, Any], *, by: By, now: datetime) -> Run:
    run = queue_run(
        kind=kind,
        subject_kind="study",
        subject_id=study.public_id,
        parameters=parameters,
        seed=0,
        by=by,
        now=now,
    )
    _note(f"{kind}.queued", study, run, by=by, now=now)
    return run


def _made_before(kind: str, study: Study, parameters: dict[str, Any], now: datetime) -> Run | None:
    same = selectors.file_runs(study).filter(kind=kind, parameters_sha256=content_sha256(parameters))
    made = same.filter(status=Run.Status.FINISHED).first()
    if made is None or selectors.reason_against(made, now=now):
        return None
    assert made.result is not None, "what may be downloaded is finished"
    return made if default_storage.exists(made.result["file"]) else None


@transaction.atomic
def take_file(*, study: Study, run: Run, by: By, now: datetime) -> str:
    """The name of the file of `run` in Django's storage, for somebody who downloads it, which is noted.

    Raises
    ------
    Conflict
        If it has expired, or may hold what was erased since.
    """
    if reason := selectors.reason_against(run, now=now):
        raise Conflict(reason, code="not_downloadable")
    assert run.result is not None, "what may be downloaded is finished"
    _note(f"{run.kind}.downloaded", study, run, by=by, now=now)
    return str(run.result["file"])


def _note(event: str, study: Study, run: Run, *, by: By, now: datetime) -> None:
    audit.record(
        event,
        subject_kind="run",
        subject_id=run.public_id,
        study_id=study.public_id,
        by=by,
        now=now,
        **run.parameters,
    )


def purge_files(*, now: datetime) -> int:
    """Delete the files that nobody may download any more, and return how many that were."""
    kept = {
        str(run.result["file"])
        for run in Run.objects.filter(kind__in=KINDS, status=Run.Status.FINISHED)
        if run.result is not None and not selectors.reason_against(run, now=now)
    }
    n_deleted = 0
    for folder in _folders():
        if Run.objects.filter(kind__in=KINDS, public_id=folder).unfinished().exists():
            continue
        names = [f"{FILES}/{folder}/{name}" for name in default_storage.listdir(f"{FILES}/{folder}")[1]]
        for name in set(names) - kept:
            default_storage.delete(name)
            n_deleted += 1
        if not kept.intersection(names):
            default_storage.delete(f"{FILES}/{folder}")
    return n_deleted


def _folders() -> list[str]:
    return default_storage.listdir(FILES)[0] if default_storage.exists(FILES) else []


def compute_figure(running: RunningRun) -> Computed:
    """Executor of figures as files."""
    from clustering.reporting import computing

    return computing.figure(running)


def compute_report(running: RunningRun) -> Computed:
    """Executor of reports."""
    from clustering.reporting import computing

    return computing.report(running)
