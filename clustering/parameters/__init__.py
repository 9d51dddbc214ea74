"""The settings of a run: validated once, stored with the run, part of its identity."""

from __future__ import annotations

from clustering.parameters.grouping import METHODS, OWN_VOTES, SPACES, UNITS, GroupingSettings
from clustering.parameters.resampling import DUPLICATES, Resampling
from clustering.parameters.scoring import INTERVALS, RULES
from clustering.parameters.settings import Parameters

__all__ = [
    "DUPLICATES",
    "GROUPS",
    "INTERVALS",
    "LARGEST_SEED",
    "LIVE",
    "METHODS",
    "OVERTON",
    "OWN_VOTES",
    "RULES",
    "SPACES",
    "UNITS",
    "VIEWPOINTS",
    "VIEWPOINT_BLOCK",
    "GroupingSettings",
    "Parameters",
    "Resampling",
]

# Kinds of run: the groups of a question, the scores of a study, the live view of a question, and scores over people
# drawn anew with their blocks of replicates.
GROUPS = "groups"
OVERTON = "overton"
LIVE = "live"
VIEWPOINTS = "viewpoints"
VIEWPOINT_BLOCK = "viewpoint_block"

LARGEST_SEED = 2**31 - 1
