"""The tables of statements and votes as they leave the platform. Previews stay behind.

Rows are in the order in which things happened. People, questions and statements go by their codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from studies.models import Enrolment, Study
from voting.models import Exposure, Statement, Vote, VoteBlock
from voting.seeding.exports import GENERATED_SEEDS

CHUNK = 5_000
Rows = Iterator[tuple[Any, ...]]

_QUESTION = Column("question", Kind.TEXT, _("Code of the question."), nullable=False)
_REVISION = Column("question_revision", Kind.INTEGER, _("Revision of the question."), nullable=False)
_PARTICIPANT = Column("participant", Kind.TEXT, _("Public code of the participant."), nullable=False)
_STATEMENT = Column("statement", Kind.TEXT, _("Code of the statement, unique within its question."), nullable=False)


def tables() -> tuple[Table, ...]:
    """The tables that voting declares; `rows` of each takes the study."""
    return (STATEMENTS, EXPOSURES, VOTES, VOTE_BLOCKS, GENERATED_SEEDS)


def statement_rows(study: Study) -> Rows:
    """The study's statements of all states, by question and age."""
    statements = Statement.objects.filter(question__study=study, is_preview=False)
    return _rows(
        statements.order_by("question_id", "pk"),
        "question__code",
        "question__revision",
        "code",
        "origin",
        "status",
        "author__public_code",
        "text",
        "created_at",
        "approved_at",
        "removed_at",
        "n_shown",
        "n_agree",
        "n_disagree",
        "n_neutral",
    )


def exposure_rows(study: Study) -> Rows:
    """Which statement was shown to whom, in the order shown."""
    exposures = Exposure.objects.filter(question__study=study).exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
    return _rows(
        exposures.order_by("pk"),
        "question__code",
        "question__revision",
        "enrolment__public_code",
        "statement__code",
        "rank",
        "policy",
        "n_eligible",
        "shown_at",
    )


def vote_rows(study: Study) -> Rows:
    """All votes in the order cast, superseded ones too."""
    votes = Vote.objects.filter(statement__question__study=study).exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
    return _rows(
        votes.order_by("pk"),
        "statement__question__code",
        "statement__question__revision",
        "enrolment__public_code",
        "statement__code",
        "value",
        "cast_at",
        "superseded_at",
        "exposure__rank",
    )


def vote_block_rows(study: Study) -> Rows:
    """Who was asked for how many votes on which question."""
    blocks = VoteBlock.objects.filter(question__study=study).exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
    return _rows(
        blocks.order_by("pk"),
        "question__code",
        "question__revision",
        "enrolment__public_code",
        "minimum",
        "required",
        "n_cast",
        "opened_at",
        "closed_at",
    )


def _rows(queryset: QuerySet[Any], *columns: str) -> Rows:
    return queryset.values_list(*columns).iterator(chunk_size=CHUNK)


STATEMENTS = Table(
    name="statements",
    description=_("What participants voted on: their own texts, seeds and imported statements."),
    columns=(
        _QUESTION,
        _REVISION,
        _STATEMENT,
        Column("origin", Kind.TEXT, _("Where it comes from."), values=dict(Statement.Origin.choices), nullable=False),
        Column("status", Kind.TEXT, _("Its state at export."), values=dict(Statement.Status.choices), nullable=False),
        Column("author", Kind.TEXT, _("Public code of its author; missing for seeds, imports and the withdrawn.")),
        Column("text", Kind.TEXT, _("The text; empty if withdrawn."), nullable=False),
        Column("created_at", Kind.DATETIME, _("When it was written or loaded."), nullable=False),
        Column("approved_at", Kind.DATETIME, _("When it was last let in; missing if never, or with its creation.")),
        Column("removed_at", Kind.DATETIME, _("When it was rejected or withdrawn; missing if it was not.")),
        Column("n_shown", Kind.INTEGER, _("To how many people it was shown."), nullable=False),
        Column("n_agree", Kind.INTEGER, _("How many agree now."), nullable=False),
        Column("n_disagree", Kind.INTEGER, _("How many disagree now."), nullable=False),
        Column("n_neutral", Kind.INTEGER, _("How many are neutral now."), nullable=False),
    ),
    rows=statement_rows,
)

EXPOSURES = Table(
    name="exposures",
    description=_("Each statement that was shown to a participant. Without a vote it was left unanswered."),
    columns=(
        _QUESTION,
        _REVISION,
        _PARTICIPANT,
        _STATEMENT,
        Column("rank", Kind.INTEGER, _("Place among the participant's cards on the question, from 1."), nullable=False),
        Column(
            "policy",
            Kind.TEXT,
            _(
                "The policy that drew it: uniform or least_voted. A mix draws one of the two each time; "
                "the policy of the block is in the definition."
            ),
            nullable=False,
        ),
        Column("n_eligible", Kind.INTEGER, _("From how many statements it was drawn."), nullable=False),
        Column("shown_at", Kind.DATETIME, _("When it was first shown; missing for imported votes.")),
    ),
    rows=exposure_rows,
)

VOTES = Table(
    name="votes",
    description=_("Each vote. A changed vote is a further row; the current ones are not superseded."),
    columns=(
        _QUESTION,
        _REVISION,
        _PARTICIPANT,
        _STATEMENT,
        Column(
            "value",
            Kind.INTEGER,
            _("The vote."),
            values={1: _("agree"), -1: _("disagree"), 0: _("neutral")},
            nullable=False,
        ),
        Column("cast_at", Kind.DATETIME, _("When it was cast."), nullable=False),
        Column("superseded_at", Kind.DATETIME, _("When another vote took its place; missing if it is current.")),
        Column("exposure_rank", Kind.INTEGER, _("Rank of the card; missing if the exposure is unknown.")),
    ),
    rows=vote_rows,
)

VOTE_BLOCKS = Table(
    name="vote_blocks",
    description=_("What was asked of a participant on a question."),
    columns=(
        _QUESTION,
        _REVISION,
        _PARTICIPANT,
        Column("minimum", Kind.INTEGER, _("Votes that the study asks for."), nullable=False),
        Column(
            "required",
            Kind.INTEGER,
            _("Votes that were required: the minimum, or what there was to vote on at opening, if that was less."),
            nullable=False,
        ),
        Column("n_cast", Kind.INTEGER, _("Statements voted on, those withdrawn since included."), nullable=False),
        Column("opened_at", Kind.DATETIME, _("When the first statement was shown."), nullable=False),
        Column("closed_at", Kind.DATETIME, _("When the participant went on; missing if they did not.")),
    ),
    rows=vote_block_rows,
)
