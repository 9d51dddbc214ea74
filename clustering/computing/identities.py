"""Which group is which of the run before: its identity, letter and name go on."""

from __future__ import annotations

from clustering.models import Grouping as GroupingRow
from clustering.models import GroupMember, OpinionGroup
from clustering.parameters import OVERTON
from clustering.stats.clusterers import Grouping
from clustering.stats.identity import Identities, match_groups
from studies.models import Question


def identities_of(question: Question, line: str, found: Grouping) -> Identities:
    """Identities of the groups found, matched with those of the reported run of the line, or else of its latest.

    Not part of the result: the same votes give the same result whatever was computed before. Two runs that end at the
    same moment may both give the same number to a group that is new in each.
    """
    before = _grouping_before(question, line)
    members: dict[str, int] = {}
    if before is not None:
        rows = GroupMember.objects.filter(grouping=before, group__isnull=False)
        members = dict(rows.values_list("enrolment__public_code", "group__identity").iterator(chunk_size=10_000))
    taken = set(
        OpinionGroup.objects.filter(grouping__question=question, grouping__line=line)
        .order_by()
        .values_list("identity", flat=True)
        .distinct()
    )
    if before is not None:
        # Rows of old live runs are pruned; what they were given is still taken.
        taken.update(before.identities.get("taken", ()))
    return match_groups(members, found.members(), taken=taken)


def _grouping_before(question: Question, line: str) -> GroupingRow | None:
    groupings = GroupingRow.objects.filter(question=question, line=line, n_groups__isnull=False).order_by("-id")
    reported = groupings.filter(run__parent__kind=OVERTON, run__parent__is_reported=True).first()
    return reported or groupings.first()
