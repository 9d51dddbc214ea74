"""A copy of a frozen packet as the draft of the next: same content, new keys, new salts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.forms.models import model_to_dict

from annotation import hashing
from annotation.models import (
    Dimension,
    GoldLabel,
    HiddenFields,
    Item,
    ItemKind,
    ItemScore,
    ItemText,
    Label,
    Packet,
    TextOrigin,
)
from core.randomness import new_code

KEY_LENGTH = 12
BATCH = 2000
SETTINGS = (
    "raters_per_item",
    "items_per_rater",
    "is_counterbalanced",
    "lease_minutes",
    "skip_policy",
    "resampling_unit",
    "primary_analysis",
    "hidden_fields",
    "needs_training",
    "pass_mark",
    "attempts",
)
HIDDEN = ("external_id", "stratum", "reference", "pair", "source", "model", "is_covered", "distance", "values")


def copy(packet: Packet, *, reason: str, now: datetime) -> Packet:
    """The next packet of the campaign as a draft with the content of `packet`. Erased items are not taken along."""
    draft = Packet.objects.create(
        campaign=packet.campaign,
        number=packet.number + 1,
        amended_from=packet,
        reason=reason,
        created_at=now,
        **{name: getattr(packet, name) for name in SETTINGS},
    )
    _Copy(packet, draft).run()
    return draft


class _Copy:
    """Copies row by row, remembering which row became which."""

    def __init__(self, packet: Packet, draft: Packet) -> None:
        self.packet, self.draft = packet, draft
        self.kinds: dict[int, ItemKind] = {}
        self.dimensions: dict[int, Dimension] = {}
        self.labels: dict[int, Label] = {}
        self.items: dict[int, Item] = {}

    def run(self) -> None:
        for kind in self.packet.kinds.order_by("position"):
            self._copy_kind(kind)
        self._copy_items()
        self._copy_texts()
        self._copy_hidden()
        self._copy_scores()

    def _copy_kind(self, kind: ItemKind) -> None:
        mine = ItemKind(packet=self.draft, rubric=kind.rubric, **_values(kind, "code", "name", "position", "parts"))
        mine.save()
        self.kinds[kind.pk] = mine
        for dimension in kind.dimensions.order_by("position"):
            self._copy_dimension(dimension, mine)

    def _copy_dimension(self, dimension: Dimension, kind: ItemKind) -> None:
        values = model_to_dict(dimension, exclude=["id", "kind", "depends_on"])
        other = dimension.depends_on_id
        mine = Dimension.objects.create(
            kind=kind, depends_on=None if other is None else self.dimensions[other], **values
        )
        self.dimensions[dimension.pk] = mine
        labels = list(dimension.labels.all())
        for label in labels:
            values = model_to_dict(label, exclude=["id", "dimension", "mirror"])
            self.labels[label.pk] = Label.objects.create(dimension=mine, **values)
        for label in labels:
            if label.mirror_id is not None:
                self.labels[label.pk].mirror = self.labels[label.mirror_id]
                self.labels[label.pk].save(update_fields=["mirror"])

    def _copy_items(self) -> None:
        sequences: dict[str, str] = {"": ""}
        rows = self.packet.items.filter(erased_at=None).select_related("kind").prefetch_related("texts").order_by("key")
        batch: list[Item] = []
        for item in rows.iterator(chunk_size=BATCH):
            sequence = sequences.setdefault(item.sequence, new_code(KEY_LENGTH))
            mine = Item(
                packet=self.draft,
                kind=self.kinds[item.kind_id],
                key=new_code(KEY_LENGTH),
                salt=hashing.new_salt(),
                sequence=sequence,
                **_values(item, "purpose", "proposals", "place"),
            )
            mine.sha256 = hashing.item_sha256(
                salt=mine.salt,
                kind=item.kind.code,
                purpose=mine.purpose,
                texts={text.part: text.text for text in item.texts.all()},
                proposals=mine.proposals,
                sequence=mine.sequence,
                place=mine.place,
            )
            batch.append(mine)
            self.items[item.pk] = mine
        Item.objects.bulk_create(batch, batch_size=BATCH)

    def _copy_texts(self) -> None:
        texts = ItemText.objects.filter(item__packet=self.packet, item__erased_at=None)
        batch: dict[int, ItemText] = {}
        for text in texts.iterator(chunk_size=BATCH):
            batch[text.pk] = ItemText(item=self.items[text.item_id], part=text.part, text=text.text)
        ItemText.objects.bulk_create(batch.values(), batch_size=BATCH)
        TextOrigin.objects.bulk_create(
            [
                TextOrigin(
                    text=batch[origin.text_id],
                    source=origin.source,
                    source_id=origin.source_id,
                    enrolment_id=origin.enrolment_id,
                )
                for origin in TextOrigin.objects.filter(text__in=texts)
            ],
            batch_size=BATCH,
        )

    def _copy_hidden(self) -> None:
        rows = HiddenFields.objects.filter(packet=self.packet, item__erased_at=None).select_related("repeats")
        rows = rows.prefetch_related("item__gold__dimension", "item__gold__label")
        batch: list[HiddenFields] = []
        gold: list[GoldLabel] = []
        for row in rows:
            mine = HiddenFields(packet=self.draft, item=self.items[row.pk], salt=hashing.new_salt())
            for name in HIDDEN:
                setattr(mine, name, getattr(row, name))
            mine.repeats = self.items.get(row.repeats_id) if row.repeats_id is not None else None
            batch.append(mine)
            gold += [
                GoldLabel(
                    item=self.items[row.pk],
                    dimension=self.dimensions[each.dimension_id],
                    label=self.labels[each.label_id],
                    explanation=each.explanation,
                )
                for each in row.item.gold.all()
            ]
        HiddenFields.objects.bulk_create(batch, batch_size=BATCH)
        GoldLabel.objects.bulk_create(gold, batch_size=BATCH)

    def _copy_scores(self) -> None:
        scores = ItemScore.objects.filter(item__packet=self.packet, item__erased_at=None)
        ItemScore.objects.bulk_create(
            [
                ItemScore(scorer_id=score.scorer_id, item=self.items[score.item_id], part=score.part, value=score.value)
                for score in scores
            ],
            batch_size=BATCH,
        )


def _values(row: object, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
