"""What a participant may be shown, was shown, and voted."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q

from studies.models import Enrolment, Question
from voting.models import Exposure, Statement, StatementQuerySet

N_VOTES = F("n_agree") + F("n_disagree") + F("n_neutral")


def eligible_statements(*, enrolment: Enrolment, question: Question) -> StatementQuerySet:
    """What may be shown to `enrolment` next: approved, of the question, not their own, not shown to them before.

    A preview sees what previews wrote, and seeds, also those that wait for publication; nobody else sees either.
    """
    shown = Exposure.objects.filter(enrolment=enrolment, statement=OuterRef("pk"))
    statements = Statement.objects.filter(~Exists(shown), ~Q(author=enrolment), question=question)
    if enrolment.origin != Enrolment.Origin.PREVIEW:
        return statements.approved().filter(is_preview=False)
    live = Q(status=Statement.Status.APPROVED)
    draft = Q(status=Statement.Status.PENDING, origin=Statement.Origin.SEED)
    return statements.filter(live | draft, Q(is_preview=True) | ~Q(origin=Statement.Origin.PEER))


@dataclass(frozen=True, slots=True)
class Pool:
    """The eligible statements of one moment: ids and numbers of votes by code."""

    ids: dict[str, int]
    n_votes: dict[str, int]

    def __len__(self) -> int:
        return len(self.ids)


def pool_for(*, enrolment: Enrolment, question: Question) -> Pool:
    """The eligible statements as a draw needs them, by one query, whatever their number."""
    statements = eligible_statements(enrolment=enrolment, question=question).order_by()
    ids: dict[str, int] = {}
    n_votes: dict[str, int] = {}
    for code, pk, n in statements.values_list("code", "pk", N_VOTES):
        ids[code] = pk
        n_votes[code] = n
    return Pool(ids, n_votes)


@dataclass(frozen=True, slots=True)
class Card:
    """A statement that was shown to somebody, and their vote on it, if any."""

    exposure_id: int
    nonce: uuid.UUID
    rank: int
    statement_id: int
    code: str
    text: str
    is_approved: bool
    vote_id: int | None
    value: int | None
    cast_at: datetime | None


@dataclass(frozen=True, slots=True)
class Ballot:
    """All cards of one enrolment on one question, by rank."""

    cards: tuple[Card, ...]

    @property
    def open_card(self) -> Card | None:
        """The card to vote on: the first without a vote whose statement may still be shown."""
        return next((card for card in self.cards if card.value is None and card.is_approved), None)

    @property
    def voted(self) -> list[Card]:
        """The cards with a vote whose text may still be shown, the latest first."""
        return [card for card in reversed(self.cards) if card.value is not None and card.is_approved]

    @property
    def next_rank(self) -> int:
        """The rank of the next card; ranks of erased cards are not given away twice while later ones stand."""
        return self.cards[-1].rank + 1 if self.cards else 1

    def card(self, nonce: uuid.UUID) -> Card | None:
        """The card of this nonce, None if it is not one of this ballot."""
        return next((card for card in self.cards if card.nonce == nonce), None)


_CARD = (
    "pk",
    "nonce",
    "rank",
    "statement_id",
    "statement__code",
    "statement__text",
    "statement__status",
    "current__pk",
    "current__value",
    "current__cast_at",
)


def ballot_of(*, enrolment: Enrolment, question: Question) -> Ballot:
    """What `enrolment` was shown of `question` and how they voted, by one query."""
    current = FilteredRelation("votes", condition=Q(votes__superseded_at=None))
    exposures = (
        Exposure.objects.filter(enrolment=enrolment, question=question)
        .annotate(current=current)
        .order_by("rank")
        .values_list(*_CARD)
    )
    # A preview also gets drafts of seeds, which nobody has let in yet.
    shown = {Statement.Status.APPROVED.value}
    if enrolment.origin == Enrolment.Origin.PREVIEW:
        shown.add(Statement.Status.PENDING.value)
    return Ballot(tuple(_card(row, shown) for row in exposures))


def _card(row: tuple[Any, ...], shown: set[str]) -> Card:
    pk, nonce, rank, statement_id, code, text, status, vote_id, value, cast_at = row
    return Card(pk, nonce, rank, statement_id, code, text, status in shown, vote_id, value, cast_at)
