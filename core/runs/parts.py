"""A run in parts: each part is a run of its own, computed by whichever worker takes it first.

The executor of the whole queues and publishes all parts, works on those that nobody has taken, and waits for the rows
of the others. Rows are the only thing workers share: a message may be lost or come late, a worker may die.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from core.models import Run
from core.models.run import LEASE, PART_ATTEMPTS
from core.runs.executing import LostClaim, RunningRun, execute
from core.runs.queueing import give_up, publish, queue_run

logger = logging.getLogger(__name__)

POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Part:
    """What one part computes; `label` is what people call it."""

    kind: str
    subject_kind: str
    subject_id: object
    parameters: Mapping[str, Any]
    seed: int
    label: str = ""


def compute_parts(running: RunningRun, parts: Sequence[Part]) -> list[Run]:
    """The ended runs of all parts, finished or failed, in the order given.

    A part that fails, for a stated reason or by a program error, leaves the others alone: its run says why. Parts that
    an earlier attempt finished are kept.

    Raises
    ------
    LostClaim
        If another worker has taken the whole run over.
    """
    runs = [_queued(running, part) for part in parts]
    labels = {run.pk: part.label for run, part in zip(runs, parts, strict=True)}
    # Who waits in vain for a message is found by its row, so nothing is published twice here.
    publish(*(run for run in runs if run.status == Run.Status.QUEUED and run.published_at is None))
    told = _told(running, labels, None)
    while told[0] < len(labels):
        if not _compute_one(running, labels):
            _end_hopeless(list(labels), timezone.now())
            time.sleep(POLL_S)
        told = _told(running, labels, told)
    found = Run.objects.in_bulk(labels)
    return [found[run.pk] for run in runs]


def _queued(running: RunningRun, part: Part) -> Run:
    return queue_run(
        kind=part.kind,
        subject_kind=part.subject_kind,
        subject_id=part.subject_id,
        parameters=part.parameters,
        seed=part.seed,
        parent=running.run,
    )


def _told(running: RunningRun, labels: Mapping[int, str], before: tuple[int, str] | None) -> tuple[int, str]:
    """Report how many parts are done and which are under way, if that has changed; notice a lost claim in any case."""
    rows = list(Run.objects.filter(pk__in=labels).order_by("pk").values_list("pk", "status"))
    done = sum(status in {Run.Status.FINISHED, Run.Status.FAILED} for _pk, status in rows)
    now = (done, ", ".join(labels[pk] for pk, status in rows if status == Run.Status.RUNNING))
    if now != before:
        running.progress(done, len(rows), now[1])
    elif not Run.objects.filter(pk=running.run.pk, claim_token=running.token).exists():
        raise LostClaim(str(running.run.public_id))
    return now


def _compute_one(running: RunningRun, labels: Mapping[int, str]) -> bool:
    """Compute the first part that is free; False if there is none."""
    silent = Q(heartbeat_at__lt=timezone.now() - LEASE) | Q(is_held_with_parent=True)
    free = Q(status=Run.Status.QUEUED) | Q(status=Run.Status.RUNNING) & silent
    candidates = Run.objects.filter(free, pk__in=labels, attempt__lt=PART_ATTEMPTS).order_by("pk")
    for pk in candidates.values_list("pk", flat=True):
        _told_of(running, labels[pk])
        try:
            if execute(pk, holds_parent=True) is not None:
                return True
        except Exception:
            # Its row has failed and says so; the whole goes on over the rest.
            logger.exception("part %s of run %s failed", labels[pk], running.run.public_id)
            return True
    return False


def _told_of(running: RunningRun, label: str) -> None:
    if not Run.objects.filter(pk=running.run.pk, claim_token=running.token).update(
        progress_note=label[:200], heartbeat_at=timezone.now()
    ):
        raise LostClaim(str(running.run.public_id))


def _end_hopeless(parts: list[int], now: datetime) -> None:
    """Give up parts that their workers died of: one time less than a run, so that the whole survives them."""
    silent = Run.objects.filter(pk__in=parts, status=Run.Status.RUNNING, heartbeat_at__lt=now - LEASE)
    if hopeless := list(silent.filter(attempt__gte=PART_ATTEMPTS).values_list("pk", flat=True)):
        give_up(hopeless, n=PART_ATTEMPTS, now=now)
