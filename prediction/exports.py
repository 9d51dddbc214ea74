"""Predictions as they leave the platform, keyed by the codes of the other tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from prediction.models import Candidate, CandidateAnswer, JudgeReply, Prediction, PredictionBatch
from studies.models import Study

CHUNK = 5_000
Rows = Iterator[tuple[Any, ...]]
METHODS = dict(PredictionBatch.Method.choices)
OUTCOMES = dict(Prediction.Outcome.choices)
IDENTITY_PERMISSION = "studies.export_externalidentity"

_BATCH = Column("batch", Kind.UUID, _("The batch of predictions that the row belongs to."), nullable=False)
_PARTICIPANT = Column("participant", Kind.TEXT, _("Public code of the participant."), nullable=False)
_QUESTION = Column("question", Kind.TEXT, _("Code of the question."), nullable=False)
_SOURCE = Column("source", Kind.TEXT, _("Code of the source, or of the candidate."), nullable=False)
_REPEAT = Column("repeat", Kind.INTEGER, _("Number of the repeat, from 1."), nullable=False)
_PREDICTED_AT = Column("predicted_at", Kind.DATETIME, _("When it was predicted."), nullable=False)


def tables() -> tuple[Table, ...]:
    """The tables that prediction declares; `rows` of each takes the study."""
    return (BATCHES, PREDICTIONS, REPLIES, CANDIDATES, CANDIDATE_ANSWERS)


def batch_rows(study: Study) -> Rows:
    """Every way of predicting."""
    rows = PredictionBatch.objects.filter(study=study).order_by("pk")
    yield from rows.values_list(
        "public_id", "method", "name", "parameters", "predicted_by_name", "created_at"
    ).iterator(chunk_size=CHUNK)


def prediction_rows(study: Study) -> Rows:
    """Every prediction, superseded ones included."""
    rows = Prediction.objects.filter(batch__study=study).order_by("pk")
    yield from rows.values_list(
        "batch__public_id",
        "enrolment__public_code",
        Coalesce("answer__question__code", "candidate_answer__question__code"),
        Coalesce("answer__source__code", "candidate_answer__candidate__code"),
        "answer__revision",
        Q(candidate_answer__isnull=False),
        "repeat",
        "outcome",
        "value",
        "reason",
        "prompt_sha256",
        "predicted_at",
        "superseded_at",
    ).iterator(chunk_size=CHUNK)


def reply_rows(study: Study) -> Rows:
    """What judges said, word for word."""
    rows = JudgeReply.objects.filter(prediction__batch__study=study).order_by("pk")
    yield from rows.values_list(
        "prediction__batch__public_id",
        "prediction__enrolment__public_code",
        Coalesce("prediction__answer__question__code", "prediction__candidate_answer__question__code"),
        Coalesce("prediction__answer__source__code", "prediction__candidate_answer__candidate__code"),
        "prediction__repeat",
        F("prediction__predicted_at"),
        "text",
        "raw",
        "refusal",
        "model",
        "finish_reason",
        "prompt_tokens",
        "completion_tokens",
        "attempts",
    ).iterator(chunk_size=CHUNK)


def candidate_rows(study: Study) -> Rows:
    """Models that were added for prediction."""
    rows = Candidate.objects.filter(study=study).order_by("code")
    yield from rows.values_list("code", "name", "settings", "added_at")


def candidate_answer_rows(study: Study) -> Rows:
    """Their answers."""
    rows = CandidateAnswer.objects.filter(candidate__study=study).order_by("pk")
    yield from rows.values_list("candidate__code", "question__code", "question__revision", "text", "added_at").iterator(
        chunk_size=CHUNK
    )


BATCHES = Table(
    name="prediction_batches",
    description=_("Ways of predicting ratings: files, hands, judges with their prompts, baselines."),
    columns=(
        _BATCH,
        Column("method", Kind.TEXT, _("How it predicts."), values=METHODS, nullable=False),
        Column("name", Kind.TEXT, _("Its name in reports."), nullable=False),
        Column("parameters", Kind.JSON, _("Everything that decides what it predicts."), nullable=False),
        Column(
            "predicted_by",
            Kind.TEXT,
            _("Account of the person who predicted by hand; empty otherwise."),
            personal=True,
            nullable=False,
        ),
        Column("created_at", Kind.DATETIME, _("When it was begun."), nullable=False),
    ),
    rows=batch_rows,
    personal_permission=IDENTITY_PERMISSION,
)

PREDICTIONS = Table(
    name="predictions",
    description=_("Predicted ratings. Nobody gave these: measured ones are in the table of ratings."),
    columns=(
        _BATCH,
        _PARTICIPANT,
        _QUESTION,
        _SOURCE,
        Column("answer_revision", Kind.INTEGER, _("Revision of the source's answer; missing for a candidate.")),
        Column(
            "is_candidate", Kind.BOOLEAN, _("Whether the answer is a candidate's, whom nobody rated."), nullable=False
        ),
        _REPEAT,
        Column("outcome", Kind.TEXT, _("What came of it."), values=OUTCOMES, nullable=False),
        Column("rating", Kind.NUMBER, _("Predicted rating, 1 to 5; missing without one.")),
        Column("reason", Kind.TEXT, _("Why there is no rating; empty if there is one."), nullable=False),
        Column("prompt_sha256", Kind.TEXT, _("Hash of what a judge was asked; empty for others."), nullable=False),
        _PREDICTED_AT,
        Column("superseded_at", Kind.DATETIME, _("When another prediction took its place; missing if it counts.")),
    ),
    rows=prediction_rows,
)

REPLIES = Table(
    name="prediction_replies",
    description=_("Replies of judges, word for word, as they were received."),
    columns=(
        _BATCH,
        _PARTICIPANT,
        _QUESTION,
        _SOURCE,
        _REPEAT,
        _PREDICTED_AT,
        Column("text", Kind.TEXT, _("The reply."), nullable=False),
        Column("raw", Kind.TEXT, _("The body of the reply as received."), nullable=False),
        Column(
            "refusal", Kind.TEXT, _("What the model or its filter said in refusing; empty otherwise."), nullable=False
        ),
        Column("model", Kind.TEXT, _("Which model the server says answered."), nullable=False),
        Column("finish_reason", Kind.TEXT, _("Why the reply ended."), nullable=False),
        Column("prompt_tokens", Kind.INTEGER, _("Tokens of the prompt, if the server counted."), unit="tokens"),
        Column("completion_tokens", Kind.INTEGER, _("Tokens of the reply, if the server counted."), unit="tokens"),
        Column("attempts", Kind.INTEGER, _("How often it was sent until the reply came."), nullable=False),
    ),
    rows=reply_rows,
)

CANDIDATES = Table(
    name="candidates",
    description=_("Models that were added to the closed study for prediction alone."),
    columns=(
        Column("source", Kind.TEXT, _("Code of the candidate."), nullable=False),
        Column("name", Kind.TEXT, _("Its name."), nullable=False),
        Column("settings", Kind.JSON, _("Generation settings."), nullable=False),
        Column("added_at", Kind.DATETIME, _("When it was added."), nullable=False),
    ),
    rows=candidate_rows,
)

CANDIDATE_ANSWERS = Table(
    name="candidate_answers",
    description=_("Answers of candidates, which no participant has seen."),
    columns=(
        Column("source", Kind.TEXT, _("Code of the candidate."), nullable=False),
        _QUESTION,
        Column("question_revision", Kind.INTEGER, _("Revision of the question."), nullable=False),
        Column("text", Kind.TEXT, _("The answer."), nullable=False),
        Column("added_at", Kind.DATETIME, _("When it was added."), nullable=False),
    ),
    rows=candidate_answer_rows,
)
