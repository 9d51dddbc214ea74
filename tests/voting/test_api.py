"""Statements and votes for programs: who gets what, page by page."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from studies.models import Question
from tests.factories import MembershipFactory, StatementFactory, UserFactory
from tests.voting.booth import NOW, booth, question_with, write
from voting import services
from voting.models import Vote

pytestmark = pytest.mark.django_db

STATEMENTS, VOTES = "/api/v1/statements/", "/api/v1/votes/"


@pytest.fixture
def question() -> Question:
    """A person has written a statement, voted on 2 seeds and changed one vote; a preview has done the same."""
    question = question_with(2)
    for origin in ("live", "preview"):
        person = booth(question, origin=origin)
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)
        person.vote_on_all(maximum=2)
        person.vote("disagree", nonce=person.page and person.page.context["votes"][0]["nonce"])
    return question


def client_of(user: Any) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


def member(question: Question, role: str) -> APIClient:
    return client_of(MembershipFactory(study=question.study, role=role).user)


def get(client: APIClient, address: str, **asked: Any) -> list[dict[str, Any]]:
    response = client.get(address, asked)
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_the_team_reads_statements_with_their_tallies(question: Question) -> None:
    statements = get(member(question, "analyst"), STATEMENTS)

    peer = next(statement for statement in statements if statement["origin"] == "peer")
    seeds = [statement for statement in statements if statement["origin"] == "seed"]
    assert len(statements) == 3, "the preview's is left out"
    assert peer["author"] == question.study.enrolments.get(origin="live").public_code
    assert [seed["author"] for seed in seeds] == [None, None]
    assert {statement["study"] for statement in statements} == {question.study.slug}
    assert sorted((seed["n_shown"], seed["n_agree"], seed["n_disagree"]) for seed in seeds) == [(1, 0, 1), (1, 1, 0)]


def test_current_votes_are_read_and_the_history_if_asked(question: Question) -> None:
    analyst = member(question, "analyst")

    assert sorted(vote["value"] for vote in get(analyst, VOTES)) == [-1, 1]
    history = get(analyst, VOTES, history="true")
    assert [vote["value"] for vote in history] == [1, 1, -1]
    assert [vote["superseded_at"] is None for vote in history].count(True) == 2
    assert {vote["participant"] for vote in history} == {question.study.enrolments.get(origin="live").public_code}


def test_who_has_no_role_gets_nothing(question: Question) -> None:
    statement = question.statements.first()
    stranger = client_of(MembershipFactory().user)

    assert get(stranger, STATEMENTS) == get(stranger, VOTES) == []
    assert statement is not None
    assert stranger.get(f"{STATEMENTS}{statement.public_id}/").status_code == 404
    assert member(question, "owner").get(f"{STATEMENTS}{statement.public_id}/").status_code == 200


@pytest.mark.parametrize(
    ("role", "n_statements", "n_votes"),
    [("owner", 3, 2), ("editor", 3, 2), ("analyst", 3, 2), ("moderator", 3, 0), ("annotator", 0, 0)],
)
def test_a_role_decides_what_is_read(question: Question, role: str, n_statements: int, n_votes: int) -> None:
    client = member(question, role)

    assert len(get(client, STATEMENTS)) == n_statements
    assert len(get(client, VOTES)) == n_votes


def test_a_superuser_reads_everything(question: Question) -> None:
    assert len(get(client_of(UserFactory(is_superuser=True)), STATEMENTS)) == 3


@pytest.mark.parametrize("address", [STATEMENTS, VOTES])
def test_nobody_reads_without_an_account_and_nobody_writes(question: Question, address: str) -> None:
    assert APIClient().get(address).status_code in {401, 403}
    for method in ("post", "put", "patch", "delete"):
        assert getattr(member(question, "owner"), method)(address, {}, format="json").status_code == 405
    assert Vote.objects.count() == 6


def test_what_is_read_can_be_narrowed(question: Question) -> None:
    other = question_with(1, study=question.study)
    StatementFactory(question=other, status="rejected")
    owner = member(question, "owner")

    assert len(get(owner, STATEMENTS)) == 5
    assert len(get(owner, STATEMENTS, question=other.code)) == 2
    assert len(get(owner, STATEMENTS, question=other.code, status="rejected")) == 1
    assert len(get(owner, STATEMENTS, study=question.study.slug)) == 5
    assert get(owner, STATEMENTS, study="elsewhere") == get(owner, VOTES, question=other.code) == []


def test_a_cursor_leads_through_all_pages_while_rows_are_added(question: Question) -> None:
    owner = member(question, "owner")
    seen = []
    page = owner.get(STATEMENTS, {"page_size": 2}).json()
    while True:
        seen += [row["code"] for row in page["results"]]
        if page["next"] is None:
            break
        StatementFactory(question=question) if len(seen) < 4 else None
        page = owner.get(page["next"]).json()

    assert len(seen) == len(set(seen)) == question.statements.filter(is_preview=False).count()


@pytest.mark.parametrize("address", [STATEMENTS, VOTES])
def test_a_longer_list_takes_no_more_queries(question: Question, address: str) -> None:
    owner = member(question, "owner")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            get(owner, address)
        return len(captured)

    before = queries()
    for _ in range(3):
        person = booth(question)
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)
        person.vote_on_all()

    assert queries() == before
