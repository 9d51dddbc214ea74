"""From a definition to the rows of a campaign and its draft packet. Rows are found by their codes and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import RestrictedError
from django.utils.translation import gettext as _

from annotation.models import Campaign, ConsentText, Dimension, ItemKind, Label, Packet, Rubric
from core.canonical import text_sha256
from core.errors import Conflict, NotThere
from studies.models import Study

Data = Mapping[str, Any]


def write(packet: Packet, data: Data, now: datetime) -> None:
    """Make the draft `packet` and its campaign say what `data` says. The caller holds the campaign's lock."""
    campaign = packet.campaign
    _write_campaign(campaign, data)
    write_consent(campaign, data["consent"], now)
    _write_settings(packet, data)
    known = {kind.code: kind for kind in packet.kinds.all()}
    for position, entry in enumerate(data["item_kinds"]):
        kind = known.pop(entry["code"], None) or ItemKind(packet=packet, code=entry["code"])
        kind.name, kind.parts, kind.position = entry["name"], entry["parts"], position
        kind.rubric = write_rubric(campaign, entry["code"], entry["rubric"], now)
        kind.save()
        _write_dimensions(kind, entry["dimensions"])
    for kind in known.values():
        _drop(kind)


def _write_campaign(campaign: Campaign, data: Data) -> None:
    campaign.title, campaign.kind = data["title"], data["kind"]
    campaign.language, campaign.contact = data["language"], data["contact"]
    campaign.study = _study(data["study"])
    campaign.save()


def _study(slug: str | None) -> Study | None:
    if slug is None:
        return None
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise NotThere(_("There is no study “%(slug)s”.") % {"slug": slug})
    return study


def _write_settings(packet: Packet, data: Data) -> None:
    packet.raters_per_item, packet.items_per_rater = data["raters_per_item"], data["items_per_rater"]
    packet.is_counterbalanced, packet.lease_minutes = data["counterbalanced"], data["lease_minutes"]
    packet.skip_policy, packet.resampling_unit = data["skipping"], data["unit"]
    packet.hidden_fields, packet.primary_analysis = data["hidden"], dict(data["primary_analysis"])
    qualification = data["qualification"]
    packet.needs_training, packet.pass_mark = qualification["training"], qualification["pass_mark"]
    packet.attempts = qualification["attempts"]
    packet.save()


def write_rubric(campaign: Campaign, code: str, text: str, now: datetime) -> Rubric:
    """The rubric `code` with this text: the version that says it, else the next one."""
    sha256 = text_sha256(text)
    versions = Rubric.objects.filter(campaign=campaign, code=code)
    found = versions.filter(sha256=sha256).first()
    if found is not None:
        return found
    last = versions.order_by("-number").values_list("number", flat=True).first() or 0
    return Rubric.objects.create(
        campaign=campaign, code=code, number=last + 1, text=text, sha256=sha256, written_at=now
    )


def write_consent(campaign: Campaign, text: str, now: datetime) -> ConsentText | None:
    """The consent text in force: the last version if it says this, else the next one; None if there is none."""
    last = campaign.consent_texts.order_by("-number").first()
    if text.strip() == "" or (last is not None and last.text == text):
        return last
    number = 1 if last is None else last.number + 1
    return ConsentText.objects.create(
        campaign=campaign, number=number, text=text, sha256=text_sha256(text), written_at=now
    )


def _write_dimensions(kind: ItemKind, entries: Sequence[Data]) -> None:
    known = {dimension.code: dimension for dimension in kind.dimensions.all()}
    written: dict[str, Dimension] = {}
    for position, entry in enumerate(entries):
        dimension = known.pop(entry["code"], None) or Dimension(kind=kind, code=entry["code"])
        dimension.position = position
        _write_dimension(dimension, entry, written)
        _write_labels(dimension, entry["labels"])
        written[entry["code"]] = dimension
    Dimension.objects.filter(pk__in=[each.pk for each in known.values()]).delete()


def _write_dimension(dimension: Dimension, entry: Data, earlier: Mapping[str, Dimension]) -> None:
    cannot, needs = entry["cannot_judge"], entry["depends_on"]
    dimension.name, dimension.question, dimension.scale = entry["name"], entry["question"], entry["scale"]
    dimension.is_required, dimension.evidence = entry["required"], entry["evidence"]
    dimension.cannot_judge, dimension.cannot_judge_label = cannot["counts_as"], cannot["label"]
    dimension.cannot_judge_meaning = cannot["meaning"]
    dimension.depends_on = None if needs is None else earlier[needs["dimension"]]
    dimension.depends_labels = [] if needs is None else needs["labels"]
    dimension.save()


def _write_labels(dimension: Dimension, entries: Sequence[Data]) -> None:
    codes = [entry["code"] for entry in entries]
    dimension.labels.exclude(code__in=codes).delete()
    known = {label.code: label for label in dimension.labels.all()}
    # Positions are unique: move what is there out of the way before it takes its new place.
    for offset, label in enumerate(known.values()):
        label.position = 1000 + offset
        label.mirror = None
        label.save(update_fields=["position", "mirror"])
    for position, entry in enumerate(entries):
        label = known.get(entry["code"]) or Label(dimension=dimension, code=entry["code"])
        label.text, label.hint, label.value = entry["text"], entry["hint"], entry["value"]
        label.is_match, label.position = entry["match"], position
        label.save()
        known[entry["code"]] = label
    for entry in entries:
        if entry["mirror"] is not None:
            known[entry["code"]].mirror = known[entry["mirror"]]
            known[entry["code"]].save(update_fields=["mirror"])


def _drop(kind: ItemKind) -> None:
    try:
        kind.delete()
    except RestrictedError as error:
        message = _("The kind %(code)s has items. Delete them first, or keep the kind.")
        raise Conflict(message % {"code": kind.code}, code="kind_in_use") from error
