"""Why a draft packet cannot be frozen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from annotation.definition import canonical, contradictions
from annotation.models import HiddenFields, Item, Packet

SHOWN = 5
Purpose = Item.Purpose


def problems_of(packet: Packet) -> list[str]:
    """Every reason against freezing `packet`; none if it can be frozen."""
    return [*_of_definition(packet), *_of_items(packet), *_of_gold(packet), *_of_repeats(packet)]


def _of_definition(packet: Packet) -> Iterator[str]:
    data = canonical(packet)
    if not data["item_kinds"]:
        yield _("There is no kind of item yet.")
    for path, message, remedy in contradictions.found(data):
        yield f"{'.'.join(map(str, path))}: {message} {remedy}"
    if packet.raters_per_item and not data["consent"].strip():
        yield _("People judge, but there is no text that they consent to.")


def _of_items(packet: Packet) -> Iterator[str]:
    items = packet.items.all()
    if not items.filter(purpose=Purpose.WORK).exists():
        yield _("There are no items to judge.")
    without = items.filter(hidden=None)
    if without.exists():
        yield _("Items without an external id: %(keys)s.") % {"keys": _some(without.values_list("key", flat=True))}
    if items.exclude(erased_at=None).exists():
        yield _("Texts of some items were erased. Remove these items.")
    for kind in packet.kinds.all():
        parts = {part["code"] for part in kind.parts}
        counted = items.filter(kind=kind).annotate(n=Count("texts"))
        if counted.exclude(n=len(parts)).exists():
            yield _("Some items of kind %(code)s lack a text, or have one too many.") % {"code": kind.code}
    if items.exclude(sequence="").exclude(purpose=Purpose.WORK).exists():
        yield _("Training and gold items cannot be parts of a sequence.")


def _of_gold(packet: Packet) -> Iterator[str]:
    for purpose, needed, name in (
        (Purpose.TRAINING, packet.needs_training, _("training")),
        (Purpose.GOLD, packet.pass_mark is not None, _("gold")),
    ):
        items = packet.items.filter(purpose=purpose)
        if needed and not items.exists():
            yield _("There are no %(purpose)s items, though the qualification needs some.") % {"purpose": name}
        bare = items.filter(gold=None)
        if bare.exists():
            keys = _some(HiddenFields.objects.filter(item__in=bare).values_list("external_id", flat=True))
            yield _("There is no right answer for these %(purpose)s items: %(keys)s.") % {"purpose": name, "keys": keys}


def _of_repeats(packet: Packet) -> Iterator[str]:
    rows = HiddenFields.objects.filter(packet=packet).exclude(repeats=None)
    if rows.exclude(repeats__packet=packet).exists():
        yield _("An item repeats one of another packet.")
    if rows.exclude(item__purpose=Purpose.WORK).exists() or rows.exclude(repeats__purpose=Purpose.WORK).exists():
        yield _("Only items to be judged are repeated.")
    if rows.exclude(repeats__hidden__repeats=None).exists():
        yield _("A repetition cannot be repeated.")


def _some(names: QuerySet[Any, str]) -> str:
    listed = list(names[: SHOWN + 1])
    return ", ".join(listed[:SHOWN]) + (" …" if len(listed) > SHOWN else "")
