"""What imports into a frozen packet share: items by name, batches, what was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Campaign, Item, Packet
from annotation.services.common import hold_open, lock_campaign, record
from core.errors import Conflict, Problems, shown
from core.tables import Row

BATCH = 2000


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    n_rows: int = 0
    n_created: int = 0
    n_updated: int = 0
    n_unchanged: int = 0
    is_dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "rows": self.n_rows,
            "created": self.n_created,
            "updated": self.n_updated,
            "unchanged": self.n_unchanged,
            "dry_run": self.is_dry_run,
        }


def packet_of(campaign: Campaign) -> Packet:
    """The frozen packet of the campaign, which must be open; the campaign is locked."""
    lock_campaign(campaign)
    packet = campaign.current_packet
    if packet is None:
        raise Conflict(_("Freeze the packet first: answers belong to frozen items."), code="not_frozen")
    hold_open(packet)
    return packet


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows some thousands at a time."""
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def finish(
    campaign: Campaign, report: ImportReport, event: str, by: Any, now: datetime, dry_run: bool, name: str
) -> ImportReport:
    """Record what was done, or take it back if it was only tried."""
    report.is_dry_run = dry_run
    if dry_run:
        transaction.set_rollback(True)
    else:
        record(campaign, event, by=by, now=now, file=name, created=report.n_created, updated=report.n_updated)
    return report


def items_by_name(packet: Packet, batch: Sequence[Row]) -> dict[str, Item]:
    """The items that the rows name, by external id or key."""
    names = {row["item"] for row in batch}
    found: dict[str, Item] = {}
    for item in Item.objects.filter(packet=packet, key__in=names):
        found[item.key] = item
    for item in Item.objects.filter(packet=packet, hidden__external_id__in=names).select_related("hidden"):
        found[item.hidden.external_id] = item
    return found


def item_of(row: Row, items: dict[str, Item], problems: Problems) -> Item | None:
    """The item that a row names; None, and its problem, if there is none."""
    item = items.get(row["item"])
    if item is None:
        message = _("The packet has no item %(id)s.") % {"id": shown(row["item"])}
        problems.add(row.problem("item", message, _("Use the external id or the key of an item.")))
    return item
