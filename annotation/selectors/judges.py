"""How far the models of a campaign are; counts of what came, and no label."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.models import Assignment, Campaign, JudgeCall, Packet, Rater


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """A model as a rater: what it has judged of the packet, and what became of its calls."""

    rater: Rater
    n_done: int
    n_items: int
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def said(self) -> list[tuple[str, int]]:
        """The outcomes in words."""
        return [(str(JudgeCall.Outcome(name).label), n) for name, n in sorted(self.outcomes.items())]


def judge_lines(campaign: Campaign, packet: Packet | None) -> list[JudgeLine]:
    """Every model of the campaign in the order of codes."""
    models = Rater.objects.models().filter(campaign=campaign).select_related("judge").order_by("code")
    if packet is None:
        return [JudgeLine(rater, 0, 0) for rater in models]
    work = Assignment.objects.filter(item__packet=packet, purpose=Assignment.Purpose.WORK, rater__in=models)
    done = Counter(work.filter(status=Assignment.Status.DONE).values_list("rater_id", flat=True))
    outcomes: dict[int, Counter[str]] = defaultdict(Counter)
    calls = JudgeCall.objects.filter(assignment__item__packet=packet, assignment__rater__in=models).order_by()
    for rater_id, outcome, n in calls.values_list("assignment__rater_id", "outcome").annotate(n=Count("pk")):
        outcomes[rater_id][outcome] = n
    n_items = packet.items.work().count()
    return [JudgeLine(rater, done[rater.pk], n_items, outcomes[rater.pk]) for rater in models]
