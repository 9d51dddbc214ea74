"""From rows to the definition of a campaign: the canonical form that is frozen, and the file a person edits."""

from __future__ import annotations

from typing import Any

from annotation.definition.schema import SCHEMA_VERSION
from annotation.models import Dimension, ItemKind, Label, Packet


def canonical(packet: Packet) -> dict[str, Any]:
    """The whole definition of a packet's campaign with its settings, kinds, dimensions and labels."""
    campaign = packet.campaign
    consent = campaign.consent_texts.order_by("-number").first()
    return {
        "schema_version": SCHEMA_VERSION,
        "slug": campaign.slug,
        "title": campaign.title,
        "kind": campaign.kind,
        "study": campaign.study.slug if campaign.study is not None else None,
        "language": campaign.language,
        "contact": campaign.contact,
        "consent": "" if consent is None else consent.text,
        "raters_per_item": packet.raters_per_item,
        "items_per_rater": packet.items_per_rater,
        "counterbalanced": packet.is_counterbalanced,
        "lease_minutes": packet.lease_minutes,
        "skipping": packet.skip_policy,
        "unit": packet.resampling_unit,
        "qualification": {
            "training": packet.needs_training,
            "pass_mark": packet.pass_mark,
            "attempts": packet.attempts,
        },
        "hidden": packet.hidden_fields,
        "primary_analysis": packet.primary_analysis,
        "item_kinds": [_kind(kind) for kind in _kinds(packet)],
    }


def _kinds(packet: Packet) -> list[ItemKind]:
    return list(
        packet.kinds.select_related("rubric")
        .prefetch_related("dimensions__labels__mirror", "dimensions__depends_on")
        .order_by("position", "code")
    )


def _kind(kind: ItemKind) -> dict[str, Any]:
    return {
        "code": kind.code,
        "name": kind.name,
        "rubric": kind.rubric.text,
        "parts": kind.parts,
        "dimensions": [_dimension(each) for each in kind.dimensions.all()],
    }


def _dimension(dimension: Dimension) -> dict[str, Any]:
    other = dimension.depends_on
    return {
        "code": dimension.code,
        "name": dimension.name,
        "question": dimension.question,
        "scale": dimension.scale,
        "required": dimension.is_required,
        "evidence": dimension.evidence,
        "cannot_judge": {
            "counts_as": dimension.cannot_judge,
            "label": dimension.cannot_judge_label,
            "meaning": dimension.cannot_judge_meaning,
        },
        "depends_on": None if other is None else {"dimension": other.code, "labels": dimension.depends_labels},
        "labels": [_label(label) for label in dimension.labels.all()],
    }


def _label(label: Label) -> dict[str, Any]:
    return {
        "code": label.code,
        "text": label.text,
        "hint": label.hint,
        "value": label.value,
        "match": label.is_match,
        "mirror": label.mirror.code if label.mirror is not None else None,
    }


def dump(packet: Packet) -> dict[str, Any]:
    """The definition as a file says it: what is empty or null is left out, which loads as the same."""
    shown: dict[str, Any] = _without_empty(canonical(packet))
    return shown


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items() if each not in (None, "", [], {})}
        return {key: each for key, each in kept.items() if each != {}}
    return [_without_empty(each) for each in value] if isinstance(value, list) else value
