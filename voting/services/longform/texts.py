"""Imported statements and free responses: made, or compared with those that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Problems
from core.tables import Row
from core.text import count_characters
from studies.models import FreeResponse, Study
from voting.models import Statement
from voting.services.longform.people import BATCH, People
from voting.services.longform.reading import AnswerKey, Collected, statement_code
from voting.services.longform.references import StatementKey, stays

Status = Statement.Status


@dataclass(frozen=True, slots=True)
class Stored:
    """A statement that is there."""

    pk: int
    text: str
    status: str
    origin: str
    author: str | None

    @property
    def is_drafted_seed(self) -> bool:
        """Whether it is a seed that waits for the study's publication."""
        return self.origin == Statement.Origin.SEED and self.status == Status.PENDING


def stored_statements(study: Study) -> dict[StatementKey, Stored]:
    """The study's statements, those of previews aside."""
    rows = Statement.objects.filter(question__study=study, is_preview=False).order_by()
    columns = ("question_id", "code", "pk", "text", "status", "origin", "author__public_code")
    return {
        (question, code): Stored(*rest)
        for question, code, *rest in rows.values_list(*columns).iterator(chunk_size=BATCH)
    }


def write_statements(
    *, study: Study, collected: Collected, people: People, problems: Problems, now: datetime
) -> tuple[dict[StatementKey, Stored], int]:
    """Make the statements that are new; return all of the study, and how many are new.

    A seed of the draft that the file has let in is let in, since people have voted on it.
    """
    known = stored_statements(study)
    new, let_in = [], []
    for key, row in collected.statements.items():
        stored = known.get(key)
        if stored is not None:
            _compare_statement(row, stored, problems)
            if stored.is_drafted_seed and (row["status"] or Status.APPROVED) == Status.APPROVED:
                let_in.append((stored.pk, row["approved_at"] or row["created_at"] or now))
        elif may_add(row, row["author"], "author", people, problems):
            new.append(_statement(key, row, people, now))
    Statement.objects.bulk_create(sorted(new, key=lambda each: each.created_at), batch_size=BATCH)
    for pk, at in let_in:
        Statement.objects.filter(pk=pk, status=Status.PENDING).update(status=Status.APPROVED, approved_at=at)
    return stored_statements(study), len(new)


def may_add(row: Row, code: str | None, column: str, people: People, problems: Problems) -> bool:
    """Whether something new may be stored of the person `code`; if not, say so."""
    if code is None or people.may_add_to(code):
        return True
    message = _("This person took part here, and an import adds nothing to what people gave here.")
    problems.add(row.problem(column, message, _("Use other codes for people from elsewhere.")))
    return False


def _statement(key: StatementKey, row: Row, people: People, now: datetime) -> Statement:
    created_at = row["created_at"] or now
    status = row["status"] or Status.APPROVED
    is_gone = status in {Status.REJECTED, Status.WITHDRAWN}
    return Statement(
        question_id=key[0],
        code=statement_code(row),
        origin=Statement.Origin.IMPORT,
        status=status,
        author_id=None if row["author"] is None else people.pk(row["author"]),
        text=row["text"],
        created_at=created_at,
        approved_at=row["approved_at"],
        removed_at=row["removed_at"] if is_gone else None,
    )


def _compare_statement(row: Row, stored: Stored, problems: Problems) -> None:
    if stored.status == Status.WITHDRAWN:
        return  # its text is gone for good, whatever the file says
    if row["text"] != stored.text:
        problems.add(row.problem("text", _("The study has another text under this code."), stays()))
    if row["author"] is not None and row["author"] != stored.author:
        problems.add(row.problem("author", _("The study has another author of this statement, or none."), stays()))


def write_responses(*, study: Study, collected: Collected, people: People, problems: Problems, now: datetime) -> int:
    """Store the free responses that are new; return how many."""
    columns = ("enrolment__public_code", "question_id", "text", "stance", "importance", "written_at")
    rows = FreeResponse.objects.filter(question__study=study).order_by()
    known: dict[AnswerKey, Mapping[str, Any]] = {
        (row["enrolment__public_code"], row["question_id"]): row for row in rows.values(*columns).iterator(BATCH)
    }
    new = []
    for (code, question), row in collected.responses.items():
        stored = known.get((code, question))
        if stored is not None:
            _compare_response(row, stored, problems)
        elif may_add(row, code, "participant", people, problems):
            new.append(_response(people.pk(code), question, row, now))
    FreeResponse.objects.bulk_create(sorted(new, key=lambda each: each.written_at), batch_size=BATCH)
    return len(new)


def _response(enrolment: int, question: int, row: Row, now: datetime) -> FreeResponse:
    return FreeResponse(
        enrolment_id=enrolment,
        question_id=question,
        text=row["text"],
        n_characters=count_characters(row["text"]),
        stance=row["stance"] or "",
        importance=row["importance"],
        written_at=row["written_at"] or now,
    )


def _compare_response(row: Row, stored: Mapping[str, Any], problems: Problems) -> None:
    for name in ("text", "stance", "importance", "written_at"):
        if row[name] is not None and row[name] != stored[name]:
            message = _("The study has another response of this person to the question.")
            problems.add(row.problem(name, message, stays()))
            return
