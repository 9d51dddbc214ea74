"""Moderation and drafting of seeds in the admin, and that measured data can only be looked at."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse

from core.models import AuditEvent
from studies.models import Question, Study
from tests.factories import MembershipFactory, QuestionFactory, StatementFactory, UserFactory
from tests.voting.booth import NOW, booth, question_with, write
from voting import services
from voting.models import Exposure, Statement, Vote, VoteBlock, VoteSettings

pytestmark = pytest.mark.django_db

LIST = "admin:voting_statement_changelist"
MEASURED = [Exposure, Vote, VoteBlock]


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def member(study: Study, role: str) -> Client:
    return client_of(MembershipFactory(study=study, role=role, user__is_staff=True).user)


@pytest.fixture
def question() -> Question:
    """A question of a draft with 2 seeds that are live, and a person who has written and voted."""
    question = question_with(2)
    person = booth(question)
    services.add_peer_statement(free_response=write(person, "What a person wrote."), moderation="before", now=NOW)
    person.vote_on_all()
    return question


@pytest.fixture
def peer(question: Question) -> Statement:
    return question.statements.get(origin="peer")


def act(client: Client, action: str, *statements: Statement) -> str:
    """Do an action on the chosen statements; what the page says."""
    chosen = {"action": action, ACTION_CHECKBOX_NAME: [statement.pk for statement in statements]}
    response = client.post(reverse(LIST), chosen, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def status(statement: Statement) -> str:
    statement.refresh_from_db()
    return statement.status


@pytest.mark.parametrize("role", ["owner", "editor", "moderator"])
def test_moderators_approve_and_reject(peer: Statement, role: str) -> None:
    client = member(peer.question.study, role)

    assert "Done for 1 statement." in act(client, "approve", peer)
    assert status(peer) == "approved"
    assert "Done for 1 statement." in act(client, "reject", peer)
    assert status(peer) == "rejected"

    assert list(AuditEvent.objects.order_by("pk").values_list("event", flat=True)) == [
        "statement.approved",
        "statement.rejected",
    ]


def test_an_analyst_looks_and_does_not_moderate(peer: Statement) -> None:
    client = member(peer.question.study, "analyst")

    assert "What a person wrote." in client.get(reverse(LIST)).content.decode()
    assert "does not allow" in act(client, "approve", peer)
    assert status(peer) == "pending"


@pytest.mark.parametrize("role", ["annotator", "stranger"])
def test_who_is_not_of_the_team_finds_nothing(peer: Statement, role: str) -> None:
    client = member(
        QuestionFactory().study if role == "stranger" else peer.question.study, role.replace("stranger", "owner")
    )

    assert "What a person wrote." not in client.get(reverse(LIST)).content.decode()
    assert client.get(reverse("admin:voting_statement_change", args=[peer.pk])).status_code == 404
    act(client, "approve", peer)
    assert status(peer) == "pending"


def test_what_cannot_be_moderated_is_said_and_the_rest_is_done(peer: Statement) -> None:
    withdrawn = StatementFactory(question=peer.question, origin="peer", status="withdrawn", code="gone")

    page = act(member(peer.question.study, "moderator"), "approve", withdrawn, peer)

    assert "gone was withdrawn" in page
    assert "Done for 1 statement." in page
    assert (status(withdrawn), status(peer)) == ("withdrawn", "approved")


@pytest.mark.parametrize("model", MEASURED)
def test_measured_data_can_only_be_looked_at(question: Question, model: Any) -> None:
    client, row = member(question.study, "owner"), model.objects.first()
    name = f"admin:voting_{model._meta.model_name}"

    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
    assert client.post(reverse(f"{name}_change", args=[row.pk]), {}).status_code == 403
    assert client.get(reverse(f"{name}_add")).status_code == 403
    assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("model", MEASURED)
def test_measured_data_is_not_for_moderators_and_strangers(question: Question, model: Any) -> None:
    address = reverse(f"admin:voting_{model._meta.model_name}_change", args=[model.objects.first().pk])

    assert member(question.study, "moderator").get(address).status_code == 404
    assert member(QuestionFactory().study, "owner").get(address).status_code == 404
    assert client_of(UserFactory(is_staff=True, is_superuser=True)).get(address).status_code == 200


def test_lists_can_be_searched_and_filtered(question: Question) -> None:
    client = member(question.study, "owner")

    found = client.get(reverse(LIST), {"q": "person wrote", "study": question.study.slug, "status__exact": "pending"})
    assert found.context["cl"].result_count == 1
    for model in MEASURED:
        address = reverse(f"admin:voting_{model._meta.model_name}_changelist")
        assert client.get(address, {"q": "P", "study": question.study.slug}).context["cl"].result_count > 0


# --- Seeds of drafts ------------------------------------------------------------------------------------------------


def add(client: Client, question: Question, code: str = "new", text: str = "A new seed.\r\nTwo lines.") -> Any:
    sent = {"question": question.pk, "code": code, "text": text}
    return client.post(reverse("admin:voting_statement_add"), sent)


def test_editors_draft_seeds(question: Question) -> None:
    assert add(member(question.study, "editor"), question).status_code == 302

    seed = Statement.objects.get(code="new")
    assert (seed.origin, seed.status, seed.text) == ("seed", "pending", "A new seed.\nTwo lines.")
    assert AuditEvent.objects.get().event == "study.seed_added"


@pytest.mark.parametrize(
    ("code", "text", "message"),
    [
        ("new", "\u200b", "This field is required"),
        ("peer-1", "Text.", "are kept for"),
        ("seed-1", "Text.", "already exists"),
        ("new", "NUL \0", "NUL"),
    ],
)
def test_a_seed_that_cannot_be_taken_is_shown_again_with_the_reason(
    question: Question, code: str, text: str, message: str
) -> None:
    response = add(member(question.study, "editor"), question, code, text)

    assert response.status_code == 200
    assert message in response.content.decode()
    assert Statement.objects.filter(question=question).count() == 3


def test_a_drafted_seed_can_be_changed_and_removed(question: Question) -> None:
    client = member(question.study, "editor")
    add(client, question)
    seed = Statement.objects.get(code="new")

    address = reverse("admin:voting_statement_change", args=[seed.pk])
    assert client.post(address, {"text": "Better."}).status_code == 302
    seed.refresh_from_db()
    assert (seed.text, seed.code, seed.status) == ("Better.", "new", "pending")

    assert "Done for 1 statement." in act(client, "remove", seed)
    assert not Statement.objects.filter(code="new").exists()


def test_only_drafted_seeds_are_changed_or_removed(question: Question, peer: Statement) -> None:
    client = member(question.study, "owner")

    for statement in (peer, Statement.objects.get(code="seed-1")):
        address = reverse("admin:voting_statement_change", args=[statement.pk])
        assert client.post(address, {"text": "Forged."}).status_code == 403
        assert "no drafted seed" in act(client, "remove", statement)
    assert Statement.objects.count() == 3
    assert not Statement.objects.filter(text="Forged.").exists()


def test_nobody_adds_seeds_to_other_peoples_or_published_studies(question: Question) -> None:
    elsewhere = member(QuestionFactory().study, "owner")
    assert "not one of the available choices" in add(elsewhere, question).content.decode()

    assert member(question.study, "moderator").get(reverse("admin:voting_statement_add")).status_code == 403
    assert not Statement.objects.filter(code="new").exists()


def test_a_drafted_seed_cannot_be_let_in_by_moderation(question: Question) -> None:
    client = member(question.study, "owner")
    add(client, question)
    seed = Statement.objects.get(code="new")

    assert "is a draft" in act(client, "approve", seed)
    assert status(seed) == "pending"


def test_the_page_of_a_study_has_the_settings_of_the_vote_block(question: Question) -> None:
    VoteSettings.objects.create(study=question.study, minimum=7)
    client = member(question.study, "owner")

    page = client.get(reverse("admin:studies_study_change", args=[question.study.pk])).content.decode()

    assert 'name="vote_settings-0-minimum" value="7"' in page
