"""Scores of machines from files: perplexities, reward models, judges by rubric."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Campaign, ItemScore, Packet, Scorer
from annotation.services.imported import ImportReport, batches, finish, item_of, items_by_name, packet_of
from core.errors import Problems, nearest
from core.tables import Format, InputColumn, Kind, Row, TableSpec, stream_table

Source = str | Path | bytes

SCORES = TableSpec(
    (
        InputColumn("item", maximum_length=200),
        InputColumn("scorer", maximum_length=64),
        InputColumn("family", optional=True, nullable=True, values=tuple(Scorer.Family.values)),
        InputColumn("part", optional=True, nullable=True),
        InputColumn("score", Kind.NUMBER),
    ),
    unique=(("item", "scorer", "part"),),
)


@transaction.atomic
def import_scores(
    *,
    campaign: Campaign,
    source: Source,
    name: str,
    by: Any,
    now: datetime,
    format: Format | str | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Take in scores of machines, one a row: for an item, or for one of its texts (`part`)."""
    packet = packet_of(campaign)
    problems = Problems()
    rows = stream_table(source, name, SCORES, format=format, problems=problems)
    report = ImportReport()
    for batch in batches(rows):
        _write_scores(packet, batch, problems, report)
    problems.raise_if_any()
    return finish(campaign, report, "scores_imported", by, now, dry_run, name)


def _write_scores(packet: Packet, batch: Sequence[Row], problems: Problems, report: ImportReport) -> None:
    report.n_rows += len(batch)
    items = items_by_name(packet, batch)
    parts = {kind.pk: {part["code"] for part in kind.parts} for kind in packet.kinds.all()}
    wanted: dict[tuple[str, int, str], tuple[float, str]] = {}
    for row in batch:
        item = item_of(row, items, problems)
        part = row["part"] or ""
        if item is None:
            continue
        if part and part not in parts[item.kind_id]:
            problems.add(row.problem("part", _("The item has no such text."), nearest(part, parts[item.kind_id])))
        wanted[row["scorer"], item.pk, part] = (row["score"], row["family"] or str(Scorer.Family.OTHER))
    if problems:
        return
    scorers = {
        code: Scorer.objects.get_or_create(
            campaign=packet.campaign, code=code, defaults={"name": code, "family": family}
        )[0]
        for code, family in {key[0]: value[1] for key, value in wanted.items()}.items()
    }
    known = {
        (score.scorer.code, score.item_id, score.part): score
        for score in ItemScore.objects.filter(
            item__in=[key[1] for key in wanted], scorer__in=scorers.values()
        ).select_related("scorer")
    }
    changed = [(known[key], value) for key, (value, _family) in wanted.items() if key in known]
    new = [
        ItemScore(scorer=scorers[code], item_id=item, part=part, value=value)
        for (code, item, part), (value, _family) in wanted.items()
        if (code, item, part) not in known
    ]
    updated = []
    for score, value in changed:
        if score.value != value:
            score.value = value
            updated.append(score)
    ItemScore.objects.bulk_update(updated, ["value"])
    ItemScore.objects.bulk_create(new)
    report.n_created += len(new)
    report.n_updated += len(updated)
    report.n_unchanged += len(changed) - len(updated)
