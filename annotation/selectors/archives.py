"""Which exports of a campaign there are, and which of them may still be downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation import access
from annotation.models import Campaign, Item, Lock, Packet, Rater
from core.models import Run
from studies.models import Tombstone

KIND = "audit_export"
FOLDER = "audit-exports"
"""The folder of the archives in Django's storage; below it one a run."""
KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ArchiveLine:
    """One export on the page: its run, and why there is nothing to download, if so."""

    run: Run
    n_bytes: int
    expires_at: datetime | None
    why_not: str


def is_locked(packet: Packet) -> bool:
    """Whether judging is over."""
    return Lock.objects.filter(packet=packet).exists()


def runs_of(campaign: Campaign) -> QuerySet[Run]:
    """The exports of the campaign, newest first."""
    return Run.objects.of(KIND, campaign.public_id).filter(subject_kind="campaign").select_related("created_by")


def lines(campaign: Campaign, user: Any, *, now: datetime, limit: int = 20) -> list[ArchiveLine]:
    """The last exports of the campaign as `user` may use them."""
    sees_hidden = access.may_see_hidden(user, campaign)
    found = []
    for run in runs_of(campaign)[:limit]:
        why_not = reason_against(run, now=now)
        if not why_not and not run.parameters["public"] and not sees_hidden:
            why_not = _("It holds hidden fields, which you may not see before unblinding.")
        expires_at = run.finished_at + KEPT if run.result is not None and run.finished_at else None
        found.append(ArchiveLine(run, int((run.result or {}).get("bytes", 0)), expires_at, why_not))
    return found


def reason_against(run: Run, *, now: datetime) -> str:
    """Why the archive of `run` may not be downloaded, whoever asks; empty if it may."""
    if run.status == Run.Status.FAILED:
        return run.error
    if run.result is None or run.finished_at is None:
        return _("It is not finished yet.")
    if now >= run.finished_at + KEPT:
        return _("It has expired. Export anew.")
    if _erased_since(run):
        return _("Somebody has withdrawn since: it holds what was erased. Export anew.")
    return ""


def _erased_since(run: Run) -> bool:
    """Whether an author or a rater has withdrawn since the snapshot."""
    assert run.result is not None, "asked of finished runs only"
    since = datetime.fromisoformat(run.result["snapshot_at"])
    erased = Item.objects.filter(packet__campaign__public_id=run.subject_id, erased_at__gte=since)
    return erased.exists() or _rater_withdrew(run.subject_id, since)


def _rater_withdrew(campaign_id: str, since: datetime) -> bool:
    """Whether a rater who came by the session of a study has withdrawn from it."""
    raters = Rater.objects.filter(campaign__public_id=campaign_id, enrolment__isnull=False)
    gone = raters.values("enrolment__public_id")
    return Tombstone.objects.filter(enrolment_public_id__in=gone, withdrawn_at__gte=since).exists()
