"""Which live runs are kept."""

from __future__ import annotations

from clustering.models import Grouping, GroupMember, GroupStatement, OpinionGroup, RunFigure
from clustering.parameters import LIVE
from core.models import Run
from studies.models import Question

LIVE_RUNS_KEPT = 20
"""Live runs of a question that are kept. Each names the hash of the one it continues, so those kept stay checkable."""


def prune_live(question: Question, *, keep: int = LIVE_RUNS_KEPT) -> int:
    """Delete the live runs of a question but the latest; returns how many. Other runs are never deleted."""
    ended = Run.objects.of(LIVE, question.public_id).exclude(status__in=[Run.Status.QUEUED, Run.Status.RUNNING])
    old = list(ended.filter(is_reported=False).values_list("pk", flat=True)[keep:])
    if not old:
        return 0
    groupings = Grouping.objects.filter(run__in=old)
    RunFigure.objects.filter(run__in=old).delete()
    GroupStatement.objects.filter(group__grouping__in=groupings).delete()
    GroupMember.objects.filter(grouping__in=groupings).delete()
    OpinionGroup.objects.filter(grouping__in=groupings).delete()
    groupings.delete()
    Run.objects.filter(pk__in=old).delete()
    return len(old)
