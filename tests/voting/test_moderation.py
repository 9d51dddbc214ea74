"""Approving and rejecting, with a trace."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.models import AuditEvent
from tests.factories import StatementFactory, UserFactory
from tests.voting.booth import NOW, booth, question_with
from voting import services
from voting.errors import NotModeratable
from voting.models import Statement

pytestmark = pytest.mark.django_db


def peer(**columns: Any) -> Statement:
    return StatementFactory(**{"origin": "peer", "status": "pending", "text": "Secret text.", **columns})


def test_an_approved_statement_is_shown_from_then_on() -> None:
    statement = peer(question=question_with(0))
    person = booth(statement.question)
    assert person.look().context["card"] is None

    approved = services.approve_statement(statement=statement, by=UserFactory(), now=NOW)

    assert (approved.status, approved.approved_at, approved.removed_at) == ("approved", NOW, None)
    assert person.look().context["card"]["text"] == "Secret text."


def test_a_rejected_statement_is_shown_no_more_and_keeps_its_votes() -> None:
    statement = peer(status="approved", question=question_with(0))
    booth(statement.question).vote_on_all()

    rejected = services.reject_statement(statement=statement, by=UserFactory(), now=NOW)

    assert (rejected.status, rejected.removed_at) == ("rejected", NOW)
    assert rejected.votes.count() == 1
    assert booth(statement.question).look().context["card"] is None


def test_a_rejected_statement_may_be_let_in_again() -> None:
    statement = peer(status="rejected", removed_at=NOW)
    later = NOW + timedelta(hours=1)

    approved = services.approve_statement(statement=statement, by=UserFactory(), now=later)

    assert (approved.approved_at, approved.removed_at) == (later, None)


def test_moderation_leaves_a_trace_without_text() -> None:
    statement, moderator = peer(), UserFactory()

    services.approve_statement(statement=statement, by=moderator, now=NOW)
    services.reject_statement(statement=statement, by=moderator, now=NOW)

    events = AuditEvent.objects.order_by("pk")
    assert [(event.event, event.detail) for event in events] == [
        ("statement.approved", {"before": "pending"}),
        ("statement.rejected", {"before": "approved"}),
    ]
    assert {event.subject_id for event in events} == {str(statement.public_id)}
    assert {event.study_id for event in events} == {str(statement.question.study.public_id)}
    assert {event.by for event in events} == {moderator}


def test_moderating_twice_leaves_one_trace() -> None:
    statement = peer()
    for _ in range(2):
        services.approve_statement(statement=statement, by=UserFactory(), now=NOW)

    assert AuditEvent.objects.count() == 1


@pytest.mark.parametrize("act", [services.approve_statement, services.reject_statement])
@pytest.mark.parametrize("state", [{"status": "withdrawn"}, {"origin": "seed", "status": "pending"}])
def test_what_was_withdrawn_or_is_drafted_is_not_moderated(act: Any, state: dict[str, str]) -> None:
    statement = peer(**state)

    with pytest.raises(NotModeratable):
        act(statement=statement, by=UserFactory(), now=NOW)

    statement.refresh_from_db()
    assert statement.status == state["status"]
