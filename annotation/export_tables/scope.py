"""For whom an export is, and what all of its tables share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Packet, Rater
from core.randomness import drawn_order
from core.tables import Column, Kind, Table

CHUNK = 5_000
Rows = Iterator[tuple[Any, ...]]

ITEM = Column("item", Kind.TEXT, _("Key of the item, drawn at random."), nullable=False)
RATER = Column("rater", Kind.TEXT, _("The rater."), nullable=False)
DIMENSION = Column("dimension", Kind.TEXT, _("Code of the dimension."), nullable=False)
KIND = Column("kind", Kind.TEXT, _("Code of the kind of item."), nullable=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom an export of a packet is: `names` are what raters are called in it."""

    packet: Packet
    is_public: bool
    names: dict[int, str]

    @classmethod
    def of(cls, packet: Packet, *, is_public: bool) -> Scope:
        """The scope, with the raters' names: their codes for the team, else drawn ones."""
        raters = list(Rater.objects.filter(campaign=packet.campaign_id).order_by("code"))
        names = _drawn_names(raters, packet.seed) if is_public else {rater.pk: rater.code for rater in raters}
        return cls(packet, is_public, names)


def _drawn_names(raters: list[Rater], seed: str) -> dict[int, str]:
    """`person-1`, `model-1` and so on, in an order that has nothing to do with codes or with who came first."""
    names: dict[int, str] = {}
    for kind in Rater.Kind.values:
        members = {rater.code: rater.pk for rater in raters if rater.kind == kind}
        drawn = drawn_order(sorted(members), seed=seed, code=kind, purpose="names of raters in public exports")
        names |= {members[code]: f"{kind}-{number}" for number, code in enumerate(drawn, start=1)}
    return names


def made(
    name: str, description: Any, columns: list[Column | None], rows: Callable[[Scope], Rows], scope: Scope
) -> Table:
    """A table without the columns that are None, whose rows leave out the same places."""
    kept = [number for number, column in enumerate(columns) if column is not None]

    def chosen() -> Rows:
        for row in rows(scope):
            yield tuple(row[number] for number in kept)

    return Table(name, description, tuple(column for column in columns if column is not None), chosen)


def team_only(scope: Scope, column: Column) -> Column | None:
    """The column, unless the export is for everybody."""
    return None if scope.is_public else column
