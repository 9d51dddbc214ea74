"""What the team's pages say of a campaign: where it stands, what comes next, the bar above its pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation import access
from annotation.access import Role
from annotation.models import Campaign, Lock, Packet, Unblinding
from annotation.selectors.completeness import Completeness, completeness
from core.models import Run


@dataclass(frozen=True, slots=True)
class NavEntry:
    """One entry of the bar above a campaign's pages."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a campaign stands: the draft or none, the packet that is judged or none, and its end."""

    draft: Packet | None
    packet: Packet | None
    lock: Lock | None
    unblinding: Unblinding | None
    counts: Completeness | None

    @property
    def stage(self) -> str:
        """One word: draft, judging, locked or unblinded."""
        if self.packet is None:
            return "draft"
        if self.lock is None:
            return "judging"
        return "locked" if self.unblinding is None else "unblinded"


def campaign_list(user: Any) -> QuerySet[Campaign]:
    """The campaigns in whose team `user` is, newest first."""
    rows = Campaign.objects.visible_to(user).select_related("study", "current_packet__lock__unblinding")
    return rows.annotate(n_raters=Count("raters", distinct=True)).order_by("-id")


def standing_of(campaign: Campaign) -> Standing:
    """Where the campaign stands."""
    packet = campaign.current_packet
    lock = None if packet is None else Lock.objects.filter(packet=packet).first()
    return Standing(
        draft=campaign.packets.drafts().first(),
        packet=packet,
        lock=lock,
        unblinding=None if lock is None else Unblinding.objects.filter(lock=lock).first(),
        counts=None if packet is None else completeness(packet),
    )


def campaign_nav(campaign: Campaign, user: Any, current: str) -> list[NavEntry]:
    """The bar above the pages of a campaign; `current` is an address."""
    entries: list[tuple[str, str, str | None]] = [
        (_("Audit"), "audits:campaign", None),
        (_("Items"), "audits:items", None),
        (_("Raters"), "audits:raters", Role.OWNER),
        (_("Models"), "audits:judges", Role.OWNER),
        (_("Progress"), "audits:watch", Role.WATCHER),
        (_("Adjudication"), "audits:adjudication", Role.ADJUDICATOR),
        (_("Agreement"), "audits:report", Role.ANALYST),
        (_("Exports"), "audits:exports", Role.ANALYST),
    ]
    found = []
    for label, name, needs in entries:
        if access.may(user, campaign, needs):
            url = reverse(name, args=[campaign.slug])
            found.append(NavEntry(label, url, current == url or (needs is not None and current.startswith(url))))
    return found


def item_counts(packet: Packet) -> list[tuple[str, str, int]]:
    """How many items there are of each kind and purpose."""
    rows = packet.items.order_by("kind__position", "kind__code", "purpose").values_list("kind__name", "purpose")
    return [(kind, purpose, n) for kind, purpose, n in rows.annotate(n=Count("pk"))]


def strata_counts(packet: Packet) -> list[tuple[str, int]]:
    """How many items to be judged are in each stratum: for those alone who may see hidden fields."""
    return sorted(Counter(packet.items.work().values_list("hidden__stratum", flat=True)).items())


def runs_of(campaign: Campaign, kind: str) -> QuerySet[Run]:
    """The runs of a kind on the campaign, newest first."""
    return Run.objects.of(kind, campaign.public_id).filter(subject_kind="campaign").select_related("created_by")
