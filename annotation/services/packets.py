"""Freezing and amending packets, and proving that a frozen one is as it was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation import hashing
from annotation.errors import NotFreezable
from annotation.items.hidden import hash_of
from annotation.models import Campaign, HiddenFields, Item, Packet, Place
from annotation.selectors.packets import definition_with_versions, hidden_hashes, item_hashes, strata_with_sides
from annotation.services import cloning
from annotation.services.checks import problems_of
from annotation.services.common import lock_campaign, lock_packet, record, refuse_if_frozen
from annotation.sides import planned_sides
from core.errors import Conflict, Invalid

BATCH = 2000


def draft_of(campaign: Campaign) -> Packet:
    """The packet of the campaign that may be edited.

    Raises
    ------
    PacketFrozen
        If there is none, because the last one is frozen.
    """
    packet = campaign.packets.order_by("-number")[0]
    refuse_if_frozen(packet)
    return packet


@transaction.atomic
def freeze(*, campaign: Campaign, by: Any, now: datetime) -> Packet:
    """Freeze the draft packet: definition, seed, items and hidden fields get their hashes, and items their places.

    It becomes the packet that raters judge; one that was there before is judged no more.

    Raises
    ------
    NotFreezable
        With every reason; nothing has changed then.
    """
    lock_campaign(campaign)
    packet = draft_of(campaign)
    lock_packet(packet)
    packet.campaign = campaign
    problems = problems_of(packet)
    if problems:
        raise NotFreezable(problems)
    _seal(packet)
    places = _make_places(packet)
    packet.definition = definition_with_versions(packet)
    packet.items_sha256 = hashing.joint_sha256(item_hashes(packet))
    packet.mapping_sha256 = hashing.joint_sha256(hidden_hashes(packet))
    packet.sha256 = _sha256(packet, places)
    packet.frozen_at, packet.frozen_by = now, by
    packet.save()
    campaign.current_packet = packet
    campaign.save(update_fields=["current_packet"])
    record(campaign, "frozen", by=by, now=now, packet=packet.number, sha256=packet.sha256)
    return packet


def _seal(packet: Packet) -> None:
    """Write the hash of the hidden fields of every item of a draft."""
    rows = HiddenFields.objects.filter(packet=packet).select_related("item", "repeats")
    rows = rows.prefetch_related("item__gold__dimension", "item__gold__label")
    changed = []
    for row in rows.iterator(chunk_size=BATCH):
        sha256 = hash_of(row)
        if sha256 != row.sha256:
            row.sha256 = sha256
            changed.append(row)
    HiddenFields.objects.bulk_update(changed, ["sha256"], batch_size=BATCH)


def _sha256(packet: Packet, places: list[tuple[str, int, bool | None]]) -> str:
    return hashing.packet_sha256(
        definition=packet.definition or {},
        seed=packet.seed,
        items_sha256=packet.items_sha256,
        mapping_sha256=packet.mapping_sha256,
        places=places,
    )


def _make_places(packet: Packet) -> list[tuple[str, int, bool | None]]:
    """Give each item its places for people; return them as they are hashed."""
    n = packet.raters_per_item
    plan = planned_sides(strata_with_sides(packet), n=n, seed=packet.seed) if packet.is_counterbalanced else {}
    made: list[tuple[str, int, bool | None]] = []
    rows: list[Place] = []
    for pk, key, has_sides in _with_sides(packet):
        sides: list[bool | None] = [*plan.get(key, [False] * n)] if has_sides else [None] * n
        made += [(key, number, side) for number, side in enumerate(sides, start=1)]
        rows += [Place(item_id=pk, number=number, swapped=side) for number, side in enumerate(sides, start=1)]
    Place.objects.bulk_create(rows, batch_size=BATCH)
    return made


def _with_sides(packet: Packet) -> Iterator[tuple[int, str, bool]]:
    sided = {kind.pk for kind in packet.kinds.all() if kind.sides}
    for pk, key, kind_id in _work(packet).values_list("pk", "key", "kind_id"):
        yield pk, key, kind_id in sided


def _work(packet: Packet) -> QuerySet[Item]:
    return Item.objects.work().filter(packet=packet).order_by("key")


@transaction.atomic
def amend(*, campaign: Campaign, reason: str, by: Any, now: datetime) -> Packet:
    """Open the draft of the next packet: a copy of the frozen one, which stays as it is, for a reason.

    Raters go on with the frozen packet until the new one is frozen, too.
    """
    lock_campaign(campaign)
    if not reason.strip():
        raise Invalid(_("An amendment needs a reason."), fields={"reason": [_("Say why, in a sentence.")]})
    last = campaign.packets.order_by("-number")[0]
    if not last.is_frozen:
        raise Conflict(_("There is a draft already: edit that one."), code="draft_exists")
    draft = cloning.copy(last, reason=reason.strip(), now=now)
    record(campaign, "amended", by=by, now=now, packet=draft.number, reason=draft.reason)
    return draft


def discrepancies(packet: Packet) -> list[str]:
    """What of a frozen packet is not as it was frozen: nothing, if all is well. Erased items keep their hash.

    Places of an odd last column may be turned when they are given away; that alone is no discrepancy.
    """
    if not packet.is_frozen or packet.definition is None:
        raise Conflict(_("The packet is not frozen."), code="not_frozen")
    found = [_("The item %(key)s was changed.") % {"key": key} for key in changed_items(packet)]
    if hashing.joint_sha256(item_hashes(packet)) != packet.items_sha256:
        found.append(_("Items were added or removed."))
    if hashing.joint_sha256(hidden_hashes(packet)) != packet.mapping_sha256:
        found.append(_("Hidden fields were changed."))
    now_says = definition_with_versions(packet)
    if packet.definition["item_kinds"] != now_says["item_kinds"]:
        found.append(_("Kinds, dimensions, labels or rubrics were changed."))
    settings = ("raters_per_item", "skipping", "unit", "hidden", "primary_analysis", "counterbalanced")
    found += [
        _("The setting %(name)s was changed.") % {"name": name}
        for name in settings
        if packet.definition[name] != now_says[name]
    ]
    plan = planned_sides(strata_with_sides(packet), n=packet.raters_per_item, seed=packet.seed)
    if _sha256(packet, _planned_places(packet, plan)) != packet.sha256:
        found.append(_("The hash of the packet does not agree with its parts."))
    return found


def _planned_places(packet: Packet, plan: dict[str, list[bool]]) -> list[tuple[str, int, bool | None]]:
    n = packet.raters_per_item
    planned = plan if packet.is_counterbalanced else {}
    return [
        (key, number, side)
        for _pk, key, has_sides in _with_sides(packet)
        for number, side in enumerate(planned.get(key, [False] * n) if has_sides else [None] * n, start=1)
    ]


def changed_items(packet: Packet) -> list[str]:
    """The keys of items whose content is not what their hash was made of."""
    items = packet.items.filter(erased_at=None).select_related("kind").prefetch_related("texts").order_by("key")
    return [item.key for item in items.iterator(chunk_size=BATCH) if content_hash(item) != item.sha256]


def content_hash(item: Item) -> str:
    """The hash of an item as its rows are now."""
    return hashing.item_sha256(
        salt=item.salt,
        kind=item.kind.code,
        purpose=item.purpose,
        texts={text.part: text.text for text in item.texts.all()},
        proposals=item.proposals,
        sequence=item.sequence,
        place=item.place,
    )
