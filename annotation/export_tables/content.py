"""What was judged: items, texts, what was asked."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.export_tables.scope import CHUNK, DIMENSION, ITEM, KIND, Rows, Scope, made
from annotation.models import Dimension, Item, ItemText, Label
from core.tables import Column, Kind, Table


def items(scope: Scope) -> Table:
    """The items, without their texts."""
    columns: list[Column | None] = [
        ITEM,
        KIND,
        Column("purpose", Kind.TEXT, _("What it is for."), values=dict(Item.Purpose.choices), nullable=False),
        Column("proposals", Kind.JSON, _("Labels of a machine that raters checked, by dimension."), nullable=False),
        Column("sequence", Kind.TEXT, _("Segments of one text share it; empty for others."), nullable=False),
        Column("place", Kind.INTEGER, _("Place of a segment in its text.")),
        Column("salt", Kind.TEXT, _("What the hash covers beside the content; empty once erased."), nullable=False),
        Column("sha256", Kind.TEXT, _("The hash that was frozen."), nullable=False),
        Column("is_erased", Kind.BOOLEAN, _("Whether an author has withdrawn and the texts are gone."), nullable=False),
    ]
    return made("items", _("The items of the packet."), columns, _item_rows, scope)


def _item_rows(scope: Scope) -> Rows:
    rows = Item.objects.filter(packet=scope.packet).order_by("key")
    columns = ("key", "kind__code", "purpose", "proposals", "sequence", "place", "salt", "sha256", "erased_at")
    for *row, erased_at in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        yield (*row, erased_at is not None)


def texts(scope: Scope) -> Table:
    """The texts of the items."""
    columns: list[Column | None] = [
        ITEM,
        Column("part", Kind.TEXT, _("Code of the text within its kind."), nullable=False),
        Column("text", Kind.TEXT, _("The text, byte for byte as raters were shown it."), nullable=False),
    ]
    return made("texts", _("The texts of the items."), columns, _text_rows, scope)


def _text_rows(scope: Scope) -> Rows:
    rows = ItemText.objects.filter(item__packet=scope.packet).order_by("item__key", "part")
    yield from rows.values_list("item__key", "part", "text").iterator(chunk_size=CHUNK)


def dimensions(scope: Scope) -> Table:
    """What was asked."""
    columns: list[Column | None] = [
        KIND,
        DIMENSION,
        Column("question", Kind.TEXT, _("What was asked."), nullable=False),
        Column("scale", Kind.TEXT, _("Its scale."), values=dict(Dimension.Scale.choices), nullable=False),
        Column(
            "cannot_judge",
            Kind.TEXT,
            _("What cannot judge counts as."),
            values=dict(Dimension.CannotJudge.choices),
            nullable=False,
        ),
        Column("depends_on", Kind.TEXT, _("The dimension on whose answer it depends.")),
        Column("depends_labels", Kind.JSON, _("After which labels of that it was asked."), nullable=False),
    ]
    return made("dimensions", _("What was asked about items of each kind."), columns, _dimension_rows, scope)


def _dimension_rows(scope: Scope) -> Rows:
    rows = Dimension.objects.filter(kind__packet=scope.packet).order_by("kind__position", "kind__code", "position")
    yield from rows.values_list(
        "kind__code", "code", "question", "scale", "cannot_judge", "depends_on__code", "depends_labels"
    )


def labels(scope: Scope) -> Table:
    """What could be answered."""
    columns: list[Column | None] = [
        KIND,
        DIMENSION,
        Column("label", Kind.TEXT, _("Code of the label."), nullable=False),
        Column("position", Kind.INTEGER, _("Its place in the declared order, from 0."), nullable=False),
        Column("text", Kind.TEXT, _("What raters read."), nullable=False),
        Column("value", Kind.NUMBER, _("The number that means use.")),
        Column("is_match", Kind.BOOLEAN, _("Whether the strict summary counts it as a match."), nullable=False),
        Column("mirror", Kind.TEXT, _("The label that says the same with the sides exchanged.")),
    ]
    return made("labels", _("The possible answers, in their declared order."), columns, _label_rows, scope)


def _label_rows(scope: Scope) -> Rows:
    rows = Label.objects.filter(dimension__kind__packet=scope.packet)
    ordered = rows.order_by("dimension__kind__position", "dimension__kind__code", "dimension__position", "position")
    yield from ordered.values_list(
        "dimension__kind__code", "dimension__code", "code", "position", "text", "value", "is_match", "mirror__code"
    )
