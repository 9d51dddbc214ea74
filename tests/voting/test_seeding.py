"""Seeds written by a model: whose examples, which calls, what is kept, and who lets them in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.canonical import text_sha256
from core.endpoints import ChatReply, EndpointError
from core.errors import Conflict, Invalid, NotThere
from core.models import AuditEvent, Run
from core.runs import execute
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, Study
from tests import factories
from tests.constraints import refuses
from tests.core.fake_endpoint import FakeEndpoint, Says, Status
from tests.factories import NOW
from voting.models import SeedDraft, Statement
from voting.seeding import prompts
from voting.seeding.exports import GENERATED_SEEDS, seed_rows
from voting.seeding.planning import TOKENS_OF_A_REPLY, estimate, planned
from voting.seeding.services import approve_draft, reject_draft, start_seeding
from voting.seeding.settings import Seeding

pytestmark = pytest.mark.django_db
N_PEOPLE = 12


@pytest.fixture
def fake(settings: Any) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        settings.ENDPOINTS = {"fake": server.endpoint(retries=1)}
        server.answer = lambda data: f"I think {text_sha256(data['messages'][1]['content'])[:8]} of it."
        yield server


@pytest.fixture
def pilot(db: None) -> Study:
    """A study of two questions that 12 people completed."""
    study = factories.published_study(n_questions=2, slug="pilot")
    questions = list(study.questions.order_by("code"))
    for number in range(N_PEOPLE):
        enrolment = factories.EnrolmentFactory(study=study, public_code=f"PILOT{number:02d}")
        for question in questions:
            factories.FreeResponseFactory(
                enrolment=enrolment, question=question, text=f"{enrolment.public_code} on {question.code}"
            )
    return study


@pytest.fixture
def draft(db: None) -> Study:
    """A draft with two questions."""
    study = factories.StudyFactory(slug="draft", write_minimum=10, write_maximum=200)
    for number in (1, 2):
        factories.QuestionFactory(study=study, code=f"p{number}", position=number, text=f"Prism question {number}?")
    return study


def seeding(pilot: Study, **values: Any) -> Seeding:
    return Seeding(**{"pilot": str(pilot.public_id), "endpoint": "fake", "each": 8, **values})


def generated(draft: Study, settings: Seeding, seed: int = 1) -> Run:
    run = start_seeding(study=draft, seeding=settings, seed=seed, by=None, now=NOW)
    execute(run.pk)
    run.refresh_from_db()
    return run


class TestPlan:
    def test_each_person_is_an_example_once_for_a_question(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        plan = planned(draft, seeding(pilot), 1)

        by_question: dict[str, list[str]] = {}
        for job in plan.jobs:
            by_question.setdefault(job.question.code, []).append(job.example.enrolment.public_code)
        assert {code: (len(people), len(set(people))) for code, people in by_question.items()} == {
            "p1": (8, 8),
            "p2": (8, 8),
        }
        assert by_question["p1"] != by_question["p2"]

    def test_the_seed_decides_the_draw(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        def drawn(seed: int) -> list[tuple[str, str]]:
            return [(job.question.code, job.example.text) for job in planned(draft, seeding(pilot), seed).jobs]

        assert drawn(1) == drawn(1)
        assert drawn(1) != drawn(2)

    def test_more_statements_begin_with_the_same_ones(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        def drawn(each: int) -> list[str]:
            jobs = planned(draft, seeding(pilot, each=each, questions=("p1",)), 1).jobs
            return [job.example.text for job in jobs]

        assert drawn(10)[:4] == drawn(4)

    def test_too_few_people_are_a_reason_not_a_repetition(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(Conflict, match="12 people"):
            planned(draft, seeding(pilot, each=13), 1)

    @pytest.mark.parametrize(
        "columns", [{"status": "timed_out"}, {"status": "withdrawn"}, {"origin": "preview"}, {"origin": "simulated"}]
    )
    def test_only_people_who_completed_it_are_examples(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, columns: dict[str, Any]
    ) -> None:
        pilot.enrolments.filter(public_code="PILOT00").update(**columns)

        with pytest.raises(Conflict, match="11 people"):
            planned(draft, seeding(pilot, each=12), 1)

    def test_simulated_people_if_asked_for(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        pilot.enrolments.update(origin="simulated")

        assert len(planned(draft, seeding(pilot, origins=("simulated",)), 1).jobs) == 16

    def test_a_response_to_the_question_itself_is_no_example(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        draft.questions.filter(code="p1").update(text=pilot.questions.get(code="q1").text)

        jobs = [job for job in planned(draft, seeding(pilot), 1).jobs if job.question.code == "p1"]

        assert {job.example.question.code for job in jobs} == {"q2"}

    def test_the_prompt_has_one_example_the_question_and_the_limits(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        job = planned(draft, seeding(pilot), 1).jobs[0]

        user = job.request.messages[1]["content"]
        assert job.example.text in user
        assert "Prism question 1?" in user
        assert "with 10 to 200 characters" in user
        assert user.count("PILOT") == 1

    def test_braces_in_a_text_stay_braces(self) -> None:
        request = prompts.request_for(
            question="{example}", example_question="{0}", example="a {question} b", minimum=1, maximum=2, parameters={}
        )

        assert "a {question} b" in request.messages[1]["content"]

    def test_the_estimate_counts_what_is_open(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, settings: Any
    ) -> None:
        settings.ENDPOINTS = {"fake": fake.endpoint(input_price=Decimal(1), output_price=Decimal(10))}
        before = estimate(planned(draft, seeding(pilot), 1), seeding(pilot))
        generated(draft, seeding(pilot, questions=("p1",)))

        after = estimate(planned(draft, seeding(pilot), 1), seeding(pilot))

        assert (before.n_calls, after.n_calls) == (16, 8)
        assert before.completion_tokens == 16 * TOKENS_OF_A_REPLY
        assert before.cost == (before.prompt_tokens + 10 * before.completion_tokens) / Decimal(1_000_000)

    def test_an_unknown_price_is_no_cost(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        assert estimate(planned(draft, seeding(pilot), 1), seeding(pilot)).cost is None

    @pytest.mark.parametrize(
        ("values", "field"),
        [
            ({"each": 0}, "each"),
            ({"each": 51}, "each"),
            ({"origins": ()}, "origins"),
            ({"origins": ("preview",)}, "origins"),
            ({"model_parameters": {"model": "x"}}, "model_parameters"),
            ({"model_parameters": {"temperature": float("nan")}}, "model_parameters"),
            ({"model_parameters": {"stop": "\0"}}, "model_parameters"),
            ({"model_parameters": {"stop": "\ud800"}}, "model_parameters"),
        ],
        ids=str,
    )
    def test_settings_that_make_no_sense_are_refused(
        self, pilot: Study, fake: FakeEndpoint, values: dict[str, Any], field: str
    ) -> None:
        with pytest.raises(Invalid) as raised:
            seeding(pilot, **values)

        assert set(raised.value.fields) == {field}

    @pytest.mark.parametrize("seed", [-1, 2**63])
    def test_a_seed_that_no_column_holds_is_refused(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, seed: int
    ) -> None:
        with pytest.raises(Invalid, match="A seed is 0 to"):
            generated(draft, seeding(pilot), seed)

    def test_settings_survive_the_row(self, pilot: Study, fake: FakeEndpoint) -> None:
        settings = seeding(pilot, questions=("p1",), model_parameters={"temperature": 1})

        assert Seeding.from_dict(json.loads(json.dumps(settings.to_dict()))) == Seeding.from_dict(settings.to_dict())
        assert Seeding.from_dict(settings.to_dict()).to_dict() == settings.to_dict()

    def test_an_unknown_endpoint_is_refused(self, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(EndpointError):
            seeding(pilot, endpoint="gone")

    def test_an_unknown_question_is_refused(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(Conflict, match="gone"):
            planned(draft, seeding(pilot, questions=("gone",)), 1)

    def test_a_study_without_questions_is_refused(self, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(Conflict, match="no question"):
            planned(factories.StudyFactory(), seeding(pilot), 1)


class TestRun:
    def test_every_reply_is_kept_with_its_provenance(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        run = generated(draft, seeding(pilot, model_parameters={"temperature": 1}))

        assert run.status == Run.Status.FINISHED, run.error
        rows = SeedDraft.objects.filter(run=run)
        assert (rows.count(), fake.n_calls) == (16, 16)
        row = rows.first()
        assert row is not None
        assert row.status == "waiting"
        assert json.loads(row.raw)["choices"][0]["message"]["content"] == row.text
        assert (row.model, row.endpoint, row.prompt_version) == ("fake-1-2026", "fake", prompts.VERSION)
        job = next(job for job in planned(draft, seeding(pilot), 1).jobs if job.position == row.position)
        assert row.example == job.example.enrolment.public_code
        assert fake.requests[0].data["temperature"] == 1
        assert not Statement.objects.filter(question__study=draft).exists()

    def test_the_result_names_examples_and_hashes_and_no_text(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        result = generated(draft, seeding(pilot)).result

        assert result is not None
        assert [(row["question"], row["position"]) for row in result["drafts"][:9]] == [
            *(("p1", position) for position in range(1, 9)),
            ("p2", 1),
        ]
        first = SeedDraft.objects.get(question__code="p1", position=1)
        assert result["drafts"][0]["text_sha256"] == text_sha256(first.text)
        assert first.text not in json.dumps(result)
        assert result["prompt_tokens"] == sum(SeedDraft.objects.values_list("prompt_tokens", flat=True))

    def test_started_again_it_asks_nothing_again(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        first = generated(draft, seeding(pilot))
        second = generated(draft, seeding(pilot))

        assert fake.n_calls == 16
        assert first.pk != second.pk
        assert first.result_sha256 == second.result_sha256

    def test_what_failed_is_asked_again_and_nothing_else(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        fake.then(*[Status(500)] * 8)

        first = generated(draft, seeding(pilot))
        kept = SeedDraft.objects.count()
        second = generated(draft, seeding(pilot))

        assert first.status == Run.Status.FAILED
        assert "of 16 calls failed" in first.error
        assert 8 <= kept < 16
        assert second.status == Run.Status.FINISHED
        assert SeedDraft.objects.count() == 16
        assert fake.n_calls == 16 + 8

    def test_another_text_of_the_question_is_asked_anew(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        generated(draft, seeding(pilot))
        draft.questions.filter(code="p1").update(text="Another wording?")

        generated(draft, seeding(pilot))

        assert fake.n_calls == 24

    def test_a_refusal_by_the_server_ends_it_at_once(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, settings: Any
    ) -> None:
        settings.ENDPOINTS = {"fake": fake.endpoint(concurrency=1)}
        fake.answer = lambda data: Status(401)

        run = generated(draft, seeding(pilot))

        assert (run.status, fake.n_calls) == (Run.Status.FAILED, 1)
        assert "401" in run.error

    def test_a_refusal_by_the_model_is_kept_as_one(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        fake.then(Says(None, message={"refusal": "I would rather not."}))

        run = generated(draft, seeding(pilot))

        row = SeedDraft.objects.get(refusal="I would rather not.")
        assert (row.text, row.status) == ("", "waiting")
        assert run.result is not None
        assert run.result["n_refused"] == 1

    def test_a_model_that_is_configured_no_more_is_a_reason(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, settings: Any
    ) -> None:
        run = start_seeding(study=draft, seeding=seeding(pilot), seed=1, by=None, now=NOW)
        settings.ENDPOINTS = {}

        execute(run.pk)

        run.refresh_from_db()
        assert run.status == Run.Status.FAILED
        assert "fake" in run.error

    def test_progress_counts_calls(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        run = generated(draft, seeding(pilot))

        assert (run.progress_done, run.progress_total) == (16, 16)

    def test_one_generation_of_the_same_settings_at_a_time(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        first = start_seeding(study=draft, seeding=seeding(pilot), seed=1, by=None, now=NOW)

        assert start_seeding(study=draft, seeding=seeding(pilot), seed=1, by=None, now=NOW).pk == first.pk

    def test_a_published_study_gets_none(self, study: Study, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(Conflict, match="published"):
            start_seeding(study=study, seeding=seeding(pilot), seed=1, by=None, now=NOW)


class TestDecision:
    @pytest.fixture
    def row(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> SeedDraft:
        generated(draft, seeding(pilot))
        found = SeedDraft.objects.filter(question__code="p1").first()
        assert found is not None
        return found

    def test_an_approved_text_becomes_a_seed_of_the_draft(self, row: SeedDraft, researcher: Any) -> None:
        statement = approve_draft(draft=row, text="Edited by hand.", by=researcher, now=NOW)

        row.refresh_from_db()
        assert (statement.text, statement.origin, statement.status) == ("Edited by hand.", "seed", "pending")
        assert (row.statement, row.approved_text, row.is_edited) == (statement, "Edited by hand.", True)
        assert row.text.startswith("I think ")
        assert (row.decided_by, row.decided_at) == (researcher, NOW)
        event = AuditEvent.objects.get(event="seed.approved")
        assert event.detail["edited"] is True

    def test_it_is_in_the_definition(self, row: SeedDraft, draft: Study) -> None:
        from voting.sections import SeedSection

        approve_draft(draft=row, text=row.text, by=None, now=NOW)

        assert [seed["text"] for seed in SeedSection().dump(draft)] == [row.text]

    def test_twice_is_once(self, row: SeedDraft) -> None:
        first = approve_draft(draft=row, text=row.text, by=None, now=NOW)

        assert approve_draft(draft=row, text=row.text, by=None, now=NOW).pk == first.pk
        assert Statement.objects.filter(question=row.question).count() == 1

    def test_another_text_after_that_is_refused(self, row: SeedDraft) -> None:
        approve_draft(draft=row, text=row.text, by=None, now=NOW)

        with pytest.raises(Conflict, match="already"):
            approve_draft(draft=row, text="another", by=None, now=NOW)
        with pytest.raises(Conflict, match="already"):
            reject_draft(draft=row, by=None, now=NOW)

    @pytest.mark.parametrize("text", ["", " \u200b\n", "x" * 10_001, "a\0b"], ids=["empty", "blank", "long", "nul"])
    def test_a_text_that_is_none_is_refused(self, row: SeedDraft, text: str) -> None:
        with pytest.raises(Invalid):
            approve_draft(draft=row, text=text, by=None, now=NOW)

        row.refresh_from_db()
        assert row.status == "waiting"

    def test_a_rejected_one_may_still_be_approved(self, row: SeedDraft) -> None:
        reject_draft(draft=row, by=None, now=NOW)
        row.refresh_from_db()
        assert (row.status, row.statement) == ("rejected", None)

        approve_draft(draft=row, text=row.text, by=None, now=NOW)

        row.refresh_from_db()
        assert row.status == "approved"

    def test_a_published_study_is_frozen(self, row: SeedDraft, draft: Study) -> None:
        version = factories.StudyVersionFactory(study=draft)
        Study.objects.filter(pk=draft.pk).update(status="open", current_version=version)

        with pytest.raises(Conflict, match="published"):
            approve_draft(draft=row, text=row.text, by=None, now=NOW)
        with pytest.raises(Conflict, match="published"):
            reject_draft(draft=row, by=None, now=NOW)

    def test_a_replaced_question_gets_none(self, row: SeedDraft) -> None:
        type(row.question).objects.filter(pk=row.question_id).update(is_current=False)

        with pytest.raises(Conflict, match="replaced"):
            approve_draft(draft=row, text=row.text, by=None, now=NOW)

    def test_removing_the_seed_leaves_what_is_known_of_it(self, row: SeedDraft) -> None:
        from voting.services import remove_seed

        statement = approve_draft(draft=row, text=row.text, by=None, now=NOW)

        remove_seed(statement=statement, by=None, now=NOW)

        row.refresh_from_db()
        assert (row.statement, row.status, row.approved_text) == (None, "approved", row.text)

    def test_the_database_keeps_decisions_whole(self, row: SeedDraft) -> None:
        other = SeedDraft.objects.exclude(pk=row.pk).filter(series=row.series).first()
        assert other is not None

        refuses("voting_seeddraft_decision_agrees", row, status="approved", decided_at=NOW)
        refuses("voting_seeddraft_decision_agrees", row, status="approved", approved_text="x")
        refuses("voting_seeddraft_decision_agrees", row, status="rejected")
        refuses("voting_seeddraft_decision_agrees", row, status="lost", decided_at=NOW)
        refuses("voting_seeddraft_decision_agrees", row, decided_at=NOW)
        refuses("voting_seeddraft_once", row, example=other.example, prompt_sha256=other.prompt_sha256)


class TestWithdrawal:
    @pytest.mark.parametrize("policy", ["delete_all", "keep_votes"])
    def test_what_was_written_after_somebody_who_withdraws_is_blank(
        self, draft: Study, pilot: Study, fake: FakeEndpoint, policy: str
    ) -> None:
        fake.answer = lambda data: f"As they said: {data['messages'][1]['content']}"
        Study.objects.filter(pk=pilot.pk).update(withdrawal_policy=policy)
        generated(draft, seeding(pilot, each=N_PEOPLE))
        rows = list(SeedDraft.objects.filter(example="PILOT03").order_by("pk"))
        approve_draft(draft=rows[0], text="A text of the team.", by=None, now=NOW)
        n_others = SeedDraft.objects.exclude(example="PILOT03").exclude(text="").count()
        assert (len(rows), n_others) == (2, 2 * (N_PEOPLE - 1))

        withdraw_enrolment(enrolment=pilot.enrolments.get(public_code="PILOT03"), by=None, now=NOW)

        found = list(SeedDraft.objects.filter(example="PILOT03").order_by("pk"))
        assert [(row.raw, row.text, row.refusal) for row in found] == [("", "", "")] * 2
        assert [(row.status, row.approved_text) for row in found] == [
            ("approved", "A text of the team."),
            ("rejected", ""),
        ]
        assert SeedDraft.objects.exclude(example="PILOT03").exclude(text="").count() == n_others

    def test_whoever_withdraws_while_the_model_writes_leaves_nothing(
        self, draft: Study, pilot: Study, fake: FakeEndpoint
    ) -> None:
        plan = planned(draft, seeding(pilot, each=1, questions=("p1",)), 1)
        person = plan.jobs[0].example.enrolment

        def answer(_data: Any) -> str:
            Enrolment.objects.filter(pk=person.pk).update(status=Enrolment.Status.WITHDRAWN)
            return "their words"

        run = start_seeding(study=draft, seeding=seeding(pilot, each=1, questions=("p1",)), seed=1, by=None, now=NOW)
        with patched_reply(answer):
            execute(run.pk)

        run.refresh_from_db()
        assert (run.status, run.result["drafts"]) == (Run.Status.FINISHED, [])
        assert not SeedDraft.objects.exists()


@contextmanager
def patched_reply(answer: Any) -> Iterator[None]:
    """The reply as `answer` gives it, in the thread and transaction of the test."""

    def replies(_endpoint: Any, requests: Any) -> Iterator[tuple[int, ChatReply]]:
        for index, request in enumerate(requests):
            yield index, ChatReply(answer(request), "{}", "fake-1", request.sha256, None, None, "")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("voting.seeding.computing.chat_all", replies)
        yield


def test_the_export_has_the_provenance_of_each(draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
    run = generated(draft, seeding(pilot, each=2, questions=("p1",)), seed=7)
    first = SeedDraft.objects.order_by("position").first()
    assert first is not None
    statement = approve_draft(draft=first, text="Edited.", by=None, now=NOW)

    names = [column.name for column in GENERATED_SEEDS.columns]
    rows = [dict(zip(names, row, strict=True)) for row in seed_rows(draft)]

    assert [(row["position"], row["status"], row["statement"]) for row in rows] == [
        (1, "approved", statement.code),
        (2, "waiting", None),
    ]
    assert (rows[0]["text"], rows[0]["approved_text"], rows[0]["raw"]) == (first.text, "Edited.", first.raw)
    assert {(row["run"], row["seed"], row["model"]) for row in rows} == {(run.public_id, 7, "fake-1-2026")}
    assert list(seed_rows(pilot)) == []


class TestCommand:
    def printed(self, *arguments: str) -> str:
        out = StringIO()
        call_command("generate_seeds", *arguments, stdout=out, stderr=StringIO())
        return out.getvalue()

    def test_it_prints_what_there_is(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        arguments = ("--study", "draft", "--pilot", "pilot", "--endpoint", "fake", "--question", "p1", "--each", "3")

        found = json.loads(self.printed(*arguments, "--json"))
        text = self.printed(*arguments)

        assert [entry["question"] for entry in found["drafts"]] == ["p1"] * 3
        assert set(found["drafts"][0]) >= {"model", "prompt_sha256", "example", "run", "text", "status"}
        assert text.count("p1 waiting: I think ") == 3
        assert fake.n_calls == 3

    def test_an_estimate_asks_nothing(self, draft: Study, pilot: Study, fake: FakeEndpoint) -> None:
        arguments = ("--study", "draft", "--pilot", "pilot", "--endpoint", "fake", "--estimate")

        assert json.loads(self.printed(*arguments, "--json"))["n_calls"] == 16
        assert self.printed(*arguments).startswith("16 calls, about ")
        assert (fake.n_calls, Run.objects.count()) == (0, 0)

    @pytest.mark.parametrize("parameters", ["{", "[]"])
    def test_parameters_are_an_object(self, draft: Study, pilot: Study, fake: FakeEndpoint, parameters: str) -> None:
        with pytest.raises(CommandError):
            self.printed("--study", "draft", "--pilot", "pilot", "--endpoint", "fake", "--parameters", parameters)

    def test_an_unknown_study_is_said(self, pilot: Study, fake: FakeEndpoint) -> None:
        with pytest.raises(NotThere, match="gone"):
            self.printed("--study", "gone", "--pilot", "pilot", "--endpoint", "fake")
