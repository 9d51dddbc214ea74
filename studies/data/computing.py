"""The executor of exports: a folder in a scratch place, packed, and handed to Django's storage."""

from __future__ import annotations

import hashlib
import logging
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from core.canonical import content_sha256
from core.models import Run
from core.runs import Computed, LostClaim, RunningRun
from studies.data.archive import write_archive
from studies.data.folder import Choice, Content
from studies.data.selectors import ARCHIVES
from studies.data.services import note_export, write_snapshot
from studies.models import Study

logger = logging.getLogger(__name__)

BEAT_S = 3.0
"""How often a run under way says where it is; its lease is many times that."""


def export(running: RunningRun) -> Computed:
    """Write the study's tables as of now, pack them, store the archive; the result says what is in it."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    choice = Choice.from_dict(run.parameters)
    running.progress(0, 0)
    with tempfile.TemporaryDirectory(prefix="polyphony-export-") as scratch, reporting(running) as report:
        now = timezone.now()
        folder = Path(scratch) / f"{study.slug}-{now:%Y%m%dT%H%M%SZ}"
        folder.mkdir(mode=0o700)
        content = write_snapshot(study=study, folder=folder, choice=choice, now=now, tell=report.tell)
        archive = folder.with_suffix(".zip")
        write_archive(folder, archive)
        report.refuse_if_lost()
        result = _stored(run, archive, content)
    digest = content_sha256({"parameters": run.parameters, "tables": result["tables"]})

    def store(finished: Run) -> None:
        note_export(study=study, content=content, by=finished.created_by, now=finished.finished_at or now)

    return Computed(digest, result, store)


def _stored(run: Run, archive: Path, content: Content) -> dict[str, object]:
    with archive.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        name = default_storage.save(f"{ARCHIVES}/{run.public_id}/{archive.name}", File(file))
    return {
        "file": name,
        "bytes": archive.stat().st_size,
        "sha256": sha256,
        "snapshot_at": content["created_at"],
        "includes_personal_data": content["includes_personal_data"],
        "tables": {entry["file"]: {"rows": entry["rows"], "sha256": entry["sha256"]} for entry in content["tables"]},
    }


@dataclass(slots=True)
class Report:
    """How far an export is, handed from the thread that writes it to the one that says so."""

    running: RunningRun
    state: tuple[int, int, str] = (0, 0, "")
    is_over: threading.Event = field(default_factory=threading.Event)
    is_lost: threading.Event = field(default_factory=threading.Event)

    def tell(self, done: int, total: int, note: str) -> None:
        """Take the state over."""
        self.refuse_if_lost()
        self.state = (done, total, note)

    def refuse_if_lost(self) -> None:
        """Stop if another worker has taken the run over."""
        if self.is_lost.is_set():
            raise LostClaim(str(self.running.run.public_id))

    def beat(self, every_s: float) -> None:
        """Say the state, and renew the lease with it, until it is over."""
        try:
            while not self.is_over.wait(every_s):
                self.running.progress(*self.state)
        except LostClaim:
            self.is_lost.set()
        finally:
            connection.close()


@contextmanager
def reporting(running: RunningRun, every_s: float = BEAT_S) -> Iterator[Report]:
    """Report progress over a connection of its own: the one that reads the snapshot may not write meanwhile."""
    report = Report(running)
    thread = threading.Thread(target=report.beat, args=(every_s,), daemon=True, name="export-progress")
    thread.start()
    try:
        yield report
    finally:
        report.is_over.set()
        thread.join()
