"""What a participant may be shown, was shown, and voted."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import F, FilteredRelation, Q

from studies.models import Enrolment, Question
from voting.models import Exposure, Statement, StatementQuerySet, Vote
from voting.routing import LEAST_VOTED, UNIFORM, Choice

N_VOTES = F("n_agree") + F("n_disagree") + F("n_neutral")


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

    def with_vote(self, card: Card, vote: Vote) -> Ballot:
        """The ballot after `vote` was cast on one of its cards."""
        voted = replace(card, vote_id=vote.pk, value=vote.value, cast_at=vote.cast_at)
        return Ballot(tuple(voted if each is card else each for each in self.cards))

    def with_card(self, exposure: Exposure, *, code: str, text: str) -> Ballot:
        """The ballot after another statement, which may be shown, was shown."""
        card = Card(
            exposure_id=exposure.pk,
            nonce=exposure.nonce,
            rank=exposure.rank,
            statement_id=exposure.statement_id,
            code=code,
            text=text,
            is_approved=True,
            vote_id=None,
            value=None,
            cast_at=None,
        )
        return Ballot((*self.cards, card))


@dataclass(frozen=True, slots=True)
class Drawn:
    """The statement that was drawn, and from how many."""

    statement_id: int
    code: str
    text: str
    n_eligible: int


def statements_for(*, enrolment: Enrolment, question: Question) -> StatementQuerySet:
    """What `enrolment` may be shown of `question` at all: approved, and not their own.

    A preview sees what previews wrote, and seeds, also those that wait for publication; nobody else sees either.
    """
    statements = Statement.objects.filter(~Q(author=enrolment), question=question)
    if enrolment.origin != Enrolment.Origin.PREVIEW:
        return statements.approved().filter(is_preview=False)
    live = Q(status=Statement.Status.APPROVED)
    draft = Q(status=Statement.Status.PENDING, origin=Statement.Origin.SEED)
    return statements.filter(live | draft, Q(is_preview=True) | ~Q(origin=Statement.Origin.PEER))


def drawn_for(*, enrolment: Enrolment, question: Question, choice: Choice) -> Drawn | None:
    """The eligible statement at the place chosen, none that was shown before; None if nothing is eligible.

    One query, and one row of it: the database counts the statements once and then walks to the place along an index,
    whatever their number. Codes go by code point, as Python sorts them, so that the draw can be made again from
    exported tables.
    """
    query, parameters = _draw_query(choice.arm, enrolment.origin, connection.vendor)
    values = {_PERSON: enrolment.pk, _QUESTION: question.pk}
    with connection.cursor() as cursor:
        cursor.execute(query, [*(values.get(each, each) for each in parameters), choice.place])
        row = cursor.fetchone()
    return None if row is None else Drawn(*row)


# Stand for the keys of the person and of the question in a query that is kept.
_PERSON, _QUESTION = -1, -2


@cache
def _draw_query(arm: str, origin: str, vendor: str) -> tuple[str, tuple[Any, ...]]:
    """The query of an arm for people of an origin, built once: building it took as long as a tenth of a vote."""
    enrolment, question = Enrolment(pk=_PERSON, origin=origin), Question(pk=_QUESTION)
    # Not by the ids of the ballot: a statement of one shape for any number of cards is planned once.
    shown = Exposure.objects.filter(enrolment=enrolment, question=question).order_by().values("statement")
    eligible = statements_for(enrolment=enrolment, question=question).exclude(pk__in=shown).order_by()
    part, parameters = eligible.values_list("pk", "code", "text", N_VOTES).query.sql_with_params()
    # The part occurs once, as a common table expression, so its parameters do as well.
    return _DRAWS[arm].format(eligible=part, **_DIALECT[vendor]), tuple(parameters)


_DRAWS = {
    UNIFORM: """
        WITH eligible (id, code, text, votes) AS NOT MATERIALIZED ({eligible}),
             pool AS (SELECT count(*) AS n FROM eligible)
        SELECT id, code, text, (SELECT n FROM pool) FROM eligible
        ORDER BY code {collation} LIMIT 1 OFFSET {whole}({place} * (SELECT n FROM pool){end}
    """,
    LEAST_VOTED: """
        WITH eligible (id, code, text, votes) AS NOT MATERIALIZED ({eligible}),
             levels AS (SELECT votes, count(*) AS n FROM eligible GROUP BY votes),
             pool AS (SELECT votes, n FROM levels ORDER BY votes LIMIT 1)
        SELECT id, code, text, (SELECT CAST(sum(n) AS bigint) FROM levels) FROM eligible
        WHERE votes = (SELECT votes FROM pool)
        ORDER BY code {collation} LIMIT 1 OFFSET {whole}({place} * (SELECT coalesce(max(n), 0) FROM pool){end}
    """,
}
"""How the database makes the two draws of `voting.routing`. With nothing eligible the pool is empty, not 0."""
_DIALECT = {
    "postgresql": {"collation": 'COLLATE "C"', "whole": "floor", "place": "%s::float8", "end": ")::bigint"},
    # Its own order of text is that of code points.
    "sqlite": {"collation": "", "whole": "CAST", "place": "%s", "end": " AS INTEGER)"},
}

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
    # Naming the enrolment again lets the database find their current votes by index, whatever it knows of the table.
    current = FilteredRelation("votes", condition=Q(votes__superseded_at=None, votes__enrolment=enrolment))
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
