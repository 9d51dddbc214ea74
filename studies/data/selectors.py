"""Which exports of a study there are, and which of them may still be downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from core.models import Run
from studies.data.columns import IDENTITY_PERMISSION
from studies.models import Study, Tombstone

KIND = "export"
ARCHIVES = "exports"
"""The folder of the archives in Django's storage; below it one a run."""

KEPT = timedelta(days=7)
"""How long an archive can be downloaded after it was made."""


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One export on the page: its run, and why there is nothing to download, if so."""

    run: Run
    n_bytes: int
    expires_at: datetime | None
    why_not: str

    @property
    def is_downloadable(self) -> bool:
        """Whether whoever sees the line may have the file."""
        return not self.why_not


def export_runs(study: Study | None = None) -> QuerySet[Run]:
    """The exports of one study or of all, newest first."""
    runs = Run.objects.filter(kind=KIND).order_by("-id")
    return runs if study is None else runs.filter(subject_id=str(study.public_id))


def unfinished_export(study: Study) -> Run | None:
    """The export that is queued or under way, the one asked for last."""
    return export_runs(study).filter(status__in=[Run.Status.QUEUED, Run.Status.RUNNING]).first()


def export_lines(study: Study, user: Any, *, now: datetime, limit: int = 20) -> Sequence[ExportLine]:
    """The last exports of the study as `user` may use them."""
    may_identify = user.has_perm(IDENTITY_PERMISSION)
    lines = []
    for run in export_runs(study).select_related("created_by")[:limit]:
        result = run.result or {}
        why_not = reason_against(run, now=now) or ("" if may_identify else _needs_permission(run))
        expires_at = run.finished_at + KEPT if run.result is not None and run.finished_at else None
        lines.append(ExportLine(run, int(result.get("bytes", 0)), expires_at, why_not))
    return lines


def _needs_permission(run: Run) -> str:
    if run.parameters["include_external_ids"]:
        return _("It holds recruiters' ids, for which you lack the permission.")
    return ""


def reason_against(run: Run, *, now: datetime) -> str:
    """Why the archive of `run` may not be downloaded, whoever asks; empty if it may."""
    if run.status == Run.Status.FAILED:
        return run.error
    if run.result is None or run.finished_at is None:
        return _("It is not finished yet.")
    if now >= run.finished_at + KEPT:
        return _("It has expired. Export anew.")
    if _withdrawn_since(run):
        return _("Somebody has withdrawn since: it holds what was erased. Export anew.")
    return ""


def _withdrawn_since(run: Run) -> bool:
    assert run.result is not None, "asked of finished runs only"
    since = datetime.fromisoformat(run.result["snapshot_at"])
    return Tombstone.objects.filter(study__public_id=run.subject_id, withdrawn_at__gte=since).exists()


def downloadable_file(run: Run, now: datetime) -> str | None:
    """The name of the archive of `run` in the storage, if it may be downloaded."""
    return None if run.result is None or reason_against(run, now=now) else str(run.result["file"])
