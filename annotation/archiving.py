"""The executor of exports of audits: a folder in a scratch place, packed, and handed to Django's storage."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage
from django.utils import timezone

from annotation.models import Campaign, Packet
from annotation.selectors.archives import FOLDER
from annotation.services.sharing import note_export, write_snapshot
from annotation.sharing import Choice, Content
from core.canonical import content_sha256
from core.models import Run
from core.runs import Computed, RunningRun
from studies.data.archive import write_archive
from studies.data.computing import reporting


def export(running: RunningRun) -> Computed:
    """Write the packet's tables as of now, pack them, store the archive; the result says what is in it."""
    run = running.run
    campaign = Campaign.objects.get(public_id=run.subject_id)
    packet = Packet.objects.get(campaign=campaign, number=run.parameters["packet"])
    choice = Choice.from_dict(run.parameters)
    running.progress(0, 0)
    with tempfile.TemporaryDirectory(prefix="polyphony-audit-") as scratch, reporting(running) as report:
        now = timezone.now()
        scope = "public" if choice.is_public else "private"
        folder = Path(scratch) / f"{campaign.slug}-{scope}-{now:%Y%m%dT%H%M%SZ}"
        folder.mkdir(mode=0o700)
        content = write_snapshot(packet=packet, folder=folder, choice=choice, now=now, tell=report.tell)
        archive = folder.with_suffix(".zip")
        write_archive(folder, archive)
        report.refuse_if_lost()
        result = _stored(run, archive, content)
    digest = content_sha256({"parameters": run.parameters, "tables": result["tables"]})

    def store(finished: Run) -> None:
        note_export(campaign=campaign, content=content, by=finished.created_by, now=finished.finished_at or now)

    return Computed(digest, result, store)


def _stored(run: Run, archive: Path, content: Content) -> dict[str, object]:
    with archive.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        name = default_storage.save(f"{FOLDER}/{run.public_id}/{archive.name}", File(file))
    return {
        "file": name,
        "bytes": archive.stat().st_size,
        "sha256": sha256,
        "snapshot_at": content["created_at"],
        "tables": {entry["file"]: {"rows": entry["rows"], "sha256": entry["sha256"]} for entry in content["tables"]},
    }
