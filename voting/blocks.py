"""The vote block of a session: one step per question, which takes votes until the person goes on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from studies.models import Enrolment, Question, Step
from studies.session.blocks import Next, Page, PlanContext, StepContext, StepPlan, Submitted
from voting import services
from voting.errors import VotesMissing
from voting.models import Vote, VoteBlock
from voting.routing import Route
from voting.selectors import Ballot, Card, ballot_of

KIND = "vote"
TEMPLATE = "voting/vote.html"

VALUE_OF_WORD: dict[str, int] = {
    "agree": Vote.Value.AGREE,
    "disagree": Vote.Value.DISAGREE,
    "neutral": Vote.Value.NEUTRAL,
}
WORD_OF_VALUE = {int(value): word for word, value in VALUE_OF_WORD.items()}


class VoteRunner:
    """Shows statements of others one at a time, live as they come in, and takes agree, disagree or neutral.

    A card stays the same until it is voted on, in every tab and after every reload. Votes can be changed until the
    person finishes the block.
    """

    kind = KIND
    per_question = True

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """One step; which statements it shows is decided when they are shown."""
        return [StepPlan(kind=KIND)]

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """The card to vote on, drawn if none is open, and the person's own votes."""
        block, ballot = _opened(context, now)
        card = ballot.open_card
        return Page(
            template=TEMPLATE,
            title=_("Vote on what others wrote"),
            context={
                "card": None if card is None else {"nonce": card.nonce, "text": card.text, "number": card.rank},
                "minimum": block.minimum,
                "required": block.required,
                "cast": block.n_cast,
                "exhausted": card is None,
                "may_finish": card is None or block.n_cast >= block.required,
                "votes": [_own_vote(each) for each in ballot.voted],
            },
            shown={"statement": None if card is None else card.code, "rank": None if card is None else card.rank},
        )

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Take a vote, or the wish to go on."""
        block = services.lock_block(enrolment=context.enrolment, question=_question(context))
        if block is None:
            # Nobody has seen a card: the page that follows shows the first one.
            return Submitted(Next.STAY, notice=_("Please vote on the statement below."))
        if block.closed_at is not None:
            return Submitted(Next.STAY, late=True)
        if _one(data, "action") == "finish":
            return _finish(context, block, now)
        return _vote(context, block, data, now)

    def is_repeat(self, context: StepContext, data: Mapping[str, Sequence[str]]) -> bool:
        """Whether a post for a finished step says what is stored: to finish it, or a vote that counts."""
        if _one(data, "action") == "finish":
            return True
        nonce, value = _said(data)
        ballot = ballot_of(enrolment=context.enrolment, question=_question(context))
        card = None if nonce is None else ballot.card(nonce)
        return card is not None and card.value is not None and card.value == value

    def lacks(self, enrolment: Enrolment, steps: Sequence[Step]) -> int:
        """How many of the questions among `steps` have a vote block that was not finished."""
        questions = {step.question_id for step in steps if step.kind == KIND}
        finished = VoteBlock.objects.filter(
            enrolment=enrolment, question__in=questions, closed_at__isnull=False
        ).count()
        return len(questions) - finished


def _opened(context: StepContext, now: datetime) -> tuple[VoteBlock, Ballot]:
    """The block, opened if this is its first display, and a ballot with an open card unless nothing is eligible."""
    enrolment, question = context.enrolment, _question(context)
    block, ballot = context.kept.pop(KIND, (None, None))
    if block is None or ballot is None:
        block = services.lock_block(enrolment=enrolment, question=question)
        ballot = ballot_of(enrolment=enrolment, question=question)
    if block is not None and ballot.open_card is not None:
        return block, ballot
    following = _following(context, ballot)
    if block is None:
        block = services.open_block(
            enrolment=enrolment,
            question=question,
            minimum=int(context.definition["vote"]["minimum"]),
            n_available=(following.draw.n_eligible if following else 0) + len(ballot.cards),
            now=now,
        )
    if ballot.open_card is not None or following is None:
        return block, ballot
    exposure = services.show_statement(block=block, card=following, now=now)
    return block, ballot.with_card(exposure, code=following.draw.code, text=following.text)


def _vote(context: StepContext, block: VoteBlock, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
    nonce, value = _said(data)
    if value is None:
        return Submitted(Next.STAY, errors={"value": _("Choose agree, disagree or neutral.")})
    enrolment, question = context.enrolment, _question(context)
    ballot = ballot_of(enrolment=enrolment, question=question)
    card = None if nonce is None else ballot.card(nonce)
    if card is None:
        return _without_card(context, nonce)
    following = None
    if ballot.open_card in (card, None):
        following = _following(context, ballot)
    cast = services.cast_vote(block=block, card=card, value=value, now=now, following=following)
    ballot = ballot.with_vote(card, cast.vote)
    if cast.following is not None and following is not None:
        ballot = ballot.with_card(cast.following, code=following.draw.code, text=following.text)
    context.kept[KIND] = block, ballot
    return Submitted(Next.STAY, notice="" if cast.vote.value == value else _settled())


def _settled() -> str:
    return _("You have changed your vote on this statement very often. It stays as it is now: your last vote counts.")


def _without_card(context: StepContext, nonce: uuid.UUID | None) -> Submitted:
    """A vote on a card that is none of this question's: of a finished question, erased since, or never shown."""
    others = VoteBlock.objects.filter(
        enrolment=context.enrolment,
        closed_at__isnull=False,
        question__in=context.enrolment.exposures.filter(nonce=nonce).values("question"),
    )
    if nonce is not None and others.exists():
        return Submitted(Next.STAY, late=True)
    return Submitted(Next.STAY, notice=_("That statement is no longer there. Please vote on the one below."))


def _finish(context: StepContext, block: VoteBlock, now: datetime) -> Submitted:
    nothing_left = False
    if block.n_cast < block.required:
        # What the page offered is kept: it offers to go on only if it shows no card.
        ballot = ballot_of(enrolment=context.enrolment, question=_question(context))
        nothing_left = ballot.open_card is None
    try:
        services.close_block(block=block, nothing_left=nothing_left, now=now)
    except VotesMissing as error:
        return Submitted(Next.STAY, errors={"value": str(error)})
    return Submitted(Next.ADVANCE)


def _following(context: StepContext, ballot: Ballot) -> services.NextCard | None:
    vote = context.definition["vote"]
    return services.draw_next(
        enrolment=context.enrolment,
        question=_question(context),
        ballot=ballot,
        route=Route(policy=vote["policy"], mix=float(vote["mix"])),
        seed=context.seed,
    )


def _question(context: StepContext) -> Question:
    question = context.step.question
    assert question is not None, "a vote step is planned per question"
    return question


def _own_vote(card: Card) -> dict[str, Any]:
    assert card.value is not None, "own votes are cards with a vote"
    return {"nonce": card.nonce, "text": card.text, "value": WORD_OF_VALUE[card.value]}


def _one(data: Mapping[str, Sequence[str]], field: str) -> str:
    values = data.get(field) or [""]
    return values[-1]


def _said(data: Mapping[str, Sequence[str]]) -> tuple[uuid.UUID | None, int | None]:
    """The nonce and the vote that a post names: from the card, or from a button in the list of one's own votes."""
    nonce, _blank, word = _one(data, "change").partition(" ")
    if not nonce:
        nonce, word = _one(data, "exposure"), _one(data, "value")
    return _as_nonce(nonce), VALUE_OF_WORD.get(word)


def _as_nonce(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
