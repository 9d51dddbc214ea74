"""Writing items into a draft packet, some thousands at a time; what is there already is found by its external id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation import hashing
from annotation.errors import PacketFrozen
from annotation.items.columns import Layout, layout_of, table_spec
from annotation.items.wanted import Wanted, wanted
from annotation.models import Campaign, GoldLabel, HiddenFields, Item, ItemText, Packet, TextOrigin
from annotation.services.cloning import KEY_LENGTH
from annotation.services.common import lock_campaign, record
from core.errors import Conflict, InputProblem, Problems, shown
from core.randomness import new_code
from core.tables import Format, stream_table

BATCH = 1000


@dataclass(slots=True)
class ItemReport:
    """What an import or a draw did, or would do."""

    n_rows: int = 0
    n_created: int = 0
    n_updated: int = 0
    n_unchanged: int = 0
    by_stratum: Counter[str] = field(default_factory=Counter)
    is_dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "rows": self.n_rows,
            "created": self.n_created,
            "updated": self.n_updated,
            "unchanged": self.n_unchanged,
            "by_stratum": dict(sorted(self.by_stratum.items())),
            "dry_run": self.is_dry_run,
        }


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text of a drawn item came from."""

    part: str
    source: str
    source_id: Any
    enrolment_id: int | None


def import_items(
    *,
    campaign: Campaign,
    source: str | Path | bytes,
    name: str,
    by: Any,
    now: datetime,
    format: Format | str | None = None,
    dry_run: bool = False,
) -> ItemReport:
    """Take in a CSV, JSON Lines or Parquet table of items: all of it, or nothing with every problem by line and column.

    The same external id again is the same item: changed in a draft, refused in a frozen packet unless it is equal.
    Texts are stored byte for byte.
    """
    problems = Problems()

    def items(layout: Layout) -> Iterator[Wanted]:
        for row in stream_table(source, name, table_spec(layout), format=format, problems=problems):
            found = wanted(row, layout, problems)
            if found is not None:
                yield found

    with transaction.atomic():
        packet = _packet_for(campaign)
        writer = _Writer(packet, problems)
        writer.write(items(writer.layout))
        problems.raise_if_any()
        _finish(campaign, writer.report, "items_imported", by, now, dry_run, file=name)
    return writer.report


@transaction.atomic
def write_drawn(
    *,
    campaign: Campaign,
    items: Iterable[tuple[Wanted, Sequence[Origin]]],
    by: Any,
    now: datetime,
    dry_run: bool = False,
    **detail: Any,
) -> ItemReport:
    """Write items that were drawn from a study, with where their texts came from."""
    packet = _packet_for(campaign)
    problems = Problems()
    writer = _Writer(packet, problems)
    drawn = list(items)
    writer.write(each for each, _origins in drawn)
    problems.raise_if_any()
    writer.write_origins({each.external_id: origins for each, origins in drawn})
    _finish(campaign, writer.report, "items_drawn", by, now, dry_run, **detail)
    return writer.report


@transaction.atomic
def remove_items(*, campaign: Campaign, external_ids: Sequence[str], by: Any, now: datetime) -> int:
    """Take items out of the draft packet; returns how many there were."""
    packet = _packet_for(campaign)
    if packet.is_frozen:
        raise PacketFrozen
    n = Item.objects.filter(packet=packet, hidden__external_id__in=external_ids).delete()[1].get("annotation.Item", 0)
    record(campaign, "items_removed", by=by, now=now, n=n)
    return n


def _packet_for(campaign: Campaign) -> Packet:
    lock_campaign(campaign)
    packet = campaign.packets.order_by("-number")[0]
    if not packet.kinds.exists():
        message = _("The campaign has no kind of item yet. Load its definition first.")
        raise Conflict(message, code="no_kinds")
    return packet


def _finish(
    campaign: Campaign, report: ItemReport, event: str, by: Any, now: datetime, dry_run: bool, **detail: Any
) -> None:
    report.is_dry_run = dry_run
    if dry_run:
        transaction.set_rollback(True)
    else:
        counts = {"created": report.n_created, "updated": report.n_updated, "unchanged": report.n_unchanged}
        record(campaign, event, by=by, now=now, **counts, **detail)


class _Writer:
    """Writes wanted items into a packet, or finds that they are there."""

    def __init__(self, packet: Packet, problems: Problems) -> None:
        self.packet, self.problems = packet, problems
        self.layout = layout_of(packet)
        self.report = ItemReport()
        self.repeats: list[Wanted] = []
        named = HiddenFields.objects.filter(packet=packet).exclude(item__sequence="")
        self.sequences = dict(named.values_list("values__sequence", "item__sequence"))

    def write(self, items: Iterable[Wanted]) -> None:
        """Write all of `items`."""
        iterator = iter(items)
        while batch := list(islice(iterator, BATCH)):
            self._write_batch(batch)
        self._write_repeats()

    def _write_batch(self, batch: Sequence[Wanted]) -> None:
        known = self._known([each.external_id for each in batch])
        new: list[Wanted] = []
        for each in batch:
            self.report.n_rows += 1
            self.report.by_stratum[f"{each.kind}/{each.hidden.get('stratum', '')}"] += 1
            if each.repeats is not None:
                self.repeats.append(each)
            row = known.get(each.external_id)
            if row is None:
                new.append(each)
            elif self._is_same(row, each):
                self.report.n_unchanged += 1
            else:
                self._refuse_if_frozen(each)
                self._update(row, each)
                self.report.n_updated += 1
        if new:
            self._refuse_if_frozen(new[0])
            self._create(new)
            self.report.n_created += len(new)

    def _known(self, external_ids: Sequence[str]) -> dict[str, HiddenFields]:
        rows = HiddenFields.objects.filter(packet=self.packet, external_id__in=external_ids)
        rows = rows.select_related("item__kind", "repeats__hidden")
        rows = rows.prefetch_related("item__texts", "item__gold__dimension", "item__gold__label")
        return {row.external_id: row for row in rows}

    def _refuse_if_frozen(self, item: Wanted) -> None:
        if self.packet.is_frozen:
            message = _("The item %(id)s is new or differs from the one that is frozen. %(why)s")
            raise PacketFrozen(
                message % {"id": shown(item.external_id), "why": PacketFrozen.default_message}, code="packet_frozen"
            )

    def _is_same(self, row: HiddenFields, each: Wanted) -> bool:
        item = row.item
        gold = sorted((g.dimension.code, g.label.code, g.explanation) for g in item.gold.all())
        wants_gold = sorted((code, label, each.explanation) for code, labels in each.gold.items() for label in labels)
        return (
            item.kind.code == each.kind
            and item.purpose == each.purpose
            and item.erased_at is None
            and {text.part: text.text for text in item.texts.all()} == dict(each.texts)
            and item.proposals == dict(each.proposals)
            and item.place == each.place
            and row.values == self._values(each)
            and all(getattr(row, name) == value for name, value in each.hidden.items())
            and gold == wants_gold
            and (None if row.repeats is None else row.repeats.hidden.external_id) == each.repeats
        )

    def _values(self, each: Wanted) -> dict[str, Any]:
        """The further hidden fields; the name of a sequence outside is one, since the item has a code for it."""
        return {**each.values, **({"sequence": each.sequence} if each.sequence else {})}

    def _sequence(self, each: Wanted) -> str:
        return self.sequences.setdefault(each.sequence, new_code(KEY_LENGTH)) if each.sequence else ""

    def _fill(self, item: Item, each: Wanted) -> None:
        item.kind = self.layout.kinds[each.kind]
        item.purpose, item.proposals = each.purpose, dict(each.proposals)
        item.sequence, item.place = self._sequence(each), each.place
        item.salt, item.erased_at = hashing.new_salt(), None
        item.sha256 = hashing.item_sha256(
            salt=item.salt,
            kind=each.kind,
            purpose=item.purpose,
            texts=each.texts,
            proposals=item.proposals,
            sequence=item.sequence,
            place=item.place,
        )

    def _fill_hidden(self, row: HiddenFields, each: Wanted) -> None:
        for name, value in each.hidden.items():
            setattr(row, name, value)
        row.values = self._values(each)

    def _create(self, wanted_items: Sequence[Wanted]) -> None:
        items = [Item(packet=self.packet, key=new_code(KEY_LENGTH)) for _each in wanted_items]
        rows = []
        for item, each in zip(items, wanted_items, strict=True):
            self._fill(item, each)
        Item.objects.bulk_create(items)
        for item, each in zip(items, wanted_items, strict=True):
            row = HiddenFields(
                packet=self.packet, item=item, external_id=each.external_id, salt=hashing.new_salt(), sha256=""
            )
            self._fill_hidden(row, each)
            rows.append(row)
        HiddenFields.objects.bulk_create(rows)
        pairs = list(zip(items, wanted_items, strict=True))
        ItemText.objects.bulk_create(text for item, each in pairs for text in _texts(item, each))
        GoldLabel.objects.bulk_create(gold for item, each in pairs for gold in self._gold(item, each))

    def _gold(self, item: Item, each: Wanted) -> Iterator[GoldLabel]:
        dimensions = self.layout.dimensions[each.kind]
        for code, labels in each.gold.items():
            by_code = {label.code: label for label in dimensions[code].labels.all()}
            for label in labels:
                yield GoldLabel(
                    item=item, dimension=dimensions[code], label=by_code[label], explanation=each.explanation
                )

    def _update(self, row: HiddenFields, each: Wanted) -> None:
        item = row.item
        self._fill(item, each)
        item.save()
        item.texts.all().delete()
        item.gold.all().delete()
        ItemText.objects.bulk_create(_texts(item, each))
        GoldLabel.objects.bulk_create(self._gold(item, each))
        self._fill_hidden(row, each)
        row.repeats = None
        row.save()

    def _write_repeats(self) -> None:
        """Link repetitions to their originals, which may stand anywhere in the file or be there already."""
        if not self.repeats:
            return
        names = {each.external_id for each in self.repeats} | {str(each.repeats) for each in self.repeats}
        rows = HiddenFields.objects.filter(packet=self.packet, external_id__in=names).select_related("item")
        known = {row.external_id: row for row in rows}
        changed = []
        for each in self.repeats:
            original = known.get(str(each.repeats))
            if original is None:
                self.problems.add(_unknown_original(each))
            elif known[each.external_id].repeats_id != original.pk:
                known[each.external_id].repeats_id = original.pk
                changed.append(known[each.external_id])
        HiddenFields.objects.bulk_update(changed, ["repeats"], batch_size=BATCH)

    def write_origins(self, origins: dict[str, Sequence[Origin]]) -> None:
        """Write where the texts of drawn items came from; what is there already stays."""
        texts = ItemText.objects.filter(item__packet=self.packet, item__hidden__external_id__in=origins, origin=None)
        by_place = {
            (external_id, part): pk
            for external_id, part, pk in texts.values_list("item__hidden__external_id", "part", "pk")
        }
        TextOrigin.objects.bulk_create(
            TextOrigin(
                text_id=by_place[external_id, each.part],
                source=each.source,
                source_id=each.source_id,
                enrolment_id=each.enrolment_id,
            )
            for external_id, listed in origins.items()
            for each in listed
            if (external_id, each.part) in by_place
        )


def _texts(item: Item, each: Wanted) -> list[ItemText]:
    return [ItemText(item=item, part=part, text=text) for part, text in each.texts.items()]


def _unknown_original(each: Wanted) -> InputProblem:
    message = _("There is no item %(id)s to repeat.") % {"id": shown(each.repeats)}
    remedy = _("Add it to the file, or correct the id.")
    if each.row is None:
        return InputProblem("", None, None, message, remedy, "repeats")
    return each.row.problem("repeats", message, remedy)
