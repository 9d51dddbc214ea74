"""Claim a run, compute it while its lease is kept, and write its result once."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from core.canonical import content_sha256
from core.errors import DomainError
from core.models import Run
from core.models.run import LEASE, MAX_ATTEMPTS, PART_ATTEMPTS

logger = logging.getLogger(__name__)

HEARTBEAT_S = LEASE.total_seconds() / 4


class LostClaim(Exception):
    """Another worker has taken the run over: stop, write nothing."""


class CannotCompute(DomainError):
    """A stated reason why a run ends without a result; shown to the researcher as it stands."""


@dataclass(frozen=True, slots=True)
class Computed:
    """What an executor returns: the hash of what went in, the canonical result, and how to store typed rows of it."""

    input_sha256: str
    result: dict[str, Any]
    store: Callable[[Run], None] | None = None


Executor = Callable[["RunningRun"], Computed]
_executors: dict[str, Executor] = {}


def register_kind(kind: str, executor: Executor) -> None:
    """Make `executor` the one that computes runs of `kind`; called in an app's `ready`."""
    _executors[kind] = executor


@dataclass(slots=True)
class RunningRun:
    """A claimed run in the hands of its executor."""

    run: Run
    token: uuid.UUID

    def progress(self, done: int, total: int, note: str = "") -> None:
        """Report progress and renew the lease.

        Raises
        ------
        LostClaim
            If another worker has taken the run over.
        """
        changed = Run.objects.filter(pk=self.run.pk, claim_token=self.token).update(
            progress_done=done, progress_total=total, progress_note=note[:200], heartbeat_at=timezone.now()
        )
        if not changed:
            raise LostClaim(str(self.run.public_id))

    def heartbeat(self) -> None:
        """Renew the lease without reporting progress."""
        if not Run.objects.filter(pk=self.run.pk, claim_token=self.token).update(heartbeat_at=timezone.now()):
            raise LostClaim(str(self.run.public_id))


def claim(run_id: int, *, holds_parent: bool = False, now: datetime | None = None) -> RunningRun | None:
    """Take a run that is queued, or whose holder has been silent for longer than the lease. None if it is not free.

    Who holds the parent (`holds_parent`) may also take, at once, a part that was in the hands of a holder of the
    parent: that can only be the former one, who has lost both. Parts in other workers' hands have their own lease.
    """
    now = now or timezone.now()
    token = uuid.uuid4()
    running = Q(status=Run.Status.RUNNING)
    free = Q(status=Run.Status.QUEUED) | running & Q(heartbeat_at__lt=now - LEASE)
    if holds_parent:
        free |= running & Q(is_held_with_parent=True)
    trusted = Q(parent=None, attempt__lt=MAX_ATTEMPTS) | Q(parent__isnull=False, attempt__lt=PART_ATTEMPTS)
    taken = Run.objects.filter(free, trusted, pk=run_id).update(
        status=Run.Status.RUNNING,
        claim_token=token,
        is_held_with_parent=holds_parent,
        heartbeat_at=now,
        started_at=now,
        attempt=F("attempt") + 1,
    )
    return RunningRun(Run.objects.get(pk=run_id), token) if taken else None


def execute(run_id: int, *, holds_parent: bool = False) -> Run | None:
    """Claim and compute one run; None if it was not free. A program error marks the run failed and is raised."""
    running = claim(run_id, holds_parent=holds_parent)
    if running is None:
        return None
    try:
        with _kept_alive(running):
            computed = _executors[running.run.kind](running)
        return _finish(running, computed)
    except LostClaim:
        logger.warning("run %s was taken over by another worker", running.run.public_id)
        return None
    except CannotCompute as reason:
        _fail(running, str(reason))
    except Exception:
        _fail(running, _("The computation failed. The team that runs this platform finds the cause in its log."))
        raise
    return Run.objects.get(pk=run_id)


@contextmanager
def _kept_alive(running: RunningRun) -> Iterator[None]:
    """Renew the lease beside the computation, which may be longer than the lease without a word.

    The thread has a connection of its own. If another worker has taken the run over it stops quietly: the computation
    finds out when it reports progress, and at the latest when it tries to write.
    """
    is_over = threading.Event()

    def beat() -> None:
        try:
            while not is_over.wait(HEARTBEAT_S):
                _beat_once(running)
        except LostClaim:
            logger.warning("run %s is in other hands; its first computation will not be kept", running.run.public_id)
        finally:
            connection.close()

    thread = threading.Thread(target=beat, daemon=True, name="run-heartbeat")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _beat_once(running: RunningRun) -> None:
    """Renew the lease; a database that cannot be reached for a moment is asked again at the next beat."""
    try:
        running.heartbeat()
    except DatabaseError:
        logger.warning("the lease of run %s was not renewed this time", running.run.public_id, exc_info=True)
        connection.close()


@transaction.atomic
def _finish(running: RunningRun, computed: Computed) -> Run:
    now = timezone.now()
    changed = Run.objects.filter(pk=running.run.pk, claim_token=running.token).update(
        status=Run.Status.FINISHED,
        claim_token=None,
        finished_at=now,
        heartbeat_at=now,
        progress_done=F("progress_total"),
        input_sha256=computed.input_sha256,
        result=computed.result,
        result_sha256=content_sha256(computed.result),
        versions=versions(),
        error="",
    )
    if not changed:
        raise LostClaim(str(running.run.public_id))
    run = Run.objects.get(pk=running.run.pk)
    if computed.store is not None:
        computed.store(run)
    return run


@transaction.atomic
def _fail(running: RunningRun, reason: str) -> None:
    now = timezone.now()
    failed = Run.objects.filter(pk=running.run.pk, claim_token=running.token).update(
        status=Run.Status.FAILED, claim_token=None, finished_at=now, error=reason
    )
    if failed:
        end_parts_of([running.run.pk], now=now)


def end_parts_of(failed: list[int], *, now: datetime) -> None:
    """Let no worker begin a part of runs that have failed: nobody would use it."""
    Run.objects.filter(parent_id__in=failed, status=Run.Status.QUEUED).update(
        status=Run.Status.FAILED, finished_at=now, error=_("The run that this is a part of has failed.")
    )


def versions() -> dict[str, str]:
    """The versions that may matter to a number; kept beside the result, not inside its hash."""
    return {name: metadata.version(name) for name in ("numpy", "scipy", "scikit-learn", "pandas", "Django")}
