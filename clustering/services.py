"""Queue and compute the runs of opinion groups and OvertonScores."""

from __future__ import annotations

from core.runs import Computed, RunningRun

GROUPS = "groups"
OVERTON = "overton"


def compute_groups(running: RunningRun) -> Computed:
    raise NotImplementedError


def compute_overton(running: RunningRun) -> Computed:
    raise NotImplementedError
