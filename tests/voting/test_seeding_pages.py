"""The page of generated seeds: for editors of this study and nobody else, every act a real form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.models import Run
from core.runs import execute
from studies.models import Membership, Study
from tests import factories
from tests.core.fake_endpoint import FakeEndpoint
from voting.models import SeedDraft, Statement

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> & more"


@pytest.fixture
def fake(settings: Any) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        settings.ENDPOINTS = {"fake": server.endpoint()}
        server.answer = lambda data: HOSTILE
        yield server


@pytest.fixture
def editor(db: None) -> Any:
    """Who may edit the draft and read the pilot study."""
    return factories.UserFactory()


@pytest.fixture
def draft(editor: Any) -> Study:
    study = factories.StudyFactory(slug="draft")
    factories.QuestionFactory(study=study, code="p1", text="Are aliens real?")
    factories.MembershipFactory(study=study, user=editor, role=Membership.Role.EDITOR)
    return study


@pytest.fixture
def pilot(editor: Any) -> Study:
    study = factories.StudyFactory(slug="pilot")
    question = factories.QuestionFactory(study=study, code="q1")
    for _number in range(3):
        factories.FreeResponseFactory(enrolment__study=study, question=question)
    factories.MembershipFactory(study=study, user=editor, role=Membership.Role.ANALYST)
    return study


def browser(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(name: str, study: Study, *args: Any) -> str:
    return reverse(f"seeding:{name}", args=[study.slug, *args])


def settings_of(pilot: Study, **values: Any) -> dict[str, Any]:
    return {"pilot": pilot.slug, "endpoint": "fake", "each": "2", "seed": "1", **values}


@pytest.fixture
def row(draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint) -> SeedDraft:
    """A text that waits for a decision."""
    browser(editor).post(url("start", draft), settings_of(pilot, confirmed="1"))
    execute(Run.objects.get(kind="seeding").pk)
    found = SeedDraft.objects.first()
    assert found is not None
    return found


class TestAccess:
    @pytest.mark.parametrize("name", ["seeds", "progress"])
    def test_a_stranger_finds_nothing(self, draft: Study, stranger: Any, name: str) -> None:
        assert browser(stranger).get(url(name, draft)).status_code == 404

    def test_nor_can_a_stranger_act(self, row: SeedDraft, draft: Study, pilot: Study, stranger: Any) -> None:
        client = browser(stranger)

        assert client.post(url("start", draft), settings_of(pilot, confirmed="1")).status_code == 404
        assert client.post(url("decide", draft, row.public_id), {"act": "approve", "text": "x"}).status_code == 404
        row.refresh_from_db()
        assert row.status == "waiting"

    def test_a_text_of_another_study_is_not_there(self, row: SeedDraft, stranger: Any) -> None:
        own = Study.objects.get(memberships__user=stranger)

        response = browser(stranger).post(url("decide", own, row.public_id), {"act": "approve", "text": "x"})

        assert response.status_code == 404

    @pytest.mark.parametrize("role", ["analyst", "moderator", "annotator"])
    def test_who_may_not_edit_is_told_so(self, draft: Study, role: str) -> None:
        user = factories.MembershipFactory(study=draft, role=role).user

        assert browser(user).get(url("seeds", draft)).status_code == 403
        assert browser(user).post(url("start", draft)).status_code == 403

    def test_without_a_login_one_is_sent_to_it(self, draft: Study) -> None:
        assert Client().get(url("seeds", draft)).status_code == 302

    def test_a_pilot_that_one_may_not_read_cannot_be_chosen(
        self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint
    ) -> None:
        pilot.memberships.all().delete()

        response = browser(editor).post(url("start", draft), settings_of(pilot, confirmed="1"))

        assert response.status_code == 422
        assert not Run.objects.exists()

    @pytest.mark.parametrize("role", ["moderator", "annotator"])
    def test_nor_one_whose_data_are_not_for_that_role(
        self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint, role: str
    ) -> None:
        pilot.memberships.update(role=role)

        assert browser(editor).post(url("start", draft), settings_of(pilot)).status_code == 422


class TestStart:
    def test_first_the_costs_are_said(self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint) -> None:
        response = browser(editor).post(url("start", draft), settings_of(pilot))

        assert response.status_code == 200
        assert "2 calls" in response.content.decode()
        assert 'name="confirmed"' in response.content.decode()
        assert (fake.n_calls, Run.objects.count()) == (0, 0)

    def test_then_a_run_is_queued_and_shown(self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint) -> None:
        client = browser(editor)

        response = client.post(url("start", draft), settings_of(pilot, confirmed="1"), follow=True)

        assert "Waiting for a worker" in response.content.decode()
        assert Run.objects.get().created_by == editor
        assert fake.n_calls == 0

    @pytest.mark.parametrize(
        "values",
        [
            {"each": "0"}, {"each": "x"}, {"seed": "-1"}, {"endpoint": "other"}, {"pilot": "gone"},
            {"question": "gone"}, {"model_parameters": "{"}, {"model_parameters": "[1]"},
            {"model_parameters": '{"model": "x"}'},
        ],
        ids=str,
    )  # fmt: skip
    def test_what_makes_no_sense_is_said_at_its_field(
        self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint, values: dict[str, str]
    ) -> None:
        response = browser(editor).post(url("start", draft), {**settings_of(pilot, confirmed="1"), **values})

        assert response.status_code == 422
        assert "error-message" in response.content.decode()
        assert not Run.objects.exists()

    def test_too_few_examples_are_said(self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint) -> None:
        response = browser(editor).post(url("start", draft), settings_of(pilot, each="8"), follow=True)

        assert "3 people" in response.content.decode()

    def test_without_an_endpoint_the_page_says_what_to_set(self, draft: Study, editor: Any) -> None:
        assert "POLYPHONY_ENDPOINTS" in browser(editor).get(url("seeds", draft)).content.decode()

    def test_a_generation_that_failed_says_why(
        self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint, settings: Any
    ) -> None:
        client = browser(editor)
        client.post(url("start", draft), settings_of(pilot, confirmed="1"))
        settings.ENDPOINTS = {"other": fake.endpoint(name="other")}
        execute(Run.objects.get().pk)

        assert "No model endpoint is called" in client.get(url("seeds", draft)).content.decode()

    def test_progress_is_a_fragment_until_it_has_ended(
        self, draft: Study, pilot: Study, editor: Any, fake: FakeEndpoint
    ) -> None:
        client = browser(editor)
        client.post(url("start", draft), settings_of(pilot, confirmed="1"))

        during = client.get(url("progress", draft), headers={"HX-Request": "true"})
        execute(Run.objects.get().pk)
        after = client.get(url("progress", draft), headers={"HX-Request": "true"})

        assert "<h1" not in during.content.decode()
        assert "HX-Redirect" not in during.headers
        assert after["HX-Redirect"] == url("seeds", draft)
        assert "<h1" in client.get(url("progress", draft)).content.decode()


class TestDecision:
    def test_texts_are_escaped_and_have_labels(self, row: SeedDraft, draft: Study, editor: Any) -> None:
        page = browser(editor).get(url("seeds", draft)).content.decode()

        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
        assert "<script>alert" not in page
        assert f'for="text-{row.public_id}"' in page
        assert row.example in page

    def test_an_edited_text_is_approved(self, row: SeedDraft, draft: Study, editor: Any) -> None:
        response = browser(editor).post(
            url("decide", draft, row.public_id), {"act": "approve", "text": "I have seen one."}, follow=True
        )

        assert Statement.objects.get(seed_draft=row).text == "I have seen one."
        assert "edited" in response.content.decode()
        assert "What the model wrote" in response.content.decode()

    def test_a_text_is_put_aside(self, row: SeedDraft, draft: Study, editor: Any) -> None:
        browser(editor).post(url("decide", draft, row.public_id), {"act": "reject"})

        row.refresh_from_db()
        assert (row.status, row.decided_by) == ("rejected", editor)

    def test_an_empty_text_is_refused_with_a_message(self, row: SeedDraft, draft: Study, editor: Any) -> None:
        response = browser(editor).post(
            url("decide", draft, row.public_id), {"act": "approve", "text": " "}, follow=True
        )

        assert "This text is empty" in response.content.decode()
        row.refresh_from_db()
        assert row.status == "waiting"

    def test_an_unknown_act_is_none(self, row: SeedDraft, draft: Study, editor: Any) -> None:
        assert browser(editor).post(url("decide", draft, row.public_id), {"act": "burn"}).status_code == 422

    @pytest.mark.parametrize("name", ["start", "decide"])
    def test_acts_are_posts(self, row: SeedDraft, draft: Study, editor: Any, name: str) -> None:
        args = [row.public_id] if name == "decide" else []

        assert browser(editor).get(url(name, draft, *args)).status_code == 405

    def test_drafts_have_the_page_in_their_bar(self, draft: Study, editor: Any) -> None:
        study_page = browser(editor).get(reverse("studies:study", args=[draft.slug])).content.decode()

        assert url("seeds", draft) in study_page
