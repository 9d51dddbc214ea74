"""Typed rows of what runs computed. A run's rows are written in the transaction that finishes it and never change."""

from __future__ import annotations

from clustering.models.coverages import GroupCoverage, QuestionCoverage, Score
from clustering.models.figures import RunFigure
from clustering.models.groups import Grouping, GroupMember, GroupName, GroupStatement, OpinionGroup

__all__ = [
    "GroupCoverage",
    "GroupMember",
    "GroupName",
    "GroupStatement",
    "Grouping",
    "OpinionGroup",
    "QuestionCoverage",
    "RunFigure",
    "Score",
]
