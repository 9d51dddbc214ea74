"""What the database itself refuses of votes and statements."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.factories import (
    NOW,
    ExposureFactory,
    FreeResponseFactory,
    StatementFactory,
    VoteBlockFactory,
    VoteFactory,
    VoteSettingsFactory,
)

pytestmark = pytest.mark.django_db


def refuses(constraint: str, factory: Any, **columns: Any) -> None:
    """A row breaks the constraint; SQLite names columns instead of the unique constraint."""
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        factory(**columns)
    assert constraint in str(caught.value) or "UNIQUE constraint failed" in str(caught.value)


@pytest.mark.parametrize(
    ("constraint", "columns"),
    [
        ("voting_votesettings_policy_valid", {"policy": "best"}),
        ("voting_votesettings_moderation_valid", {"moderation": "never"}),
        ("voting_votesettings_mix_range", {"mix": 1.01}),
        ("voting_votesettings_minimum_range", {"minimum": 0}),
        ("voting_votesettings_minimum_range", {"minimum": 1001}),
    ],
)
def test_settings_are_of_the_known_ones(constraint: str, columns: dict[str, Any]) -> None:
    VoteSettingsFactory(policy="mixed", mix=1.0, moderation="before")

    refuses(constraint, VoteSettingsFactory, **columns)


@pytest.mark.parametrize(
    ("constraint", "columns"),
    [
        ("voting_statement_origin_valid", {"origin": "bot"}),
        ("voting_statement_status_valid", {"status": "new"}),
        ("voting_statement_approved_not_removed", {"status": "approved", "removed_at": NOW}),
    ],
)
def test_a_statement_is_in_a_known_state(constraint: str, columns: dict[str, Any]) -> None:
    StatementFactory(origin="import", status="rejected", removed_at=NOW)

    refuses(constraint, StatementFactory, **columns)


def test_a_code_names_one_statement_of_a_question() -> None:
    statement = StatementFactory(code="a")
    StatementFactory(code="a", question__study=statement.question.study)

    refuses("voting_statement_code_unique", StatementFactory, question=statement.question, code="a")


def test_a_free_response_is_one_statement() -> None:
    response = FreeResponseFactory()
    StatementFactory(question=response.question, free_response=response)

    refuses("free_response", StatementFactory, question=response.question, free_response=response)


def test_a_block_is_there_once_and_requires_at_most_the_minimum() -> None:
    block = VoteBlockFactory(minimum=10, required=10)

    refuses("voting_voteblock_once", VoteBlockFactory, enrolment=block.enrolment, question=block.question)
    refuses("voting_voteblock_required_range", VoteBlockFactory, minimum=3, required=4)


def test_a_statement_is_shown_once_and_a_rank_given_once() -> None:
    shown = ExposureFactory(rank=1)
    ExposureFactory(enrolment=shown.enrolment, statement__question=shown.question, rank=2)

    refuses("voting_exposure_once", ExposureFactory, enrolment=shown.enrolment, statement=shown.statement, rank=3)
    refuses(
        "voting_exposure_rank_once",
        ExposureFactory,
        enrolment=shown.enrolment,
        statement=StatementFactory(question=shown.question),
        rank=1,
    )


def test_one_vote_on_a_statement_is_current() -> None:
    vote = VoteFactory(superseded_at=NOW)
    VoteFactory(exposure=vote.exposure)

    refuses("voting_vote_one_current", VoteFactory, exposure=vote.exposure)


@pytest.mark.parametrize("value", [-2, 2, 3])
def test_a_vote_agrees_disagrees_or_is_neutral(value: int) -> None:
    for known in (-1, 0, 1):
        VoteFactory(value=known)

    refuses("voting_vote_value_valid", VoteFactory, value=value)


def test_a_vote_is_not_superseded_before_it_was_cast() -> None:
    VoteFactory(cast_at=NOW, superseded_at=NOW)

    refuses("voting_vote_superseded_after", VoteFactory, cast_at=NOW, superseded_at=NOW - timedelta(seconds=1))
