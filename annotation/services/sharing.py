"""Exports of audits: written by the worker, kept for some days, taken by those who may."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _

from annotation import access
from annotation.models import Campaign, Packet
from annotation.selectors import archives
from annotation.selectors.archives import KIND
from annotation.services.common import record
from annotation.sharing import Choice, Content, write_folder
from core.errors import Conflict, Invalid, NotAllowed
from core.models import Run
from core.runs import publish, queue_run
from core.tables import Format
from studies.data.places import appearing, put
from studies.data.snapshot import snapshot


@transaction.atomic
def start(*, campaign: Campaign, is_public: bool, formats: Sequence[Format | str], by: Any, now: datetime) -> Run:
    """Queue an export of the campaign's frozen packet; the unfinished run of the same choice, if there is one.

    Raises
    ------
    Conflict
        If nothing is frozen, or a public export is asked for before the lock.
    NotAllowed
        If `by` may not see what the private export holds.
    """
    choice = chosen(formats, is_public=is_public)
    packet = exportable(campaign, is_public=is_public, by=by)
    run = queue_run(
        kind=KIND,
        subject_kind="campaign",
        subject_id=campaign.public_id,
        parameters={**choice.to_dict(), "packet": packet.number},
        seed=0,
        by=by,
        now=now,
    )
    record(campaign, "export_queued", by=by, now=now, run=str(run.public_id), **choice.to_dict())
    publish(run)
    return run


def chosen(formats: Sequence[Format | str], *, is_public: bool) -> Choice:
    """The choice that these options make, each format once."""
    if not formats:
        raise Invalid(_("Choose at least one format."), code="no_format")
    return Choice(is_public, tuple(dict.fromkeys(Format(name) for name in formats)))


def exportable(campaign: Campaign, *, is_public: bool, by: Any) -> Packet:
    """The frozen packet, if it may be exported so."""
    packet = campaign.current_packet
    if packet is None:
        raise Conflict(_("The campaign has no frozen packet."), code="not_frozen")
    if not archives.is_locked(packet):
        # Answers of others must reach nobody who still judges, by whichever way.
        raise Conflict(_("Lock the packet first: nobody may see answers while others judge."), code="not_locked")
    refuse_private_to(by, campaign, is_public=is_public)
    packet.campaign = campaign
    return packet


def refuse_private_to(by: Any, campaign: Campaign, *, is_public: bool) -> None:
    """Refuse the export for the team to accounts that may not see hidden fields; the command line has all anyway."""
    if not is_public and by is not None and not access.may_see_hidden(by, campaign):
        raise NotAllowed(_("It holds hidden fields, which you may not see before unblinding."), code="hidden")


def export_packet(
    *, campaign: Campaign, folder: Path, is_public: bool, formats: Sequence[Format | str], by: Any, now: datetime
) -> Content:
    """Write the export into the new or empty `folder`, complete or not at all, and return its manifest."""
    choice = chosen(formats, is_public=is_public)
    packet = exportable(campaign, is_public=is_public, by=by)
    with appearing(folder) as part:
        content = write_snapshot(packet=packet, folder=part, choice=choice, now=now)
        with transaction.atomic():
            note_export(campaign=campaign, content=content, by=by, now=now)
            put(part, folder)
    return content


def write_snapshot(*, packet: Packet, folder: Path, choice: Choice, now: datetime, tell: Any = None) -> Content:
    """Write one state of the packet into the empty `folder`."""
    with snapshot():
        present = Packet.objects.select_related("campaign").get(pk=packet.pk)
        return write_folder(packet=present, folder=folder, choice=choice, now=now, tell=tell or _silent)


def _silent(done: int, total: int, note: str) -> None:
    """Tell nobody."""


def note_export(*, campaign: Campaign, content: Content, by: Any, now: datetime) -> None:
    """Leave an audit event with what was exported."""
    rows = {entry["name"]: entry["rows"] for entry in content["tables"]}
    record(campaign, "exported", by=by, now=now, rows=rows, **content["about"]["choice"])


@transaction.atomic
def take_archive(*, campaign: Campaign, run: Run, by: Any, now: datetime) -> str:
    """The name of the archive of `run` in Django's storage, for somebody who downloads it, which is noted."""
    refuse_private_to(by, campaign, is_public=run.parameters["public"])
    if reason := archives.reason_against(run, now=now):
        raise Conflict(reason, code="not_downloadable")
    assert run.result is not None, "what may be downloaded is finished"
    record(campaign, "export_downloaded", by=by, now=now, run=str(run.public_id))
    return str(run.result["file"])


def purge(*, now: datetime) -> int:
    """Delete the archives that nobody may download any more, and return how many files that were."""
    if not default_storage.exists(archives.FOLDER):
        return 0
    runs = {str(run.public_id): run for run in Run.objects.filter(kind=KIND)}
    n_deleted = 0
    for folder in default_storage.listdir(archives.FOLDER)[0]:
        run = runs.get(folder)
        if run is not None and (run.is_unfinished or not archives.reason_against(run, now=now)):
            continue
        for name in default_storage.listdir(f"{archives.FOLDER}/{folder}")[1]:
            default_storage.delete(f"{archives.FOLDER}/{folder}/{name}")
            n_deleted += 1
        default_storage.delete(f"{archives.FOLDER}/{folder}")
    return n_deleted


def compute(running: Any) -> Any:
    """Executor of exports of audits."""
    from annotation import archiving

    return archiving.export(running)
