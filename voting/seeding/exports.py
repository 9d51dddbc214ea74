"""The table of generated seeds as it leaves the platform: where each text comes from, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from studies.models import Study
from voting.seeding.models import SeedDraft


def seed_rows(study: Study) -> Iterator[tuple[Any, ...]]:
    """All generated texts of the study, by question and draw."""
    return (
        SeedDraft.objects.filter(question__study=study)
        .order_by("question_id", "run_id", "position", "pk")
        .values_list(
            "question__code",
            "question__revision",
            "position",
            "status",
            "statement__code",
            "text",
            "approved_text",
            "refusal",
            "raw",
            "model",
            "endpoint",
            "prompt_version",
            "prompt_sha256",
            "example",
            "example_question",
            "run__public_id",
            "run__seed",
            "created_at",
            "decided_at",
        )
        .iterator(chunk_size=1000)
    )


GENERATED_SEEDS = Table(
    name="generated_seeds",
    description=_("Texts that a model wrote as seeds, each with its provenance, and whether a person let it in."),
    columns=(
        Column("question", Kind.TEXT, _("Code of the question."), nullable=False),
        Column("question_revision", Kind.INTEGER, _("Revision of the question."), nullable=False),
        Column("position", Kind.INTEGER, _("Place in the draw of examples, from 1."), nullable=False),
        Column("status", Kind.TEXT, _("What a person decided."), values=dict(SeedDraft.Status.choices), nullable=False),
        Column("statement", Kind.TEXT, _("Code of the seed that came of it; missing if none did or it was removed.")),
        Column("text", Kind.TEXT, _("What the model wrote, without white space around it."), nullable=False),
        Column("approved_text", Kind.TEXT, _("What the person let in; empty if nothing."), nullable=False),
        Column("refusal", Kind.TEXT, _("Why the model declined; empty if it did not."), nullable=False),
        Column("raw", Kind.TEXT, _("The reply as it was received."), nullable=False),
        Column("model", Kind.TEXT, _("The model as its server named it."), nullable=False),
        Column("endpoint", Kind.TEXT, _("The endpoint that was asked."), nullable=False),
        Column("prompt_version", Kind.TEXT, _("Version of the words around the example."), nullable=False),
        Column("prompt_sha256", Kind.TEXT, _("SHA-256 of messages and parameters."), nullable=False),
        Column(
            "example", Kind.TEXT, _("Public code of the pilot's participant who wrote the example."), nullable=False
        ),
        Column("example_question", Kind.TEXT, _("Code of the pilot's question that it answers."), nullable=False),
        Column("run", Kind.UUID, _("The run that asked."), nullable=False),
        Column("seed", Kind.INTEGER, _("Seed of the draw of examples."), nullable=False),
        Column("created_at", Kind.DATETIME, _("When the reply came."), nullable=False),
        Column("decided_at", Kind.DATETIME, _("When a person decided; missing if nobody did.")),
    ),
    rows=seed_rows,
)
