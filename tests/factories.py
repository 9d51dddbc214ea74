"""Rows for tests, and a study that people can walk through."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import factory
from django.contrib.auth import get_user_model
from factory.django import DjangoModelFactory

from annotation.models import AnnotateSettings
from clustering.models import (
    GroupCoverage,
    Grouping,
    GroupMember,
    GroupName,
    GroupStatement,
    OpinionGroup,
    QuestionCoverage,
    RunFigure,
    Score,
)
from core.canonical import content_sha256
from core.models import AuditEvent, Pulse, Run
from prediction.models import Candidate, CandidateAnswer, JudgeReply, Prediction, PredictionBatch
from studies.models import (
    Answer,
    ConsentRecord,
    Draft,
    Enrolment,
    ExternalIdentity,
    FormItem,
    FreeResponse,
    LateSubmission,
    Membership,
    ModelAnswer,
    PageView,
    Question,
    RepresentationRating,
    Slot,
    Source,
    Step,
    Study,
    StudyVersion,
    Tombstone,
)
from voting.models import Exposure, SeedDraft, Statement, Vote, VoteBlock, VoteSettings

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
"""The time of rows whose time does not matter."""

BLOCKS = ("consent", "form", "write", "rate", "debrief")
BLOCKS_WITH_VOTES = ("consent", "form", "write", "rate", "vote", "debrief")
CODES = {
    "complete": "CK4T9QXW",
    "no_consent": "CN7M2PRD",
    "screened_out": "CS3V8HJB",
    "timed_out": "CT6Y4WKF",
    "withdrawn": "CW9R5DGN",
    "full": "CF2X7BMQ",
}
FORM = (
    {"code": "age", "kind": "integer", "label": "How old are you?", "minimum": 18, "maximum": 120},
    {
        "code": "sex",
        "kind": "single",
        "label": "What is your sex?",
        "options": [{"value": "female", "label": "Female"}, {"value": "male", "label": "Male"}],
    },
    {
        "code": "ethnicity",
        "kind": "multiple",
        "label": "What is your ethnicity?",
        "options": [{"value": value, "label": value.title()} for value in ("asian", "black", "white", "other")],
    },
    {"code": "remarks", "kind": "text", "label": "Anything else?", "maximum": 300},
)


class UserFactory(DjangoModelFactory):
    """An account of the team; its password is `password`."""

    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password("password")


class StudyFactory(DjangoModelFactory):
    """A draft."""

    class Meta:
        model = Study

    slug = factory.Sequence(lambda n: f"study-{n}")
    title = factory.Sequence(lambda n: f"Public life {n}")
    seed = factory.Sequence(lambda n: f"{n:032x}")
    contact = "Study team, team@example.org"
    summary = "What this study is about."
    consent_text = "I agree to take part."
    debrief_text = "Thank you for taking part."
    rate_instructions = "Read each response, then say how far it represents your view."


class StudyVersionFactory(DjangoModelFactory):
    class Meta:
        model = StudyVersion

    study = factory.SubFactory(StudyFactory)
    number = factory.Sequence(lambda n: n + 1)
    definition = factory.LazyAttribute(lambda version: definition_from(version.study))
    sha256 = factory.LazyAttribute(lambda version: content_sha256(version.definition))
    published_at = NOW


class MembershipFactory(DjangoModelFactory):
    class Meta:
        model = Membership

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    role = Membership.Role.OWNER


class QuestionFactory(DjangoModelFactory):
    class Meta:
        model = Question

    study = factory.SubFactory(StudyFactory)
    code = factory.Sequence(lambda n: f"q{n}")
    domain = "economy"
    text = factory.LazyAttribute(lambda question: f"What should be done about {question.code}?")


class SourceFactory(DjangoModelFactory):
    class Meta:
        model = Source

    study = factory.SubFactory(StudyFactory)
    code = factory.Sequence(lambda n: f"s{n}")
    name = factory.LazyAttribute(lambda source: f"Model {source.code}")


class ModelAnswerFactory(DjangoModelFactory):
    class Meta:
        model = ModelAnswer

    question = factory.SubFactory(QuestionFactory)
    source = factory.SubFactory(SourceFactory, study=factory.SelfAttribute("..question.study"))
    text = factory.LazyAttribute(lambda answer: f"What {answer.source.code} says on {answer.question.code}.")


class FormItemFactory(DjangoModelFactory):
    class Meta:
        model = FormItem

    study = factory.SubFactory(StudyFactory)
    code = factory.Sequence(lambda n: f"item{n}")
    kind = FormItem.Kind.TEXT
    label = "Anything else?"


class EnrolmentFactory(DjangoModelFactory):
    """Somebody who finished an hour ago; `status` and `finished_at` go together."""

    class Meta:
        model = Enrolment

    study = factory.SubFactory(StudyFactory)
    version = factory.LazyAttribute(
        lambda enrolment: enrolment.study.current_version or StudyVersionFactory(study=enrolment.study)
    )
    public_code = factory.Sequence(lambda n: f"P{n:05d}")
    origin = Enrolment.Origin.LIVE
    status = Enrolment.Status.COMPLETE
    started_at = NOW
    last_seen_at = NOW
    finished_at = factory.LazyAttribute(
        lambda enrolment: None if enrolment.status == Enrolment.Status.ACTIVE else enrolment.started_at
    )


class ExternalIdentityFactory(DjangoModelFactory):
    class Meta:
        model = ExternalIdentity

    enrolment = factory.SubFactory(EnrolmentFactory, recruiter="prolific")
    study = factory.SelfAttribute("enrolment.study")
    recruiter = "prolific"
    external_id = factory.Sequence(lambda n: f"{n:024x}")
    external_id_raw = factory.LazyAttribute(lambda identity: identity.external_id.upper())
    session_id = factory.Sequence(lambda n: f"{n + 2**90:024x}")
    study_ref = "5f0000000000000000000001"


class ConsentRecordFactory(DjangoModelFactory):
    class Meta:
        model = ConsentRecord

    enrolment = factory.SubFactory(EnrolmentFactory)
    text_sha256 = "0" * 64
    language = "en"
    accepted = True
    decided_at = NOW


class SlotFactory(DjangoModelFactory):
    class Meta:
        model = Slot

    enrolment = factory.SubFactory(EnrolmentFactory)
    question = factory.SubFactory(QuestionFactory, study=factory.SelfAttribute("..enrolment.study"))
    number = factory.Sequence(lambda n: n % 30_000 + 1)
    policy = "balanced"
    reserved_at = NOW
    expires_at = NOW + timedelta(hours=1)


class TombstoneFactory(DjangoModelFactory):
    class Meta:
        model = Tombstone

    study = factory.SubFactory(StudyFactory)
    enrolment_public_id = factory.LazyFunction(uuid.uuid4)
    withdrawn_at = NOW
    policy = Study.WithdrawalPolicy.DELETE_ALL
    erased = factory.Dict({"studies": 1})


class StepFactory(DjangoModelFactory):
    class Meta:
        model = Step

    enrolment = factory.SubFactory(EnrolmentFactory)
    position = factory.Sequence(lambda n: n % 30_000)
    kind = "consent"
    block = "consent"


class PageViewFactory(DjangoModelFactory):
    class Meta:
        model = PageView

    step = factory.SubFactory(StepFactory)
    shown_at = NOW


class DraftFactory(DjangoModelFactory):
    class Meta:
        model = Draft

    step = factory.SubFactory(StepFactory)
    payload = {"text": ["half a th"]}
    saved_at = NOW


class LateSubmissionFactory(DjangoModelFactory):
    class Meta:
        model = LateSubmission

    step = factory.SubFactory(StepFactory)
    payload = {"text": ["too late"]}
    payload_sha256 = factory.LazyAttribute(lambda late: content_sha256(late.payload))
    received_at = NOW


class AnswerFactory(DjangoModelFactory):
    class Meta:
        model = Answer

    enrolment = factory.SubFactory(EnrolmentFactory)
    item_code = factory.Sequence(lambda n: f"item{n}")
    value_choice = "female"
    answered_at = NOW


class FreeResponseFactory(DjangoModelFactory):
    class Meta:
        model = FreeResponse

    enrolment = factory.SubFactory(EnrolmentFactory)
    question = factory.SubFactory(QuestionFactory, study=factory.SelfAttribute("..enrolment.study"))
    text = factory.Sequence(lambda n: f"View number {n}: " + "it depends on what people need. " * 3)
    n_characters = factory.LazyAttribute(lambda response: len(response.text))
    stance = "neutral"
    importance = 3
    written_at = NOW


class RepresentationRatingFactory(DjangoModelFactory):
    class Meta:
        model = RepresentationRating

    enrolment = factory.SubFactory(EnrolmentFactory)
    answer = factory.SubFactory(ModelAnswerFactory, question__study=factory.SelfAttribute("...enrolment.study"))
    value = 4
    rank = 1
    rated_at = NOW


class VoteSettingsFactory(DjangoModelFactory):
    class Meta:
        model = VoteSettings

    study = factory.SubFactory(StudyFactory)


class StatementFactory(DjangoModelFactory):
    """An approved seed."""

    class Meta:
        model = Statement

    question = factory.SubFactory(QuestionFactory)
    code = factory.Sequence(lambda n: f"statement-{n}")
    origin = Statement.Origin.SEED
    status = Statement.Status.APPROVED
    text = factory.LazyAttribute(lambda statement: f"Seed {statement.code}.")
    created_at = NOW


class SeedDraftFactory(DjangoModelFactory):
    """A generated text that waits for a decision."""

    class Meta:
        model = SeedDraft

    question = factory.SubFactory(QuestionFactory)
    run = factory.SubFactory("tests.factories.RunFactory", kind="seeding")
    series = "0" * 64
    position = 1
    example = factory.Sequence(lambda n: f"PILOT{n:05d}")
    example_question = "q1"
    endpoint = "fake"
    model = "fake-1"
    prompt_version = "seed-1"
    prompt_sha256 = "0" * 64
    raw = "{}"
    text = "It depends on what people need."
    created_at = NOW


class VoteBlockFactory(DjangoModelFactory):
    class Meta:
        model = VoteBlock

    enrolment = factory.SubFactory(EnrolmentFactory)
    question = factory.SubFactory(QuestionFactory, study=factory.SelfAttribute("..enrolment.study"))
    minimum = 10
    required = 10
    opened_at = NOW


class ExposureFactory(DjangoModelFactory):
    class Meta:
        model = Exposure

    enrolment = factory.SubFactory(EnrolmentFactory)
    statement = factory.SubFactory(StatementFactory, question__study=factory.SelfAttribute("...enrolment.study"))
    question = factory.SelfAttribute("statement.question")
    rank = factory.Sequence(lambda n: n + 1)
    policy = "uniform"
    n_eligible = 10
    shown_at = NOW


class VoteFactory(DjangoModelFactory):
    class Meta:
        model = Vote

    exposure = factory.SubFactory(ExposureFactory)
    enrolment = factory.SelfAttribute("exposure.enrolment")
    statement = factory.SelfAttribute("exposure.statement")
    value = Vote.Value.AGREE
    cast_at = NOW


class RunFactory(DjangoModelFactory):
    """A finished run of opinion groups."""

    class Meta:
        model = Run

    kind = "groups"
    subject_kind = "study"
    subject_id = factory.LazyFunction(lambda: str(uuid.uuid4()))
    parameters = factory.Dict({"method": "dynamic"})
    parameters_sha256 = factory.LazyAttribute(lambda run: content_sha256(run.parameters))
    seed = 0
    status = Run.Status.FINISHED
    queued_at = NOW
    finished_at = factory.LazyAttribute(
        lambda run: NOW if run.status in {Run.Status.FINISHED, Run.Status.FAILED} else None
    )
    result = factory.LazyAttribute(lambda run: {} if run.status == Run.Status.FINISHED else None)
    result_sha256 = factory.LazyAttribute(
        lambda run: content_sha256(run.result) if run.status == Run.Status.FINISHED else ""
    )


class PulseFactory(DjangoModelFactory):
    class Meta:
        model = Pulse

    name = factory.Sequence(lambda n: f"pulse-{n}")
    at = NOW


class AuditEventFactory(DjangoModelFactory):
    class Meta:
        model = AuditEvent

    event = "study.publish"
    subject_kind = "study"
    subject_id = factory.LazyFunction(lambda: str(uuid.uuid4()))
    by_name = "somebody"
    at = NOW


class GroupingFactory(DjangoModelFactory):
    class Meta:
        model = Grouping

    run = factory.SubFactory(RunFactory)
    question = factory.SubFactory(QuestionFactory)
    n_participants = 10
    n_statements = 5
    n_votes = 40
    n_groups = 2
    silhouette = 0.5


class OpinionGroupFactory(DjangoModelFactory):
    class Meta:
        model = OpinionGroup

    grouping = factory.SubFactory(GroupingFactory)
    number = factory.Sequence(lambda n: n)
    identity = factory.SelfAttribute("number")
    size = 5


class GroupMemberFactory(DjangoModelFactory):
    class Meta:
        model = GroupMember

    group = factory.SubFactory(OpinionGroupFactory)
    grouping = factory.SelfAttribute("group.grouping")
    enrolment = factory.SubFactory(EnrolmentFactory, study=factory.SelfAttribute("..grouping.question.study"))
    x = 0.0
    y = 0.0
    n_votes = 4


class GroupNameFactory(DjangoModelFactory):
    class Meta:
        model = GroupName

    question = factory.SubFactory(QuestionFactory)
    line = "dynamic"
    identity = factory.Sequence(lambda n: n)
    name = "Better buses"
    created_at = NOW


class GroupStatementFactory(DjangoModelFactory):
    class Meta:
        model = GroupStatement

    group = factory.SubFactory(OpinionGroupFactory)
    statement = factory.SubFactory(StatementFactory, question=factory.SelfAttribute("..group.grouping.question"))
    n_agree = 3
    n_disagree = 1
    n_neutral = 0


class GroupCoverageFactory(DjangoModelFactory):
    class Meta:
        model = GroupCoverage

    group = factory.SubFactory(OpinionGroupFactory)
    run = factory.SubFactory(RunFactory, kind="overton")
    answer = factory.SubFactory(ModelAnswerFactory, question=factory.SelfAttribute("..group.grouping.question"))
    n_ratings = 5
    mean_rating = 4.2
    is_covered = True


class QuestionCoverageFactory(DjangoModelFactory):
    class Meta:
        model = QuestionCoverage

    run = factory.SubFactory(RunFactory, kind="overton")
    question = factory.SubFactory(QuestionFactory)
    source = factory.SubFactory(SourceFactory, study=factory.SelfAttribute("..question.study"))
    n_groups = 2
    coverage = 0.5


class ScoreFactory(DjangoModelFactory):
    class Meta:
        model = Score

    run = factory.SubFactory(RunFactory, kind="overton")
    source = factory.SubFactory(SourceFactory)
    is_weighted = False
    n_questions = 3
    value = 0.4


class RunFigureFactory(DjangoModelFactory):
    class Meta:
        model = RunFigure

    run = factory.SubFactory(RunFactory)
    name = "groups"
    specification = factory.Dict({"mark": "point"})


class CandidateFactory(DjangoModelFactory):
    class Meta:
        model = Candidate

    study = factory.SubFactory(StudyFactory)
    code = factory.Sequence(lambda n: f"new{n}")
    name = factory.LazyAttribute(lambda candidate: f"Candidate {candidate.code}")
    added_at = NOW


class CandidateAnswerFactory(DjangoModelFactory):
    class Meta:
        model = CandidateAnswer

    candidate = factory.SubFactory(CandidateFactory)
    question = factory.SubFactory(QuestionFactory, study=factory.SelfAttribute("..candidate.study"))
    text = factory.LazyAttribute(lambda answer: f"What {answer.candidate.code} says on {answer.question.code}.")
    added_at = NOW


class PredictionBatchFactory(DjangoModelFactory):
    """Predictions from a file."""

    class Meta:
        model = PredictionBatch

    study = factory.SubFactory(StudyFactory)
    method = PredictionBatch.Method.FILE
    name = factory.Sequence(lambda n: f"method {n}")
    parameters = factory.LazyAttribute(lambda batch: {"name": batch.name})
    parameters_sha256 = factory.LazyAttribute(lambda batch: content_sha256(batch.parameters))
    created_at = NOW


class PredictionFactory(DjangoModelFactory):
    class Meta:
        model = Prediction

    batch = factory.SubFactory(PredictionBatchFactory)
    enrolment = factory.SubFactory(EnrolmentFactory, study=factory.SelfAttribute("..batch.study"))
    answer = factory.SubFactory(ModelAnswerFactory, question__study=factory.SelfAttribute("...batch.study"))
    outcome = Prediction.Outcome.RATING
    value = 4.0
    predicted_at = NOW


class JudgeReplyFactory(DjangoModelFactory):
    class Meta:
        model = JudgeReply

    prediction = factory.SubFactory(PredictionFactory, batch__method=PredictionBatch.Method.JUDGE)
    text = "Rating: 4"
    raw = "{}"
    model = "some-model"
    received_at = NOW


# --- A study to walk through ----------------------------------------------------------------------------------------


def published_study(
    *,
    n_questions: int = 4,
    n_answers: int = 2,
    n_seeds: int = 0,
    blocks: Sequence[str] = BLOCKS,
    form: Sequence[dict[str, Any]] = FORM,
    vote: dict[str, Any] | None = None,
    **columns: Any,
) -> Study:
    """An open study with questions q1…, sources s1…, an answer of each source to each question, and seed statements.

    `columns` are columns of the study, such as `places=5` or `questions_each=2`; `vote` replaces settings of the votes.
    """
    columns = {"questions_each": min(3, n_questions), "codes": dict(CODES), **columns}
    study = StudyFactory(blocks=list(blocks), **columns)
    questions = [
        QuestionFactory(study=study, code=f"q{n}", position=n, is_frozen=True) for n in range(1, n_questions + 1)
    ]
    sources = [SourceFactory(study=study, code=f"s{n}", position=n) for n in range(1, n_answers + 1)]
    for question in questions:
        for source in sources:
            ModelAnswerFactory(question=question, source=source, is_frozen=True)
        for n in range(1, n_seeds + 1):
            StatementFactory(question=question, code=f"seed-{n}")
    for position, item in enumerate(form):
        FormItemFactory(study=study, position=position, **item)
    VoteSettingsFactory(study=study, **(vote or {}))
    return publish(study)


def publish(study: Study) -> Study:
    """Freeze the study's draft in its next version and open it."""
    study.current_version = StudyVersionFactory(study=study, number=study.versions.count() + 1)
    study.status = Study.Status.OPEN
    study.save()
    return study


def definition_from(study: Study) -> dict[str, Any]:
    """The definition of the study's draft rows, as a StudyVersion holds it."""
    questions = list(study.questions.filter(is_current=True).order_by("position", "code"))
    answers = list(
        ModelAnswer.objects.filter(question__in=questions, is_current=True)
        .select_related("question", "source")
        .order_by("question__position", "question__code", "source__position", "source__code")
    )
    return {
        "schema_version": 1,
        **_about(study),
        **_blocks(study),
        "questions": [{"code": row.code, "domain": row.domain, "text": row.text} for row in questions],
        "sources": [
            {"code": row.code, "name": row.name, "settings": row.settings}
            for row in study.sources.order_by("position", "code")
        ],
        "answers": [{"question": row.question.code, "source": row.source.code, "text": row.text} for row in answers],
        "seeds": [
            {"question": row.question.code, "code": row.code, "text": row.text}
            for row in Statement.objects.filter(question__in=questions, origin="seed").select_related("question")
        ],
        "revisions": {
            "questions": {row.code: row.revision for row in questions},
            "answers": {f"{row.question.code}/{row.source.code}": row.revision for row in answers},
        },
    }


def _about(study: Study) -> dict[str, Any]:
    amount = study.pay_amount
    return {
        "slug": study.slug,
        "title": study.title,
        "language": study.language,
        "time_zone": study.time_zone,
        "summary": study.summary,
        "contact": study.contact,
        "ethics": {"body": study.ethics_body, "protocol": study.ethics_protocol},
        "pay": {
            "amount": None if amount is None else str(amount),
            "currency": study.pay_currency,
            "minutes": study.pay_minutes,
        },
        "consent": study.consent_text,
        "withdrawal": str(study.withdrawal_policy),
        "recruitment": {
            "open": study.allows_open_link,
            "prolific": study.allows_prolific,
            "places": study.places,
            "session_minutes": study.session_minutes,
        },
        "codes": study.codes,
        "debrief": study.debrief_text,
    }


def _blocks(study: Study) -> dict[str, Any]:
    judging = AnnotateSettings.objects.filter(study=study).first() or AnnotateSettings(study=study)
    votes = VoteSettings.objects.filter(study=study).first() or VoteSettings(study=study)
    return {
        "blocks": study.blocks,
        "form": [
            {
                "code": item.code,
                "kind": str(item.kind),
                "label": item.label,
                "hint": item.hint,
                "options": [{"screens_out": False, **option} for option in item.options],
                "minimum": item.minimum,
                "maximum": item.maximum,
            }
            for item in study.form_items.order_by("position", "code")
        ],
        "annotate": {"campaign": judging.campaign, "items": judging.items},
        "assignment": {
            "questions_each": study.questions_each,
            "policy": str(study.assignment_policy),
            "slot_minutes": study.slot_minutes,
        },
        "write": {
            "minimum": study.write_minimum,
            "maximum": study.write_maximum,
            "stance": study.stance_options,
            "importance": {"low": study.importance_low, "high": study.importance_high},
        },
        "rate": {"instructions": study.rate_instructions, "low": study.rate_low, "high": study.rate_high},
        "vote": {
            "minimum": votes.minimum,
            "policy": str(votes.policy),
            "mix": votes.mix,
            "moderation": str(votes.moderation),
        },
    }
