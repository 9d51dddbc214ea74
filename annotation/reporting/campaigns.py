"""The report of a locked packet. Imported where it is computed: by the worker and the command."""

from __future__ import annotations

import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Packet, Rater
from annotation.reporting.about import About
from annotation.reporting.documents import computed, document
from annotation.reporting.folders import write_folder
from annotation.reporting.loading import material_of
from annotation.selectors.completeness import completeness, judgements_sha256
from annotation.stats.material import Material, Settings
from annotation.stats.report import Tell


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A report and what it was made of."""

    document: dict[str, Any]
    material: Material


def report_of(
    packet: Packet, *, with_hidden: bool, seed: int, replicates: int, level: float, tell: Tell | None = None
) -> Made:
    """The report of a packet's answers as they are now."""
    material = material_of(packet, with_hidden=with_hidden)
    settings = Settings(seed=seed, replicates=replicates, level=level)
    about = about_packet(packet, with_hidden=with_hidden)
    return Made(document(computed(material, settings, tell), about), material)


def packed(made: Made) -> bytes:
    """All files of a report in one archive; equal reports give equal bytes."""
    out = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="polyphony-agreement-") as scratch:
        paths = write_folder(made.document, made.material, Path(scratch))
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(paths):
                archive.writestr(zipfile.ZipInfo(f"agreement/{path.name}"), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def about_packet(packet: Packet, *, with_hidden: bool) -> About:
    """The locked packet as the source: hashes, rater terms, the declared primary analysis, counts."""
    campaign = packet.campaign
    facts = {
        "title": campaign.title,
        "kind": campaign.kind,
        "packet": packet.number,
        "packet_sha256": packet.sha256,
        "items_sha256": packet.items_sha256,
        "mapping_sha256": packet.mapping_sha256,
        "order_seed": packet.seed,
        "counterbalanced": packet.is_counterbalanced,
        "raters_per_item": packet.raters_per_item,
        "skip_policy": packet.skip_policy,
        "unit": packet.resampling_unit,
        "hidden_fields_used": with_hidden,
        "primary_analysis": packet.primary_analysis,
        "completeness": completeness(packet).to_dict(),
        "raters": [_terms(rater) for rater in Rater.objects.filter(campaign=campaign).order_by("code")],
    }
    notes = () if with_hidden else (_("Not unblinded: no strata, units, sources, scores or distances are used."),)
    return About("campaign", campaign.slug, judgements_sha256(packet), facts, notes)


def _terms(rater: Rater) -> dict[str, Any]:
    """How a rater was found and paid; nothing that names a person."""
    pay = None if rater.pay_amount is None else f"{rater.pay_amount} {rater.pay_currency} / {rater.pay_per}"
    return {
        "code": rater.code,
        "kind": rater.kind,
        "came_by": rater.came_by,
        "recruitment": rater.recruitment,
        "pay": pay,
        "removed": rater.removed_at is not None,
    }
