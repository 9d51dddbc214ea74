"""The executors of runs: rows to arrays, the pure statistics, and the typed rows of the result.

Imported by the worker alone, since it loads the numerical packages. Nothing here runs inside a transaction but the
`store` functions, which `core.runs` calls when it finishes a run.
"""

from __future__ import annotations

from clustering.computing.groups import groups
from clustering.computing.live import live
from clustering.computing.scores import scores
from clustering.computing.viewpoints import viewpoint_block, viewpoints

__all__ = ["groups", "live", "scores", "viewpoint_block", "viewpoints"]
