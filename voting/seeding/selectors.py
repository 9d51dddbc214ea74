"""What the page of generated seeds shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from core.models import Run
from studies.access import readable_studies
from studies.models import FreeResponse, Question, Study
from voting.seeding.models import SeedDraft
from voting.seeding.settings import SEEDING


@dataclass(frozen=True, slots=True)
class QuestionDrafts:
    """A question with its generated seeds, those to be decided on first."""

    question: Question
    drafts: tuple[SeedDraft, ...]

    @property
    def n_waiting(self) -> int:
        """How many nobody has decided on."""
        return sum(draft.status == SeedDraft.Status.WAITING for draft in self.drafts)


def drafts_by_question(study: Study) -> list[QuestionDrafts]:
    """The generated seeds of the study's current questions."""
    rows = SeedDraft.objects.filter(question__study=study, question__is_current=True).select_related(
        "question", "statement", "decided_by"
    )
    by_question: dict[int, list[SeedDraft]] = {}
    questions: dict[int, Question] = {}
    for row in rows:
        questions[row.question_id] = row.question
        by_question.setdefault(row.question_id, []).append(row)
    ordered = sorted(questions.values(), key=lambda question: (question.position, question.code))
    return [
        QuestionDrafts(question, tuple(sorted(by_question[question.pk], key=_first_what_waits))) for question in ordered
    ]


def _first_what_waits(draft: SeedDraft) -> tuple[bool, int, int]:
    return draft.status != SeedDraft.Status.WAITING, draft.run_id, draft.position


def draft_of(study: Study, public_id: UUID | str) -> SeedDraft | None:
    """A generated seed of this study and no other."""
    return SeedDraft.objects.filter(question__study=study, public_id=public_id).select_related("question").first()


def unfinished_run(study: Study) -> Run | None:
    """The generation that is under way."""
    return Run.objects.of(SEEDING, study.public_id).unfinished().first()


def last_run(study: Study) -> Run | None:
    """The latest generation, whatever became of it."""
    return Run.objects.of(SEEDING, study.public_id).first()


def pilot_studies(user: Any) -> QuerySet[Study]:
    """Studies whose free responses `user` may read, and that have some."""
    written = FreeResponse.objects.filter(enrolment__study=OuterRef("pk"))
    return readable_studies(user).filter(Exists(written)).order_by("title", "slug")


def provenance(draft: SeedDraft) -> Mapping[str, Any]:
    """Where a generated seed comes from, JSON-ready: what the command prints of it."""
    return {
        "id": str(draft.public_id),
        "question": draft.question.code,
        "position": draft.position,
        "status": draft.status,
        "text": draft.text,
        "refusal": draft.refusal,
        "approved_text": draft.approved_text,
        "example": draft.example,
        "example_question": draft.example_question,
        "endpoint": draft.endpoint,
        "model": draft.model,
        "prompt_version": draft.prompt_version,
        "prompt_sha256": draft.prompt_sha256,
        "run": str(draft.run.public_id),
    }
