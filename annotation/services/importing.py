"""Judgements from files: of raters elsewhere, of judges that were run elsewhere. Streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Campaign, Dimension, Item, Judgement, Label, Packet, Rater
from annotation.services.imported import ImportReport, batches, finish, item_of, items_by_name, packet_of
from annotation.services.raters import add_from_file
from core.errors import Problems, nearest, shown
from core.tables import Format, InputColumn, Kind, Row, TableSpec, stream_table

Source = str | Path | bytes

JUDGEMENTS = TableSpec(
    (
        InputColumn("item", maximum_length=200),
        InputColumn("rater", maximum_length=64),
        InputColumn("kind", optional=True, nullable=True, values=tuple(Rater.Kind.values)),
        InputColumn("dimension", optional=True, nullable=True),
        InputColumn("label", optional=True, nullable=True),
        InputColumn("labels", Kind.JSON, optional=True, nullable=True),
        InputColumn("missing", optional=True, nullable=True, values=tuple(Judgement.Missing.values)),
        InputColumn("evidence", optional=True, nullable=True, blank=True),
        InputColumn("judged_at", Kind.DATETIME, optional=True, nullable=True),
    )
)


@transaction.atomic
def import_judgements(
    *,
    campaign: Campaign,
    source: Source,
    name: str,
    by: Any,
    now: datetime,
    format: Format | str | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Take in judgements, one a row and dimension, all or nothing; `item` is an external id or a key.

    Labels speak of the texts in their stored order. The same answer again is the same; another one supersedes it.
    Unknown labels, and the same rater, item and dimension twice in a file, are errors that name the row.
    """
    packet = packet_of(campaign)
    problems = Problems()
    rows = stream_table(source, name, JUDGEMENTS, format=format, problems=problems)
    writer = _Judgements(packet, problems, now)
    for batch in batches(rows):
        writer.write(batch)
    problems.raise_if_any()
    return finish(campaign, writer.report, "judgements_imported", by, now, dry_run, name)


@dataclass(slots=True)
class _Answer:
    """One row, understood."""

    item: Item
    rater: Rater
    dimension: Dimension
    label: Label | None
    labels: list[str] | None
    missing: str | None
    evidence: str
    judged_at: datetime

    def is_said_by(self, row: Judgement) -> bool:
        return (row.label_id, row.labels, row.missing, row.evidence) == (
            None if self.label is None else self.label.pk,
            self.labels,
            self.missing,
            self.evidence,
        )


@dataclass(slots=True)
class _Judgements:
    """Writes judgements in batches. What was seen is kept as one number a row, so that a million rows need little."""

    packet: Packet
    problems: Problems
    now: datetime
    report: ImportReport = field(default_factory=ImportReport)
    raters: dict[str, Rater] = field(default_factory=dict)
    dimensions: dict[int, dict[str, Dimension]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        rows = Dimension.objects.filter(kind__packet=self.packet).prefetch_related("labels")
        for dimension in rows.order_by("position"):
            self.dimensions.setdefault(dimension.kind_id, {})[dimension.code] = dimension

    def write(self, batch: Sequence[Row]) -> None:
        self.report.n_rows += len(batch)
        items = items_by_name(self.packet, batch)
        understood = [answer for row in batch if (answer := self._understand(row, items)) is not None]
        if self.problems:
            return  # nothing will be kept; read on for what else is wrong
        assignments = self._assignments(understood)
        known = {
            (row.assignment_id, row.dimension_id): row
            for row in Judgement.objects.current().filter(assignment__in=[each.pk for each in assignments.values()])
        }
        new: list[Judgement] = []
        replaced: list[int] = []
        for answer in understood:
            assignment = assignments[answer.item.pk, answer.rater.pk]
            row = known.get((assignment.pk, answer.dimension.pk))
            if row is not None and answer.is_said_by(row):
                self.report.n_unchanged += 1
                continue
            if row is not None:
                replaced.append(row.pk)
            new.append(_judgement(assignment, answer))
        self.report.n_updated += len(replaced)
        self.report.n_created += len(new) - len(replaced)
        Judgement.objects.filter(pk__in=replaced).update(superseded_at=self.now)
        Judgement.objects.bulk_create(new)

    def _understand(self, row: Row, items: dict[str, Item]) -> _Answer | None:
        before = len(self.problems)
        item = item_of(row, items, self.problems)
        if item is None:
            return None
        dimension = self._dimension(row, self.dimensions[item.kind_id])
        if dimension is None:
            return None
        rater = self._rater(row)
        self._refuse_twice(row, item, rater, dimension)
        label, labels = self._labels(row, dimension)
        if len(self.problems) > before:
            return None
        judged_at = min(row["judged_at"] or self.now, self.now)
        return _Answer(item, rater, dimension, label, labels, row["missing"], row["evidence"] or "", judged_at)

    def _dimension(self, row: Row, known: dict[str, Dimension]) -> Dimension | None:
        code = row["dimension"]
        found = known.get(code) if code is not None else (next(iter(known.values())) if len(known) == 1 else None)
        if found is None:
            message = _("There is no such dimension.") if code is not None else _("Say which dimension this is about.")
            self.problems.add(row.problem("dimension", message, nearest(code or "", known)))
        return found

    def _rater(self, row: Row) -> Rater:
        code = row["rater"]
        kind = row["kind"] or str(Rater.Kind.PERSON)
        rater = self.raters.get(code)
        if rater is None:
            rater = add_from_file(campaign=self.packet.campaign, code=code, kind=kind, now=self.now)
            self.raters[code] = rater
        elif row["kind"] is not None and rater.kind != kind:
            message = _("The rater %(code)s is of another kind in an earlier row.") % {"code": shown(code)}
            self.problems.add(row.problem("kind", message, _("Give each rater one kind.")))
        return rater

    def _refuse_twice(self, row: Row, item: Item, rater: Rater, dimension: Dimension) -> None:
        key = ((item.pk << 32) + rater.pk << 32) + dimension.pk
        if key in self.seen:
            message = _("This rater, item and dimension stand in the file already.")
            self.problems.add(row.problem("rater", message, _("Keep one of the two.")))
        self.seen.add(key)

    def _labels(self, row: Row, dimension: Dimension) -> tuple[Label | None, list[str] | None]:
        known = {label.code: label for label in dimension.labels.all()}
        given = [name for name in ("label", "labels", "missing") if row[name] is not None]
        is_multiple = dimension.scale == Dimension.Scale.MULTIPLE
        wanted = "labels" if is_multiple else "label"
        if len(given) != 1 or (given[0] != wanted and given[0] != "missing"):
            message = _("Give %(wanted)s, or why it is missing.") % {"wanted": wanted}
            self.problems.add(row.problem(wanted, message))
            return None, None
        if row["missing"] is not None:
            return None, None
        chosen = row["labels"] if is_multiple else [row["label"]]
        for code in chosen if isinstance(chosen, list) else [chosen]:
            if code not in known:
                message = _("%(label)s is no label of this dimension.") % {"label": shown(code)}
                self.problems.add(row.problem(wanted, message, nearest(str(code), known)))
        if is_multiple:
            return None, [code for code in known if code in chosen]
        return known.get(row["label"]), None

    def _assignments(self, answers: Sequence[_Answer]) -> dict[tuple[int, int], Assignment]:
        """The assignment of each rater and item; those that are not there yet are made, done and without an order."""
        pairs = {(answer.item.pk, answer.rater.pk): answer for answer in answers}
        rows = Assignment.objects.filter(
            item__in={item for item, _rater in pairs},
            rater__in={rater for _item, rater in pairs},
            purpose=Assignment.Purpose.WORK,
        )
        found = {(row.item_id, row.rater_id): row for row in rows}
        new = [
            Assignment(
                item_id=item,
                rater_id=rater,
                status=Assignment.Status.DONE,
                claimed_at=answer.judged_at,
                done_at=answer.judged_at,
                version=1,
            )
            for (item, rater), answer in pairs.items()
            if (item, rater) not in found
        ]
        for row in Assignment.objects.bulk_create(new):
            found[row.item_id, row.rater_id] = row
        return found


def _judgement(assignment: Assignment, answer: _Answer) -> Judgement:
    return Judgement(
        assignment=assignment,
        dimension=answer.dimension,
        label=answer.label,
        shown_label=answer.label,
        labels=answer.labels,
        missing=answer.missing,
        evidence=answer.evidence,
        judged_at=answer.judged_at,
    )
