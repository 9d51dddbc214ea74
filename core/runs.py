"""Queue, claim, renew, finish and sweep runs.

A worker claims a run with a conditional update, computes outside any transaction and writes the result in one,
conditional on its claim. A message that is lost, doubled or delivered to a dead worker therefore changes nothing: the
sweeper finds the row. Participant requests never come here.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import metadata
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from core.canonical import content_sha256
from core.errors import DomainError
from core.models import Run
from core.models.run import LEASE, MAX_ATTEMPTS

logger = logging.getLogger(__name__)

HEARTBEAT_S = LEASE.total_seconds() / 4

# A queued run that no worker took within this time is published again.
QUEUED_TOO_LONG = timedelta(seconds=30)


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


def queue_run(
    *,
    kind: str,
    subject_kind: str,
    subject_id: object,
    parameters: Mapping[str, Any],
    seed: int,
    by: AbstractBaseUser | AnonymousUser | None = None,
    parent: Run | None = None,
    now: datetime | None = None,
) -> Run:
    """The unfinished run of these parameters, made if there is none. Publishing it is the caller's choice (`publish`).

    Parts (`parent` given) are unique in their parent, finished or not.
    """
    values = {
        "kind": kind,
        "subject_kind": subject_kind,
        "subject_id": str(subject_id),
        "parameters_sha256": content_sha256(dict(parameters)),
        "seed": seed,
    }
    same = Run.objects.filter(**values, parent=parent)
    if parent is None:
        same = same.unfinished()
    for _attempt in range(2):
        if found := same.first():
            return found
        try:
            with transaction.atomic():
                return Run.objects.create(
                    **values,
                    parent=parent,
                    parameters=dict(parameters),
                    queued_at=now or timezone.now(),
                    created_by_id=by.pk if by is not None and by.is_authenticated else None,
                )
        except IntegrityError:
            logger.info("another request queued %s of %s first", kind, subject_id)
    return same.get()


def publish(run: Run) -> None:
    """Send a message for `run` after the transaction commits. Without a broker the sweeper will find the row."""

    def send() -> None:
        from core.tasks import execute_run

        Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
        try:
            execute_run.apply_async((run.pk,), retry=False)
        except (OSError, OperationalError):
            logger.warning("the broker does not answer; run %s waits for the sweeper", run.public_id)

    transaction.on_commit(send)


def claim(run_id: int, *, holds_parent: bool = False, now: datetime | None = None) -> RunningRun | None:
    """Take a run that is queued, or whose holder has been silent for longer than the lease. None if it is not free.

    Parts follow their parent: who holds the parent (`holds_parent`) may take a running part at once, since it can only
    be in the hands of the parent's former holder, who has lost it.
    """
    now = now or timezone.now()
    token = uuid.uuid4()
    running = Q(status=Run.Status.RUNNING)
    free = Q(status=Run.Status.QUEUED) | (running if holds_parent else running & Q(heartbeat_at__lt=now - LEASE))
    taken = Run.objects.filter(free, pk=run_id, attempt__lt=MAX_ATTEMPTS).update(
        status=Run.Status.RUNNING,
        claim_token=token,
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
                running.heartbeat()
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


def _fail(running: RunningRun, reason: str) -> None:
    Run.objects.filter(pk=running.run.pk, claim_token=running.token).update(
        status=Run.Status.FAILED, claim_token=None, finished_at=timezone.now(), error=reason
    )


def sweep(*, now: datetime | None = None) -> list[int]:
    """Publish again what was lost, give up what failed too often. Returns the ids of the runs published."""
    now = now or timezone.now()
    dead = Q(status=Run.Status.RUNNING, heartbeat_at__lt=now - LEASE)
    Run.objects.filter(dead, attempt__gte=MAX_ATTEMPTS).update(
        status=Run.Status.FAILED,
        claim_token=None,
        finished_at=now,
        error=_("Given up: the worker died %(n)s times while it computed this.") % {"n": MAX_ATTEMPTS},
    )
    unheard = Q(published_at=None) | Q(published_at__lt=now - QUEUED_TOO_LONG)
    waiting = Q(status=Run.Status.QUEUED, queued_at__lt=now - timedelta(seconds=5), parent=None) & unheard
    due = list(Run.objects.filter(waiting | (dead & Q(parent=None) & unheard)).order_by("id"))
    for run in due:
        publish(run)
    return [run.pk for run in due]


def versions() -> dict[str, str]:
    """The versions that may matter to a number; kept beside the result, not inside its hash."""
    return {name: metadata.version(name) for name in ("numpy", "scipy", "scikit-learn", "pandas", "Django")}
