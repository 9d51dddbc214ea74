"""A conversation beside what is stored of it: people, statements and votes that are new, and contradictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from core.errors import Invalid, Problems
from core.tables import Row
from studies.models import Enrolment, Question
from voting.models import Statement, Vote
from voting.services.conversation.reading import Conversation, moment
from voting.services.longform.kinds import CODE_LENGTH
from voting.services.longform.opinions import add_votes
from voting.services.longform.references import Person, Refused, people_of
from voting.services.longform.timelines import Entry, Merged, Said, merged

BATCH = 5_000
PREFIX = "polis-"


@dataclass(frozen=True, slots=True)
class Written:
    """People by voter id and statements by comment id as they are now, and what is new; `n_erased` votes left out."""

    people: dict[str, Person]
    statements: dict[str, Statement]
    n_people_new: int
    n_statements_new: int
    n_votes_new: int
    n_erased: int


def write(question: Question, conversation: Conversation, problems: Problems, now: datetime) -> Written:
    """Write what is new of `conversation`; contradictions become problems. The caller holds the locks of imports."""
    people, n_people_new = _people(question, conversation)
    erased = {voter for voter, person in people.items() if person.is_erased}
    statements, n_statements_new = _statements(question, conversation.comments, people, problems)
    votes = {
        key: entries for key, entries in conversation.votes.items() if key[0] not in erased and key[1] in statements
    }
    return Written(
        people={voter: person for voter, person in people.items() if voter not in erased},
        statements=statements,
        n_people_new=n_people_new,
        n_statements_new=n_statements_new,
        n_votes_new=_votes(votes, people, statements, problems, now),
        n_erased=len(conversation.votes) - len(votes),
    )


def _people(question: Question, conversation: Conversation) -> tuple[dict[str, Person], int]:
    codes = {voter: f"{question.code}:{voter}" for voter in conversation.people}
    if any(len(code) > CODE_LENGTH for code in codes.values()):
        message = _("The question's code is too long: with the voters' ids it makes codes of over %(n)d characters.")
        raise Invalid(message % {"n": CODE_LENGTH}, code="code_too_long")
    known = people_of(question.study)
    new = [
        _enrolment(question, codes[voter], *times)
        for voter, times in conversation.people.items()
        if codes[voter] not in known
    ]
    if new:
        Enrolment.objects.bulk_create(new, batch_size=BATCH)
        known = people_of(question.study)
    return {voter: known[code] for voter, code in codes.items()}, len(new)


def _enrolment(question: Question, code: str, first: datetime, last: datetime) -> Enrolment:
    return Enrolment(
        study_id=question.study_id,
        public_code=code,
        origin=Enrolment.Origin.IMPORTED,
        status=Enrolment.Status.COMPLETE,
        recruiter="polis",
        language=question.study.language,
        started_at=first,
        finished_at=last,
        last_seen_at=last,
        import_batch=f"polis:{question.code}"[:64],
    )


def _statements(
    question: Question, comments: Mapping[str, Row], people: Mapping[str, Person], problems: Problems
) -> tuple[dict[str, Statement], int]:
    known = _known(question)
    new = []
    for comment, row in comments.items():
        stored, author = known.get(comment), _author(row, people)
        if stored is None:
            if author is None or not author.is_erased:
                new.append(_statement(question, row, author))
        elif stored.text != row["comment-body"] and stored.status != Statement.Status.WITHDRAWN:
            message = _("This comment was imported with another text before.")
            problems.add(row.problem("comment-body", message, _("Import another conversation into another question.")))
    if new:
        Statement.objects.bulk_create(new, batch_size=BATCH)
        known = _known(question)
    return {comment: row for comment, row in known.items() if comment in comments}, len(new)


def _known(question: Question) -> dict[str, Statement]:
    rows = Statement.objects.filter(question=question, code__startswith=PREFIX)
    return {row.code.removeprefix(PREFIX): row for row in rows}


def _author(row: Row, people: Mapping[str, Person]) -> Person | None:
    """Who wrote the comment; nobody if it is a seed, whoever entered it."""
    return None if row["author-id"] is None or row["is-seed"] else people[row["author-id"]]


def _statement(question: Question, row: Row, author: Person | None) -> Statement:
    # Pol.is keeps rejected comments and statements about the person ("meta") out of its analysis; so do we.
    rejected = row["moderated"] == -1 or bool(row["is-meta"])
    return Statement(
        question=question,
        code=f"{PREFIX}{row['comment-id']}",
        origin=Statement.Origin.IMPORT,
        status=Statement.Status.REJECTED if rejected else Statement.Status.APPROVED,
        author_id=None if author is None else author.pk,
        text=row["comment-body"],
        created_at=moment(row["timestamp"]),
    )


def _votes(
    votes: Mapping[tuple[str, str], list[Entry]],
    people: Mapping[str, Person],
    statements: Mapping[str, Statement],
    problems: Problems,
    now: datetime,
) -> int:
    """Write the votes that are new; return how many."""
    stored = _stored(statements)
    added: list[tuple[int, int, Merged]] = []
    for (voter, comment), entries in votes.items():
        pair = (people[voter].pk, statements[comment].pk)
        try:
            additions = merged(entries, stored.get(pair, ()), column="timestamp")
        except Refused as refused:
            row: Row = refused.row or entries[-1].row
            message = _("Another vote of this voter on the comment was imported before.")
            problems.add(row.problem("vote", message, _("Import another conversation into another question.")))
            continue
        if additions.new:
            added.append((*pair, additions))
    return add_votes(added, now=now)


def _stored(statements: Mapping[str, Statement]) -> dict[tuple[int, int], list[Said]]:
    stored: dict[tuple[int, int], list[Said]] = {}
    known = Vote.objects.filter(statement__in=[row.pk for row in statements.values()]).order_by("pk")
    columns = ("enrolment_id", "statement_id", "cast_at", "value")
    for person, statement, at, value in known.values_list(*columns).iterator(BATCH):
        stored.setdefault((person, statement), []).append((at, value))
    return stored
