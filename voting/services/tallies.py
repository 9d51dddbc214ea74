"""The tallies on statements: kept with every vote, counted again on demand.

Whoever changes tallies of several statements takes their rows in ascending order of id. That one rule keeps people
who vote on each other's statements from waiting for each other in a circle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from studies.models import Enrolment, Study
from voting.models import Exposure, Statement, StatementQuerySet, Vote

FIELD_OF_VALUE: dict[int, str] = {
    Vote.Value.AGREE: "n_agree",
    Vote.Value.DISAGREE: "n_disagree",
    Vote.Value.NEUTRAL: "n_neutral",
}
FIELDS = ("n_shown", *FIELD_OF_VALUE.values())

_PREVIEW = Q(enrolment__origin=Enrolment.Origin.PREVIEW)
#: A preview counts on what previews wrote and nowhere else.
_COUNTS = (_PREVIEW & Q(statement__is_preview=True)) | (~_PREVIEW & Q(statement__is_preview=False))


class TallyChanges:
    """The changes one person's request makes, collected and then written in the order of the statements' ids."""

    def __init__(self, enrolment: Enrolment) -> None:
        self._by_preview = enrolment.origin == Enrolment.Origin.PREVIEW
        self._changes: dict[int, dict[str, int]] = defaultdict(dict)

    def add(self, statement_id: int, field: str, by: int = 1) -> None:
        """Note that `field` of the statement changes by `by`."""
        changes = self._changes[statement_id]
        changes[field] = changes.get(field, 0) + by

    def write(self) -> frozenset[int]:
        """Write them and return the ids of statements that are not there any more."""
        gone = set()
        for statement_id in sorted(self._changes):
            changes = {field: F(field) + by for field, by in self._changes[statement_id].items()}
            rows = Statement.objects.filter(pk=statement_id, is_preview=self._by_preview)
            # A preview leaves no trace on seeds: for it, no row to change does not mean that there is none.
            if not rows.update(**changes) and not self._by_preview:
                gone.add(statement_id)
        return frozenset(gone)


@dataclass(frozen=True, slots=True)
class TallyDifference:
    """A stored tally that is not what the votes or exposures say."""

    question: str
    statement: str
    field: str
    stored: int
    counted: int


@dataclass(frozen=True, slots=True)
class TallyReport:
    """What a recount found, and whether it was put right."""

    n_statements: int
    differences: tuple[TallyDifference, ...]
    repaired: bool


def verify_tallies(*, study: Study, repair: bool = False) -> TallyReport:
    """Count the votes and exposures of all statements again and compare; with `repair`, store what was counted.

    Each question is counted by one query, so votes that come in meanwhile make no difference. A repair locks the
    question's statements until its numbers are stored; people who vote on them wait that long.
    """
    n_statements = 0
    differences: list[TallyDifference] = []
    for question in study.questions.order_by("position", "code", "revision"):
        with transaction.atomic():
            statements = Statement.objects.filter(question=question).select_related("question")
            if repair:
                lock_statements(statements.values_list("pk", flat=True))
            rows = list(_counted(statements))
            n_statements += len(rows)
            found = [difference for row in rows for difference in _differences(row)]
            differences.extend(found)
            if repair and found:
                _store(rows)
    return TallyReport(n_statements, tuple(differences), repaired=repair and bool(differences))


def lock_statements(ids: Collection[int] | QuerySet[Statement, int], *, for_deletion: bool = False) -> list[int]:
    """Lock these statements until the transaction ends, in ascending order of id, and return the ids."""
    rows = Statement.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=not for_deletion)
    return list(rows.values_list("pk", flat=True))


def recount(ids: Collection[int]) -> None:
    """Store what votes and exposures say on these statements, which the caller has locked."""
    _store(list(_counted(Statement.objects.filter(pk__in=ids))))


def _counted(statements: StatementQuerySet) -> StatementQuerySet:
    current = Vote.objects.current()
    counts = {field: _count(current.filter(value=value)) for value, field in FIELD_OF_VALUE.items()}
    return statements.annotate(
        counted_n_shown=_count(Exposure.objects.all()), **{f"counted_{field}": count for field, count in counts.items()}
    ).order_by("pk")


def _count(rows: QuerySet[Vote] | QuerySet[Exposure]) -> Coalesce:
    mine = rows.filter(_COUNTS, statement=OuterRef("pk")).order_by()
    return Coalesce(Subquery(mine.values("statement").annotate(n=Count("pk")).values("n")), 0)


def _differences(row: Statement) -> Iterator[TallyDifference]:
    for field in FIELDS:
        stored, counted = getattr(row, field), getattr(row, f"counted_{field}")
        if stored != counted:
            yield TallyDifference(row.question.code, row.code, field, stored, counted)


def _store(rows: list[Statement]) -> None:
    for row in rows:
        counted = {field: getattr(row, f"counted_{field}") for field in FIELDS}
        if any(getattr(row, field) != value for field, value in counted.items()):
            Statement.objects.filter(pk=row.pk).update(**counted)
