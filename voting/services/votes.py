"""Showing statements and taking votes. All of it runs under the lock of the enrolment that the walk holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import Invalid
from studies.models import Enrolment, Question
from voting.errors import BlockClosed, StatementGone, VotesMissing
from voting.models import Exposure, Vote, VoteBlock
from voting.routing import Draw, Route, choose_again
from voting.selectors import Ballot, Card, drawn_for
from voting.services.tallies import FIELD_OF_VALUE, TallyChanges

VOTES_KEPT = 50
"""How many votes of one person on one statement are kept: enough to change one's mind, not for a program."""


@dataclass(frozen=True, slots=True)
class NextCard:
    """A statement drawn and not yet shown."""

    statement_id: int
    rank: int
    draw: Draw
    text: str


@dataclass(frozen=True, slots=True)
class Cast:
    """The vote that counts now, and the exposure of the card that follows; None if none was drawn, or it is gone."""

    vote: Vote
    following: Exposure | None


def draw_next(*, enrolment: Enrolment, question: Question, ballot: Ballot, route: Route, seed: str) -> NextCard | None:
    """Draw the card that follows the ballot's, None if nothing is eligible. Writes nothing."""
    rank = ballot.next_rank
    choice = choose_again(route, seed=seed, public_code=enrolment.public_code, question_code=question.code, rank=rank)
    drawn = drawn_for(enrolment=enrolment, question=question, choice=choice)
    if drawn is None:
        return None
    draw = Draw(code=drawn.code, policy=choice.arm, n_eligible=drawn.n_eligible)
    return NextCard(drawn.statement_id, rank, draw, drawn.text)


def lock_block(*, enrolment: Enrolment, question: Question) -> VoteBlock | None:
    """The enrolment's vote block on the question, locked until the transaction ends; None if it was not opened yet."""
    blocks = VoteBlock.objects.select_for_update(no_key=True).filter(enrolment=enrolment, question=question)
    block = blocks.first()
    if block is not None:
        block.enrolment, block.question = enrolment, question
    return block


@transaction.atomic(savepoint=False)
def open_block(*, enrolment: Enrolment, question: Question, minimum: int, n_available: int, now: datetime) -> VoteBlock:
    """Open the vote block of a question and record what is required: the minimum, or what there is to vote on now.

    What is required never grows afterwards, also if more statements come in while the block is open: a person who was
    told "8 votes" must not see the number rise while they work on them.
    """
    return VoteBlock.objects.create(
        enrolment=enrolment,
        question=question,
        minimum=minimum,
        required=min(minimum, n_available),
        opened_at=now,
    )


@transaction.atomic(savepoint=False)
def show_statement(*, block: VoteBlock, card: NextCard, now: datetime) -> Exposure:
    """Record that a statement is shown.

    Raises
    ------
    StatementGone
        If it was erased since it was drawn.
    """
    changes = TallyChanges(block.enrolment)
    changes.add(card.statement_id, "n_shown")
    if changes.write():
        raise StatementGone
    return _expose(block, card, now)


# No savepoint: in the walk's transaction an error undoes the whole request, and two statements less are sent per vote.
@transaction.atomic(savepoint=False)
def cast_vote(*, block: VoteBlock, card: Card, value: int, now: datetime, following: NextCard | None = None) -> Cast:
    """Store a vote on a card, and show the card that follows, if one was drawn.

    Append-only: the same value again gives the stored vote; another one supersedes it, until there are `VOTES_KEPT` of
    the statement: then the last one stays and is given, so its value is not the one asked for. `block` is locked by the
    caller (`lock_block`), and `card` is of a ballot that was read under that lock. Both acts are one service because
    they change tallies of two statements, which must be taken in one order.

    Raises
    ------
    BlockClosed
        If the voting on the question was finished.
    StatementGone
        If the statement was erased a moment ago.
    """
    if block.closed_at is not None:
        raise BlockClosed
    if value not in FIELD_OF_VALUE:
        raise Invalid(_("Choose agree, disagree or neutral."), code="vote_value")
    changes = TallyChanges(block.enrolment)
    if following is not None:
        changes.add(following.statement_id, "n_shown")
    if card.vote_id is not None and (card.value == value or _is_settled(block, card)):
        vote, gone = Vote.objects.get(pk=card.vote_id), changes.write()
    elif card.vote_id is None:
        vote, gone = _first_vote(block, card, value, changes, now)
    else:
        vote, gone = _changed_vote(block, card, value, changes, now)
    # The following statement may be gone, too: then the next display draws another.
    if following is None or following.statement_id in gone:
        return Cast(vote, None)
    return Cast(vote, _expose(block, following, now))


@transaction.atomic
def close_block(*, block: VoteBlock, nothing_left: bool, now: datetime) -> VoteBlock:
    """Finish the voting on a question. Closing it again changes nothing.

    Raises
    ------
    VotesMissing
        If votes are missing although there is something to vote on.
    """
    if block.closed_at is not None:
        return block
    missing = block.required - block.n_cast
    if missing > 0 and not nothing_left:
        message = ngettext(
            "Please vote on %(n)d more statement before you go on.",
            "Please vote on %(n)d more statements before you go on.",
            missing,
        )
        raise VotesMissing(message % {"n": missing})
    block.closed_at = now
    block.save(update_fields=["closed_at"])
    return block


def _first_vote(
    block: VoteBlock, card: Card, value: int, changes: TallyChanges, now: datetime
) -> tuple[Vote, frozenset[int]]:
    vote = _insert(block, card, value, now)
    # Counts what the person did: it does not go down when somebody withdraws a statement they voted on.
    VoteBlock.objects.filter(pk=block.pk).update(n_cast=F("n_cast") + 1)
    block.n_cast += 1
    changes.add(card.statement_id, FIELD_OF_VALUE[value])
    # Last, since everybody who votes on the statement waits for this row.
    gone = changes.write()
    if card.statement_id in gone:
        raise StatementGone
    return vote, gone


def _is_settled(block: VoteBlock, card: Card) -> bool:
    """Whether the person has changed this vote so often that it stays. An error would undo the walk's transaction."""
    votes = Vote.objects.filter(enrolment_id=block.enrolment_id, statement_id=card.statement_id)
    return votes.count() >= VOTES_KEPT


def _changed_vote(
    block: VoteBlock, card: Card, value: int, changes: TallyChanges, now: datetime
) -> tuple[Vote, frozenset[int]]:
    assert card.vote_id is not None, "the card has a vote"
    assert card.value is not None, "a card with a vote has its value"
    assert card.cast_at is not None, "a card with a vote has its time"
    changes.add(card.statement_id, FIELD_OF_VALUE[card.value], -1)
    changes.add(card.statement_id, FIELD_OF_VALUE[value])
    # Here first: an erasure takes the statement before the votes on it, and superseding takes a vote.
    gone = changes.write()
    if card.statement_id in gone:
        raise StatementGone
    # Clocks of two machines may disagree by a moment.
    at = max(now, card.cast_at)
    Vote.objects.filter(pk=card.vote_id).update(superseded_at=at)
    return _insert(block, card, value, at), gone


def _insert(block: VoteBlock, card: Card, value: int, at: datetime) -> Vote:
    return Vote.objects.create(
        enrolment_id=block.enrolment_id,
        statement_id=card.statement_id,
        exposure_id=card.exposure_id,
        value=value,
        cast_at=at,
    )


def _expose(block: VoteBlock, card: NextCard, now: datetime) -> Exposure:
    return Exposure.objects.create(
        enrolment_id=block.enrolment_id,
        question_id=block.question_id,
        statement_id=card.statement_id,
        rank=card.rank,
        policy=card.draw.policy,
        n_eligible=card.draw.n_eligible,
        shown_at=now,
    )
