"""Queue, claim, renew, finish and sweep runs.

A worker claims a run with a conditional update, computes outside any transaction and writes the result in one,
conditional on its claim. A message that is lost, doubled or delivered to a dead worker therefore changes nothing: the
sweeper finds the row. A run may have parts, which any worker computes; the rows say when all are done. Participant
requests never come here.
"""

from __future__ import annotations

from core.models.run import LEASE, MAX_ATTEMPTS, PART_ATTEMPTS
from core.runs.executing import (
    CannotCompute,
    Computed,
    Executor,
    LostClaim,
    RunningRun,
    _executors,
    _finish,
    claim,
    execute,
    register_kind,
    versions,
)
from core.runs.parts import Part, compute_parts
from core.runs.queueing import QUEUED_TOO_LONG, publish, queue_run, sweep

__all__ = [
    "LEASE",
    "MAX_ATTEMPTS",
    "PART_ATTEMPTS",
    "QUEUED_TOO_LONG",
    "CannotCompute",
    "Computed",
    "Executor",
    "LostClaim",
    "Part",
    "RunningRun",
    "_executors",
    "_finish",
    "claim",
    "compute_parts",
    "execute",
    "publish",
    "queue_run",
    "register_kind",
    "sweep",
    "versions",
]
