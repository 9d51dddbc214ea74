"""Agreement reports of campaigns as runs: the button, the admin's action, the API and the command share them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.models import Campaign, Packet
from annotation.selectors.completeness import judgements_sha256
from annotation.selectors.reports import KIND, archive_name
from annotation.services.common import record
from core.errors import Conflict
from core.models import Run
from core.runs import CannotCompute, Computed, RunningRun, publish, queue_run

REPLICATES = 1000
LEVEL = 0.95


@transaction.atomic
def start(*, campaign: Campaign, by: Any, now: datetime, seed: int = 0, replicates: int = REPLICATES) -> Run:
    """Ask a worker for the report, see :func:`queue`."""
    run = queue(campaign=campaign, by=by, now=now, seed=seed, replicates=replicates)
    publish(run)
    return run


@transaction.atomic
def queue(*, campaign: Campaign, by: Any, now: datetime, seed: int = 0, replicates: int = REPLICATES) -> Run:
    """The unfinished report of these settings, made if there is none.

    After unblinding it takes hidden fields in; between lock and unblinding it does without.

    Raises
    ------
    Conflict
        If the packet is not locked: while people judge, nobody looks at how far they agree.
    """
    packet = reportable(campaign)
    parameters = {
        "packet": packet.number,
        "hidden": access.is_unblinded(campaign),
        "replicates": replicates,
        "level": LEVEL,
    }
    run = queue_run(
        kind=KIND,
        subject_kind="campaign",
        subject_id=campaign.public_id,
        parameters=parameters,
        seed=seed,
        by=by,
        now=now,
    )
    record(campaign, "report_queued", by=by, now=now, run=str(run.public_id))
    return run


def reportable(campaign: Campaign) -> Packet:
    """The locked packet of a campaign."""
    packet = campaign.current_packet
    if packet is None or not hasattr(packet, "lock"):
        raise Conflict(_("Lock the packet first: nobody looks at agreement while people judge."), code="not_locked")
    return packet


def compute(running: RunningRun) -> Computed:
    """Executor of agreement reports."""
    from annotation.reporting import campaigns

    run = running.run
    packet = Packet.objects.filter(
        campaign__public_id=run.subject_id, number=run.parameters["packet"], lock__isnull=False
    ).first()
    if packet is None:
        raise CannotCompute(_("The packet is not there any more."))
    made = campaigns.report_of(
        packet,
        with_hidden=run.parameters["hidden"],
        seed=run.seed,
        replicates=run.parameters["replicates"],
        level=run.parameters["level"],
        tell=running.progress,
    )
    name = archive_name(run)
    if default_storage.exists(name):  # an attempt before this one wrote it and died
        default_storage.delete(name)
    default_storage.save(name, ContentFile(campaigns.packed(made)))
    return Computed(judgements_sha256(packet), made.document)
