"""Exports by the worker: an archive that is the same bytes for the same files, kept for some days."""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as house
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from core import runs
from core.errors import Conflict, NotAllowed
from core.models import AuditEvent, Run
from core.tables import check_manifest
from studies.data import computing, selectors, services
from studies.data.archive import write_archive
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Study
from studies.tasks import purge
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def storage(settings: Any, tmp_path: Path) -> Path:
    """A storage of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "files"
    return tmp_path / "files"


def started(study: Study, **how: Any) -> Run:
    return services.start_export(study=study, **({"by": None, "now": NOW, "formats": ["csv"]} | how))


def finished(study: Study, **how: Any) -> Run:
    run = runs.execute(started(study, **how).pk)
    assert run is not None
    assert run.status == Run.Status.FINISHED
    return run


def test_the_worker_stores_an_archive_that_verifies(rich: Study, storage: Path, tmp_path: Path) -> None:
    run = finished(rich, formats=["csv", "parquet"])

    assert run.result is not None
    archive = storage / run.result["file"]
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == run.result["sha256"]
    assert archive.stat().st_size == run.result["bytes"]
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert folder.name.startswith(rich.slug)
    content = check_manifest(folder)
    assert run.result["tables"]["votes.csv"]["sha256"] in {entry["sha256"] for entry in content["tables"]}


def test_the_result_holds_numbers_and_hashes_and_no_text(rich: Study) -> None:
    run = finished(rich)

    assert "市民" not in str(run.result)
    assert run.input_sha256
    assert AuditEvent.objects.filter(event="study.exported").count() == 1


def test_the_same_data_have_the_same_hash(rich: Study) -> None:
    first, second = finished(rich), finished(rich)

    assert first.pk != second.pk
    assert first.input_sha256 == second.input_sha256


def test_asking_twice_at_once_gives_one_export(rich: Study) -> None:
    assert started(rich) == started(rich)
    assert started(rich, formats=["jsonl"]) != started(rich)


def test_an_archive_is_the_same_bytes_whenever_it_is_packed(tmp_path: Path) -> None:
    packed = []
    for n, names in enumerate((["b.csv", "a.parquet"], ["a.parquet", "b.csv"])):
        folder = tmp_path / str(n) / "out"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(name * 1000)
            os.utime(folder / name, (n * 1_000_000_000, n * 1_000_000_000))
        write_archive(folder, tmp_path / f"{n}.zip")
        packed.append((tmp_path / f"{n}.zip").read_bytes())

    assert packed[0] == packed[1]
    with zipfile.ZipFile(tmp_path / "0.zip") as archive:
        assert archive.namelist() == ["out/a.parquet", "out/b.csv"]


def test_an_archive_expires(rich: Study, storage: Path) -> None:
    run = finished(rich)
    assert run.finished_at is not None
    last_day, after = run.finished_at + timedelta(days=6, hours=23), run.finished_at + timedelta(days=7)

    assert services.take_archive(study=rich, run=run, by=None, now=last_day) == run.result["file"]  # type: ignore[index]
    assert services.purge_exports(now=last_day) == 0
    with pytest.raises(Conflict, match="expired"):
        services.take_archive(study=rich, run=run, by=None, now=after)
    assert services.purge_exports(now=after) == 1
    assert not list(storage.rglob("*.zip"))
    assert services.purge_exports(now=after) == 0


def test_an_archive_ends_when_somebody_withdraws(rich: Study, storage: Path) -> None:
    run = finished(rich)
    withdraw_enrolment(enrolment=rich.enrolments.get(public_code="P000"), by=None, now=timezone.now())

    with pytest.raises(Conflict, match="withdrawn since"):
        services.take_archive(study=rich, run=run, by=None, now=timezone.now())
    purge()
    assert not list(storage.rglob("*.zip"))
    again = finished(rich)
    assert services.take_archive(study=rich, run=again, by=None, now=timezone.now())


def test_what_a_dead_worker_left_is_deleted_but_not_what_is_under_way(rich: Study, storage: Path) -> None:
    kept = finished(rich)
    under_way = started(rich, formats=["jsonl"])
    for run in (kept, under_way):
        default_storage.save(f"exports/{run.public_id}/orphan.zip", ContentFile(b"half"))
    default_storage.save("exports/00000000-0000-4000-8000-000000000000/orphan.zip", ContentFile(b"half"))

    assert services.purge_exports(now=timezone.now()) == 2

    assert {path.relative_to(storage).as_posix() for path in storage.rglob("*.zip")} == {
        kept.result["file"],  # type: ignore[index]
        f"exports/{under_way.public_id}/orphan.zip",
    }


def test_purging_without_any_export_does_nothing(db: None) -> None:
    assert services.purge_exports(now=NOW) == 0


def test_the_purge_is_scheduled() -> None:
    tasks = {entry["task"] for entry in house.CELERY_BEAT_SCHEDULE.values()}

    assert purge.name in tasks


def test_recruiters_ids_need_the_permission_to_ask_and_to_take(rich: Study) -> None:
    olga = UserFactory()

    with pytest.raises(NotAllowed):
        started(rich, by=olga, include_external_ids=True)
    run = finished(rich, include_external_ids=True)
    with pytest.raises(NotAllowed):
        services.take_archive(study=rich, run=run, by=olga, now=timezone.now())
    (line,) = selectors.export_lines(rich, olga, now=timezone.now())
    assert "permission" in line.why_not


def test_who_asked_and_who_took_is_noted(rich: Study) -> None:
    olga = UserFactory()
    run = finished(rich, by=olga)

    services.take_archive(study=rich, run=run, by=olga, now=timezone.now())

    events = AuditEvent.objects.order_by("pk").values_list("event", "by", "study_id")
    assert list(events) == [
        (name, olga.pk, str(rich.public_id))
        for name in ("study.export_queued", "study.exported", "study.export_downloaded")
    ]


def test_a_run_that_was_taken_over_stores_nothing(rich: Study, storage: Path) -> None:
    running = runs.claim(started(rich).pk)
    assert running is not None
    Run.objects.filter(pk=running.run.pk).update(status="queued", claim_token=None)

    with pytest.raises(runs.LostClaim):
        computing.export(running)

    assert not list(storage.rglob("*.zip"))


class Beats:
    """A run that hears of progress, and is lost once it has heard of votes."""

    def __init__(self) -> None:
        self.run, self.heard = Run(), []

    def progress(self, done: int, total: int, note: str = "") -> None:
        if (1, 9, "votes") in self.heard:
            raise runs.LostClaim
        self.heard.append((done, total, note))


@pytest.fixture
def _no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other thread's connection is none of this test's."""
    monkeypatch.setattr(computing, "connection", type("Nothing", (), {"close": lambda self: None})())


@pytest.mark.usefixtures("_no_connection")
def test_progress_is_told_by_a_thread_until_the_claim_is_lost() -> None:
    beats: Any = Beats()

    with computing.reporting(beats, every_s=0.01) as report:
        report.tell(1, 9, "votes")
        assert report.is_lost.wait(10)
        with pytest.raises(runs.LostClaim):
            report.tell(2, 9, "ratings")

    assert (1, 9, "votes") in beats.heard
    assert not [thread for thread in threading.enumerate() if thread.name == "export-progress"]
