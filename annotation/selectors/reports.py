"""Which agreement reports of a campaign there are, and which of their files may be taken."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Campaign, Rater
from annotation.selectors.teams import runs_of
from core.models import Run
from studies.models import Tombstone

KIND = "agreement"
FOLDER = "agreement-reports"
"""The folder of the archives in Django's storage; below it one a run."""


def reports_of(campaign: Campaign) -> QuerySet[Run]:
    """The reports of the campaign, newest first."""
    return runs_of(campaign, KIND)


def latest_report(campaign: Campaign) -> Run | None:
    """The newest finished report; None if there is none."""
    return reports_of(campaign).filter(status=Run.Status.FINISHED).first()


def archive_name(run: Run) -> str:
    """Where the archive of a report lies in Django's storage."""
    return f"{FOLDER}/{run.public_id}/agreement.zip"


def reason_against(run: Run) -> str:
    """Why the files of `run` may not be taken, whoever asks; empty if they may."""
    if run.status == Run.Status.FAILED:
        return run.error
    if run.result is None or run.started_at is None:
        return _("It is not finished yet.")
    if _rater_withdrew(run.subject_id, run.started_at):
        return _("A rater has withdrawn since: it holds what was erased. Report anew.")
    return ""


def _rater_withdrew(campaign_id: str, since: datetime) -> bool:
    raters = Rater.objects.filter(campaign__public_id=campaign_id, enrolment__isnull=False)
    gone = raters.values("enrolment__public_id")
    return Tombstone.objects.filter(enrolment_public_id__in=gone, withdrawn_at__gte=since).exists()
