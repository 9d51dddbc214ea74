"""What a packet holds, as its hashes and its definition need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.definition import canonical
from annotation.items.hidden import hash_of
from annotation.models import HiddenFields, Item, Packet

CHUNK = 5000


def definition_with_versions(packet: Packet) -> dict[str, Any]:
    """The canonical definition of a packet, with the version and hash of each rubric and of the consent text."""
    data = canonical(packet)
    rubrics = {kind.code: kind.rubric for kind in packet.kinds.select_related("rubric")}
    for kind in data["item_kinds"]:
        rubric = rubrics[kind["code"]]
        kind["rubric_version"], kind["rubric_sha256"] = rubric.number, rubric.sha256
    consent = packet.campaign.consent_texts.order_by("-number").first()
    data["consent_version"] = None if consent is None else consent.number
    data["consent_sha256"] = None if consent is None else consent.sha256
    return data


def item_hashes(packet: Packet) -> Iterator[tuple[str, str]]:
    """Key and hash of each item, as stored."""
    yield from packet.items.order_by("key").values_list("key", "sha256").iterator(chunk_size=CHUNK)


def hidden_hashes(packet: Packet) -> Iterator[tuple[str, str]]:
    """Key of each item and the hash of its hidden fields, computed of the fields as they are now."""
    rows = HiddenFields.objects.filter(packet=packet).select_related("item", "repeats").order_by("item__key")
    for row in rows.prefetch_related("item__gold__dimension", "item__gold__label").iterator(chunk_size=CHUNK):
        yield row.item.key, hash_of(row)


def strata_with_sides(packet: Packet) -> dict[str, str]:
    """The stratum, within its kind, of each item to be judged that has two sides."""
    sided = [kind.pk for kind in packet.kinds.all() if kind.sides]
    rows = Item.objects.work().filter(packet=packet, kind__in=sided).order_by("key")
    return {key: f"{code}/{stratum}" for key, code, stratum in rows.values_list("key", "kind__code", "hidden__stratum")}
