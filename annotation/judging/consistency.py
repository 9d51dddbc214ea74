"""A model's answers to items that it was asked about both ways round."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from annotation.models import Assignment, Judgement, Packet, Rater
from annotation.stats.swaps import consistency

Purpose = Assignment.Purpose


def swap_consistency(rater: Rater, packet: Packet) -> list[dict[str, Any]]:
    """For each kind and dimension how often the model says the same both ways; empty if it was not asked so."""
    rows = Judgement.objects.current().filter(
        assignment__rater=rater,
        assignment__item__packet=packet,
        assignment__status=Assignment.Status.DONE,
        assignment__purpose__in=[Purpose.WORK, Purpose.SWAP],
    )
    columns = ("dimension__kind__code", "dimension__code", "assignment__item__key", "assignment__purpose")
    said: dict[tuple[str, str], dict[str, dict[str, str | None]]] = defaultdict(lambda: defaultdict(dict))
    for kind, dimension, key, purpose, label, labels in rows.order_by(*columns).values_list(
        *columns, "label__code", "labels"
    ):
        said[kind, dimension][key][purpose] = label if labels is None else ",".join(labels)
    found = []
    for (kind, dimension), items in said.items():
        both = [looks for _key, looks in sorted(items.items()) if Purpose.SWAP in looks and Purpose.WORK in looks]
        if both:
            result = consistency([each[Purpose.WORK] for each in both], [each[Purpose.SWAP] for each in both])
            found.append({"kind": kind, "dimension": dimension, **result.to_dict()})
    return found
