"""Exports: a folder written at once or not at all, and the same as a run of the worker, kept for some days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import repeat
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from core.errors import Conflict, Invalid, NotAllowed
from core.models import Run
from core.runs import publish, queue_run
from core.tables import Format
from studies.data import selectors
from studies.data.columns import IDENTITY_PERMISSION
from studies.data.folder import Choice, Content, Tell, write_folder
from studies.data.places import appearing, put
from studies.data.selectors import ARCHIVES, KIND
from studies.data.snapshot import snapshot
from studies.models import Study

By = AbstractBaseUser | AnonymousUser | None


def export_study(
    *,
    study: Study,
    folder: Path,
    formats: Sequence[Format | str] = (Format.CSV, Format.PARQUET),
    spreadsheet_safe: bool = False,
    include_external_ids: bool = False,
    by: By,
    now: datetime,
    tell: Tell | None = None,
) -> Content:
    """Write everything about `study` into the new or empty `folder` and return the manifest.

    All tables show one moment. The folder appears complete or not at all.

    Raises
    ------
    Conflict
        If there is something in the folder.
    NotAllowed
        If recruiters' ids are asked for by an account without the permission; `by` None is the command line.
    """
    choice = chosen(formats, spreadsheet_safe=spreadsheet_safe, include_external_ids=include_external_ids)
    refuse_external_ids_to(by, choice)
    with appearing(folder) as part:
        content = write_snapshot(study=study, folder=part, choice=choice, now=now, tell=tell)
        with transaction.atomic():
            note_export(study=study, content=content, by=by, now=now)
            put(part, folder)
    return content


def write_snapshot(*, study: Study, folder: Path, choice: Choice, now: datetime, tell: Tell | None = None) -> Content:
    """Write one state of the study into the empty `folder`; no audit event."""
    with snapshot() as is_snapshot:
        # Read again, since the snapshot may be later than whatever the caller has looked at.
        present = Study.objects.select_related("current_version").get(pk=study.pk)
        return write_folder(
            study=present, folder=folder, choice=choice, now=now, is_snapshot=is_snapshot, tell=tell or _silent
        )


def _silent(done: int, total: int, note: str) -> None:
    """Tell nobody."""


def chosen(formats: Sequence[Format | str], *, spreadsheet_safe: bool, include_external_ids: bool) -> Choice:
    """The choice that these options make, each format once."""
    if not formats:
        raise Invalid(_("Choose at least one format."), code="no_format")
    return Choice(tuple(dict.fromkeys(Format(name) for name in formats)), spreadsheet_safe, include_external_ids)


def refuse_external_ids_to(by: By, choice: Choice) -> None:
    """Refuse recruiters' ids to accounts without the permission for them."""
    if not choice.include_external_ids or by is None:
        return
    if not by.has_perm(IDENTITY_PERMISSION):  # type: ignore[union-attr]
        message = _("Recruiters' ids leave the platform only with a permission of their own, which you do not have.")
        raise NotAllowed(message, code="no_external_ids")


def note_export(*, study: Study, content: Content, by: By, now: datetime) -> None:
    """Leave an audit event with what was exported."""
    audit.record(
        "study.exported",
        subject_kind="study",
        subject_id=study.public_id,
        study_id=study.public_id,
        by=by,
        now=now,
        rows={entry["name"]: entry["rows"] for entry in content["tables"]},
        **content["about"]["choice"],
    )


def _note_run(event: str, study: Study, run: Run, *, by: By, now: datetime, **detail: Any) -> None:
    audit.record(
        event, subject_kind="run", subject_id=run.public_id, study_id=study.public_id, by=by, now=now, **detail
    )


@transaction.atomic
def start_export(
    *,
    study: Study,
    formats: Sequence[Format | str] = (Format.CSV, Format.PARQUET),
    spreadsheet_safe: bool = False,
    include_external_ids: bool = False,
    by: By,
    now: datetime,
) -> Run:
    """Queue an export and tell a worker; the unfinished run of the same choice, if there is one."""
    choice = chosen(formats, spreadsheet_safe=spreadsheet_safe, include_external_ids=include_external_ids)
    refuse_external_ids_to(by, choice)
    run = queue_run(
        kind=KIND,
        subject_kind="study",
        subject_id=study.public_id,
        parameters=choice.to_dict(),
        seed=0,
        by=by,
        now=now,
    )
    _note_run("study.export_queued", study, run, by=by, now=now, **choice.to_dict())
    publish(run)
    return run


@transaction.atomic
def take_archive(*, study: Study, run: Run, by: By, now: datetime) -> str:
    """The name of the archive of `run` in Django's storage, for somebody who downloads it, which is noted.

    Raises
    ------
    Conflict
        If it has expired, or holds what was erased since.
    NotAllowed
        If it holds recruiters' ids and `by` lacks the permission.
    """
    refuse_external_ids_to(by, Choice.from_dict(run.parameters))
    if reason := selectors.reason_against(run, now=now):
        raise Conflict(reason, code="not_downloadable")
    assert run.result is not None, "what may be downloaded is finished"
    _note_run("study.export_downloaded", study, run, by=by, now=now)
    return str(run.result["file"])


def purge_exports(*, now: datetime) -> int:
    """Delete the archives that nobody may download any more, and return how many files that were.

    Those are the expired, those from before somebody withdrew, and what a worker left that died before it finished.
    """
    kept = {name for name in map(selectors.downloadable_file, selectors.export_runs(), repeat(now)) if name}
    n_deleted = 0
    for folder in _folders_in(ARCHIVES):
        if Run.objects.filter(kind=KIND, public_id=folder).unfinished().exists():
            continue
        names = [f"{ARCHIVES}/{folder}/{name}" for name in default_storage.listdir(f"{ARCHIVES}/{folder}")[1]]
        for name in set(names) - kept:
            default_storage.delete(name)
            n_deleted += 1
        if not kept.intersection(names):
            default_storage.delete(f"{ARCHIVES}/{folder}")
    return n_deleted


def _folders_in(folder: str) -> list[str]:
    return default_storage.listdir(folder)[0] if default_storage.exists(folder) else []


def compute_export(running: Any) -> Any:
    """Executor of exports."""
    from studies.data import computing

    return computing.export(running)
