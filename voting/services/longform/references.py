"""What the rows of a study's import may refer to, read once: questions, answers, stances, people and statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.errors import nearest, shown
from core.tables import Row
from studies.models import Enrolment, ModelAnswer, Question, Study, Tombstone
from voting.models import Statement

StatementKey = tuple[int, str]
"""A statement's question and code."""


class Refused(Exception):
    """A row cannot be taken in, because of the cell in `column`; the message and the remedy are for the person."""

    def __init__(self, column: str, message: str, remedy: str = "", *, row: Row | None = None) -> None:
        super().__init__(message)
        self.column, self.message, self.remedy, self.row = column, message, remedy, row


class OtherRevision(Refused):
    """A row is about a revision of a question or answer that the study does not have."""


def stays() -> str:
    """What to do about a row that contradicts what is stored."""
    return _("What is stored stays. Import other data into another study.")


@dataclass(frozen=True, slots=True)
class Person:
    """An enrolment as an import sees it; `is_erased` if the person has withdrawn here."""

    is_erased: bool
    pk: int
    origin: str
    status: str
    recruiter: str
    language: str
    started_at: datetime
    consented_at: datetime | None
    finished_at: datetime | None
    last_seen_at: datetime
    import_batch: str

    @property
    def is_imported(self) -> bool:
        """Whether an import brought the person in, so that imports may add to what they gave."""
        return bool(self.import_batch)


@dataclass(frozen=True, slots=True)
class References:
    """The study's present content, by the codes of rows."""

    questions: dict[str, dict[int, int]]
    current: dict[str, int]
    answers: dict[tuple[int, str], dict[int, int]]
    current_answers: dict[tuple[int, str], int]
    sources: frozenset[str]
    stances: frozenset[str]
    people: dict[str, Person]
    statements: frozenset[StatementKey]

    def question(self, row: Row) -> int:
        """The primary key of the question that `row` is about: the named revision, or the current one."""
        code, revision = row["question"], row["question_revision"]
        if code not in self.questions:
            raise Refused("question", _("The study has no such question."), nearest(code, self.questions))
        if revision is None:
            if code not in self.current:
                raise Refused("question", _("The question is no longer asked."), _("Name its revision."))
            return self.current[code]
        return _revision_of(self.questions[code], revision, "question_revision")

    def answer(self, row: Row, question: int) -> int:
        """The primary key of the answer that `row` rates: the named revision, or the current one."""
        source, revision = row["source"], row["answer_revision"]
        if source not in self.sources:
            raise Refused("source", _("The study has no such source."), nearest(source, sorted(self.sources)))
        if (question, source) not in self.answers:
            raise Refused("source", _("This source has no answer to the question."), _("Import the answer first."))
        if revision is None:
            if (question, source) not in self.current_answers:
                raise Refused("source", _("The answer of this source is no longer shown."), _("Name its revision."))
            return self.current_answers[question, source]
        return _revision_of(self.answers[question, source], revision, "answer_revision")

    def check_stance(self, row: Row) -> None:
        """Refuse a stance that the study does not know, if it knows any."""
        stance = row["stance"]
        if stance and self.stances and stance not in self.stances:
            message = _("The study has no stance %(stance)s.") % {"stance": shown(stance)}
            raise Refused("stance", message, nearest(stance, sorted(self.stances)))


def _revision_of(known: dict[int, int], revision: int, column: str) -> int:
    if revision not in known:
        numbers = ", ".join(map(str, sorted(known)))
        message = _("The study has no revision %(n)d of it, only %(known)s.") % {"n": revision, "known": numbers}
        remedy = _("Leave the row out, or have all such rows left out by --skip-other-revisions.")
        raise OtherRevision(column, message, remedy)
    return known[revision]


def references_of(study: Study) -> References:
    """Read what an import may refer to, in a fixed number of queries."""
    columns = ("revision", "pk", "is_current")
    asked = Question.objects.filter(study=study).values_list("code", *columns)
    given = ModelAnswer.objects.filter(question__study=study).values_list("question_id", "source__code", *columns)
    questions, current = _by_revision((code, rest) for code, *rest in asked)
    answers, current_answers = _by_revision(((question, source), rest) for question, source, *rest in given)
    statements = Statement.objects.filter(question__study=study, is_preview=False).order_by()
    return References(
        questions=questions,
        current=current,
        answers=answers,
        current_answers=current_answers,
        sources=frozenset(study.sources.values_list("code", flat=True)),
        stances=_stances(study),
        people=people_of(study),
        statements=frozenset(statements.values_list("question_id", "code")),
    )


def _by_revision(rows: Iterable[tuple[Any, list[Any]]]) -> tuple[dict[Any, dict[int, int]], dict[Any, int]]:
    """Primary keys by key and revision, and those of the current revisions by key."""
    every: dict[Any, dict[int, int]] = {}
    current: dict[Any, int] = {}
    for key, (revision, pk, is_current) in rows:
        every.setdefault(key, {})[revision] = pk
        if is_current:
            current[key] = pk
    return every, current


def people_of(study: Study) -> dict[str, Person]:
    """Everybody in the study by public code, previews too, whose codes are taken."""
    erased = set(Tombstone.objects.filter(study=study).values_list("enrolment_public_id", flat=True))
    rows = Enrolment.objects.filter(study=study).order_by()
    columns = (
        "public_code",
        "public_id",
        "pk",
        "origin",
        "status",
        "recruiter",
        "language",
        "started_at",
        "consented_at",
        "finished_at",
        "last_seen_at",
        "import_batch",
    )
    found: Iterable[Any] = rows.values_list(*columns).iterator(chunk_size=5_000)
    return {code: Person(public_id in erased, *rest) for code, public_id, *rest in found}


def _stances(study: Study) -> frozenset[str]:
    """The stances of the draft and of every published version."""
    lists: list[Iterable[Any]] = [study.stance_options]
    definitions = study.versions.filter(is_preview=False).values_list("definition", flat=True)
    lists += [definition.get("write", {}).get("stance", []) for definition in definitions]
    return frozenset(option["value"] for options in lists for option in options)
