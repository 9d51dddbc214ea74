"""How far a packet is judged, and the hash of what was judged."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from annotation.models import Assignment, Judgement, Packet, Place, Rater
from core.canonical import canonical_json

Status = Assignment.Status
Purpose = Assignment.Purpose


@dataclass(frozen=True, slots=True)
class Completeness:
    """Places of people and items of models: how many there are, and how many are judged on what is required.

    `n_extra` counts late answers beside the places, which analyses leave out by default.
    """

    n_places: int
    n_places_done: int
    n_of_models: int
    n_of_models_done: int
    n_lacking: int
    n_extra: int

    @property
    def is_complete(self) -> bool:
        """Whether everything is judged."""
        return self.n_places_done == self.n_places and self.n_of_models_done == self.n_of_models and self.n_lacking == 0

    def __str__(self) -> str:
        parts = [
            _("%(done)d of %(all)d judgements of people are there") % {"done": self.n_places_done, "all": self.n_places}
        ]
        if self.n_of_models:
            parts.append(_("%(done)d of %(all)d of models") % {"done": self.n_of_models_done, "all": self.n_of_models})
        if self.n_lacking:
            parts.append(_("%(n)d lack a required answer") % {"n": self.n_lacking})
        return "; ".join(parts) + "."

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "is_complete": self.is_complete}


def completeness(packet: Packet) -> Completeness:
    """How far the packet is judged, counted from the rows. Raters from files are not waited for."""
    places = Place.objects.filter(item__packet=packet)
    work = Assignment.objects.filter(item__packet=packet, purpose=Purpose.WORK)
    of_models = work.filter(rater__came_by=Rater.CameBy.ENDPOINT, rater__removed_at=None)
    models = Rater.objects.filter(campaign=packet.campaign_id, came_by=Rater.CameBy.ENDPOINT, removed_at=None)
    lacking = Exists(
        Judgement.objects.current().filter(
            Q(missing=Judgement.Missing.SKIPPED), assignment=OuterRef("pk"), dimension__is_required=True
        )
    )
    done = work.filter(status=Status.DONE, is_extra=False)
    return Completeness(
        n_places=places.count(),
        n_places_done=places.filter(holder__status=Status.DONE).count(),
        n_of_models=models.count() * packet.items.work().count(),
        n_of_models_done=of_models.filter(status=Status.DONE).count(),
        n_lacking=done.filter(lacking).count(),
        n_extra=work.filter(is_extra=True).count(),
    )


def judgements_sha256(packet: Packet) -> str:
    """SHA-256 over the current judgements of the packet, one canonical JSON line each.

    In the order of item key, rater code, purpose, round and dimension code; extra ones are there and marked.
    """
    rows = Judgement.objects.current().filter(assignment__item__packet=packet)
    columns = (
        "assignment__item__key",
        "assignment__rater__code",
        "assignment__purpose",
        "assignment__round",
        "dimension__code",
        "label__code",
        "labels",
        "missing",
        "swapped",
        "assignment__is_extra",
    )
    digest = hashlib.sha256()
    for row in rows.order_by(*columns[:5]).values_list(*columns).iterator(chunk_size=5000):
        digest.update(f"{canonical_json(list(row))}\n".encode())
    return digest.hexdigest()
