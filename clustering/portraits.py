"""Portraits of opinion groups as pages and reports show them: what members say, what sets them apart, who they are."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clustering.models import Grouping, GroupMember, GroupName, GroupStatement, OpinionGroup
from studies.models import Answer, Study, StudyVersion

FEW_VOTES = 5
"""A share of fewer votes is weak evidence."""
FEW_PEOPLE = 5
"""Of fewer people nothing is told that could point at one of them."""
MOST_LINES = 5


@dataclass(frozen=True, slots=True)
class Said:
    """How a group voted on a statement, beside all other groups."""

    code: str
    text: str
    n_agree: int
    n_disagree: int
    n_neutral: int
    others_agree: int
    others_disagree: int
    others_votes: int
    rank: int | None
    direction: int
    """+1 if it is shown for agreement, -1 for disagreement."""

    @property
    def n_votes(self) -> int:
        """Votes of the group."""
        return self.n_agree + self.n_disagree + self.n_neutral

    @property
    def n_side(self) -> int:
        """Votes of the group in the direction it is shown for."""
        return self.n_agree if self.direction > 0 else self.n_disagree

    @property
    def share(self) -> float:
        """Share of the group's votes in that direction."""
        return self.n_side / self.n_votes

    @property
    def others_share(self) -> float | None:
        """The same share among all other groups; None if none of them voted."""
        side = self.others_agree if self.direction > 0 else self.others_disagree
        return side / self.others_votes if self.others_votes else None

    @property
    def is_weak(self) -> bool:
        """Whether too few voted to rely on it."""
        return self.n_votes < FEW_VOTES

    @property
    def strength(self) -> float:
        """One-proportion statistic of the share against one half, as in `docs/methods.md`, portraits of groups."""
        added = self.n_votes + 1
        return 2 * math.sqrt(added) * ((self.n_side + 1) / added - 0.5)


@dataclass(frozen=True, slots=True)
class Trait:
    """One item of the form in a group: shares of options, or the middle of numbers."""

    label: Any
    n: int
    """Members who answered it."""
    shares: list[tuple[Any, int]] = field(default_factory=list)
    """Each option with how many chose it, as the form orders them."""
    median: float | None = None


@dataclass(frozen=True, slots=True)
class Portrait:
    """One opinion group."""

    group: OpinionGroup
    letter: str
    name: GroupName | None
    n_votes: int
    apart: list[Said]
    """Statements that set it apart, in the order of the selection."""
    shared: list[Said]
    """What else its members agree on, the clearest first, whether others say so too or not."""
    statements: list[Said]
    """Every statement that a member voted on, by code."""
    traits: list[Trait]
    """Who the members are; empty if they are too few to say."""

    @property
    def is_small(self) -> bool:
        """Whether it is too small to be shown outside the team."""
        return self.group.size < FEW_PEOPLE


def portraits(study: Study, grouping: Grouping, *, most: int = MOST_LINES) -> list[Portrait]:
    """The portraits of all groups of a question, largest first, in a number of queries that groups do not raise."""
    groups = list(grouping.groups.order_by("number"))
    said = _said(grouping)
    names = {name.identity: name for name in current_names(grouping)}
    answers = _answers(grouping)
    items = form_items(study)
    votes = dict.fromkeys((group.pk for group in groups), 0)
    for group_id, n in grouping.members.filter(group__isnull=False).values_list("group_id", "n_votes"):
        votes[group_id] += n
    return [
        Portrait(
            group=group,
            letter=group.letter,
            name=names.get(group.identity),
            n_votes=votes[group.pk],
            apart=sorted((row for row in said[group.pk] if row.rank), key=lambda row: row.rank or 0),
            shared=_clearest(said[group.pk])[:most],
            statements=said[group.pk],
            traits=_traits(items, answers[group.pk]) if group.size >= FEW_PEOPLE else [],
        )
        for group in groups
    ]


def current_names(grouping: Grouping) -> Iterable[GroupName]:
    """The names of the viewpoints of a grouping, which later runs of its line carry on."""
    return GroupName.objects.current().filter(question=grouping.question_id, line=grouping.line)


def ungrouped(grouping: Grouping) -> int:
    """How many participants of the run are in no group."""
    return grouping.members.filter(group=None).count()


def _said(grouping: Grouping) -> dict[int, list[Said]]:
    """How each group voted on each statement, by the group's key."""
    rows = list(
        GroupStatement.objects.filter(group__grouping=grouping)
        .select_related("statement")
        .order_by("statement__code", "group__number")
    )
    totals: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        for place, n in enumerate((row.n_agree, row.n_disagree, row.n_agree + row.n_disagree + row.n_neutral)):
            totals[row.statement_id][place] += n
    said: dict[int, list[Said]] = defaultdict(list)
    for row in rows:
        agree, disagree, votes = totals[row.statement_id]
        said[row.group_id].append(
            Said(
                code=row.statement.code,
                text=row.statement.text,
                n_agree=row.n_agree,
                n_disagree=row.n_disagree,
                n_neutral=row.n_neutral,
                others_agree=agree - row.n_agree,
                others_disagree=disagree - row.n_disagree,
                others_votes=votes - row.n_agree - row.n_disagree - row.n_neutral,
                rank=row.rank,
                direction=row.direction or (1 if row.n_agree >= row.n_disagree else -1),
            )
        )
    return said


def _clearest(said: Sequence[Said]) -> list[Said]:
    """What a majority of the members who voted says and does not set them apart, the clearest first; ties by code."""
    majority = [row for row in said if 2 * row.n_side > row.n_votes and row.rank is None]
    return sorted(majority, key=lambda row: (-round(row.strength, 9), row.code))


def form_items(study: Study) -> list[dict[str, Any]]:
    """The items of the study's form about people, as the present version has them; texts and dates say too much."""
    version: StudyVersion | None = study.current_version
    items = (version.definition if version else {}).get("form") or []
    return [item for item in items if item["kind"] in {"single", "multiple", "integer"}]


def _answers(grouping: Grouping) -> dict[int, dict[str, list[Answer]]]:
    """The answers of the members by the group's key and the code of the item."""
    group_of = dict(
        GroupMember.objects.filter(grouping=grouping, group__size__gte=FEW_PEOPLE).values_list(
            "enrolment_id", "group_id"
        )
    )
    found: dict[int, dict[str, list[Answer]]] = defaultdict(lambda: defaultdict(list))
    members = GroupMember.objects.filter(grouping=grouping, group__size__gte=FEW_PEOPLE).values("enrolment_id")
    for answer in Answer.objects.filter(enrolment__in=members, missing=None).order_by("pk"):
        found[group_of[answer.enrolment_id]][answer.item_code].append(answer)
    return found


def _traits(items: Sequence[Mapping[str, Any]], answers: Mapping[str, list[Answer]]) -> list[Trait]:
    """One trait an item that at least FEW_PEOPLE members answered."""
    traits = []
    for item in items:
        given = answers.get(item["code"], [])
        if len(given) < FEW_PEOPLE:
            continue
        if item["kind"] == "integer":
            numbers = [answer.value_integer for answer in given if answer.value_integer is not None]
            traits.append(Trait(item["label"], len(numbers), median=statistics.median(numbers)))
        else:
            traits.append(Trait(item["label"], len(given), shares=_shares(item, given)))
    return traits


def _shares(item: Mapping[str, Any], given: Sequence[Answer]) -> list[tuple[Any, int]]:
    chosen = Counter(
        value for answer in given for value in (answer.value_choices or [answer.value_choice]) if value is not None
    )
    return [(option["label"], chosen[option["value"]]) for option in item["options"] if chosen[option["value"]]]
