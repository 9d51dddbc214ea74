"""Typed rows of a result, written in the transaction that finishes its run."""

from __future__ import annotations

from clustering.storing.groups import GroupingRows
from clustering.storing.pruning import LIVE_RUNS_KEPT, prune_live
from clustering.storing.scores import CoveredQuestion, ScoreRows

__all__ = ["LIVE_RUNS_KEPT", "CoveredQuestion", "GroupingRows", "ScoreRows", "prune_live"]
