"""Reading the files and checking what can be checked before anything is written; every problem is collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Problems, shown
from core.tables import Row, stream_table
from studies.models import Enrolment
from voting.models import Statement
from voting.services.longform.files import Given
from voting.services.longform.kinds import Content
from voting.services.longform.references import OtherRevision, References, Refused, StatementKey

AnswerKey = tuple[str, int]
"""A participant's code and an answer."""
VoteKey = tuple[str, StatementKey]


@dataclass(slots=True)
class Collected:
    """The rows of all files, by what they are about. Rows about what was erased here since are only counted."""

    participants: dict[str, Row] = field(default_factory=dict)
    statements: dict[StatementKey, Row] = field(default_factory=dict)
    responses: dict[AnswerKey, Row] = field(default_factory=dict)
    ratings: dict[AnswerKey, list[Row]] = field(default_factory=dict)
    votes: dict[VoteKey, list[Row]] = field(default_factory=dict)
    n_rows: Counter[str] = field(default_factory=Counter)
    n_other_revisions: int = 0
    n_erased: int = 0
    erased_statements: set[StatementKey] = field(default_factory=set)

    def people(self) -> dict[str, None]:
        """The codes of everybody who occurs, in the order in which they do."""
        return dict.fromkeys(self.participants) | self.givers()

    def givers(self) -> dict[str, None]:
        """The codes of everybody who wrote, rated or voted."""
        found = dict.fromkeys(row["author"] for row in self.statements.values() if row["author"] is not None)
        for keys in (self.responses, self.ratings, self.votes):
            found |= dict.fromkeys(code for code, _about in keys)
        return found


class Reader:
    """Takes the rows of one file after the other, in the order of `Content`."""

    def __init__(self, references: References, problems: Problems, *, skip_other_revisions: bool) -> None:
        self.references = references
        self.problems = problems
        self.skip_other_revisions = skip_other_revisions
        self.collected = Collected()
        self.is_declared = False
        # What may be missing because its own row was wrong: one problem is enough for it.
        self._incomplete: set[Content] = set()
        self._seen: dict[Hashable, Row] = {}

    def read(self, files: Iterable[Given]) -> Collected:
        """Read all files; what is wrong is in `problems` afterwards."""
        take: dict[Content, Callable[[Row], None]] = {
            Content.PARTICIPANTS: self._participant,
            Content.STATEMENTS: self._statement,
            Content.RESPONSES: self._response,
            Content.RATINGS: self._rating,
            Content.VOTES: self._vote,
        }
        for given in files:
            self.is_declared |= given.content is Content.PARTICIPANTS
            n_problems = len(self.problems)
            for row in self._rows(given):
                self._take(row, given.content, take[given.content])
            if len(self.problems) > n_problems:
                self._incomplete.add(given.content)
        return self.collected

    def _take(self, row: Row, content: Content, take: Callable[[Row], None]) -> None:
        self.collected.n_rows[content] += 1
        try:
            take(row)
        except OtherRevision as refused:
            self._refuse(row, refused, may_skip=True)
        except Refused as refused:
            self._refuse(row, refused)

    def _rows(self, given: Given) -> Iterable[Row]:
        return stream_table(
            given.path,
            given.name,
            given.recognised.spec,
            spreadsheet_safe=given.spreadsheet_safe,
            problems=self.problems,
        )

    def _refuse(self, row: Row, refused: Refused, *, may_skip: bool = False) -> None:
        if may_skip and self.skip_other_revisions:
            self.collected.n_other_revisions += 1
        else:
            self.problems.add(row.problem(refused.column, refused.message, refused.remedy))

    def _participant(self, row: Row) -> None:
        self._only_once(row, ("participant", row["participant"]), "participant", row["participant"])
        known = self.references.people.get(row["participant"])
        if known is not None and known.origin == Enrolment.Origin.PREVIEW:
            raise Refused("participant", _("This code belongs to a preview, which counts for nothing."))
        _check_times(row)
        self.collected.participants[row["participant"]] = row

    def _statement(self, row: Row) -> None:
        code = statement_code(row)
        key = (self.references.question(row), code)
        self._only_once(row, ("statement", *key), statement_column(row), row["question"], code)
        if not row["text"].strip() and row["status"] != Statement.Status.WITHDRAWN:
            raise Refused("text", _("This text is empty."), _("Only withdrawn statements have none."))
        if self._is_erased(row["author"]):
            self.collected.n_erased += 1
            self.collected.erased_statements.add(key)
            return
        if row["author"] is not None:
            self._check_person(row, "author")
        self.collected.statements[key] = row

    def _response(self, row: Row) -> None:
        question = self.references.question(row)
        self._only_once(
            row, ("response", row["participant"], question), "question", row["participant"], row["question"]
        )
        self.references.check_stance(row)
        if self._is_of_somebody(row):
            self.collected.responses[row["participant"], question] = row

    def _rating(self, row: Row) -> None:
        answer = self.references.answer(row, self.references.question(row))
        about = (row["participant"], row["question"], row["source"])
        times = (row["rated_at"], row["superseded_at"])
        self._only_once(row, ("rating", row["participant"], answer, *times), "source", *about)
        if self._is_of_somebody(row):
            self.collected.ratings.setdefault((row["participant"], answer), []).append(row)

    def _vote(self, row: Row) -> None:
        question = self.references.question(row)
        key = (question, row["statement"])
        about = (row["participant"], row["question"], row["statement"])
        times = (row["cast_at"], row["superseded_at"])
        self._only_once(row, ("vote", row["participant"], *key, *times), "statement", *about)
        if key in self.collected.erased_statements:
            self.collected.n_erased += 1
            return
        if key not in self.collected.statements and key not in self.references.statements:
            if Content.STATEMENTS in self._incomplete:
                return
            message = _("There is no such statement, neither in the files nor in the study.")
            raise Refused("statement", message, _("Give the file of statements, too."))
        if self._is_of_somebody(row):
            self.collected.votes.setdefault((row["participant"], key), []).append(row)

    def _is_of_somebody(self, row: Row) -> bool:
        if self._is_erased(row["participant"]):
            self.collected.n_erased += 1
            return False
        self._check_person(row, "participant")
        return True

    def _is_erased(self, code: str | None) -> bool:
        """Whether the person has withdrawn here: what they gave must not come back by an import."""
        known = self.references.people.get(code) if code is not None else None
        return known is not None and known.is_erased

    def _check_person(self, row: Row, column: str) -> None:
        code = row[column]
        known = self.references.people.get(code)
        if known is not None and known.origin == Enrolment.Origin.PREVIEW:
            raise Refused(column, _("This code belongs to a preview, which counts for nothing."))
        is_known = known is not None or code in self.collected.participants
        if self.is_declared and not is_known and Content.PARTICIPANTS not in self._incomplete:
            message = _("There is no such participant, neither in the file of participants nor in the study.")
            raise Refused(column, message, _("Add the person to the file of participants, or leave that file out."))

    def _only_once(self, row: Row, key: Hashable, column: str, *shown_parts: Any) -> None:
        first = self._seen.setdefault(key, row)
        if first is row:
            return
        where = _("line %(line)d") if first.file == row.file else _("line %(line)d of %(file)s")
        message = _("%(value)s is there a second time; the first is on %(where)s.") % {
            "value": ", ".join(shown(part) for part in shown_parts),
            "where": where % {"line": first.line, "file": first.file},
        }
        raise Refused(column, message, _("Keep one of the two; a changed vote or rating needs its own time."))


def statement_column(row: Row) -> str:
    """The name under which the row's file has the codes of statements."""
    return "statement" if "statement" in row.values else "code"


def statement_code(row: Row) -> str:
    """The code of the statement that `row` is, whichever name its column has."""
    return str(row[statement_column(row)])


def _check_times(row: Row) -> None:
    """Refuse a participant whose times contradict their status or each other."""
    finished, started = row["finished_at"], row["started_at"]
    if row["status"] == Enrolment.Status.ACTIVE and finished is not None:
        raise Refused("finished_at", _("A session under way has not finished."), _("Leave the cell empty."))
    if finished is not None and started is not None and finished < started:
        raise Refused("finished_at", _("The session would end before it starts."), _("Exchange the times."))
