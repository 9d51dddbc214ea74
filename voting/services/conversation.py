"""Pol.is exports as statements and votes of a question: checked as a whole, then written at once, or not at all.

The export is a log: every re-vote is a row. Kept is each change of mind, with the earlier votes superseded; a row that
repeats the vote before it changes nothing and is counted. What `comments.csv` says about agrees and disagrees is not
read, since it counts re-votes twice. People go by `<question>:<voter-id>`, since Pol.is numbers them anew in each
conversation, and statements by `polis-<comment-id>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from core.errors import BadInput, Problems, bad_file
from core.tables import InputColumn, Row, TableSpec, stream_table
from studies.models import Enrolment, Question
from voting.models import Statement, Vote
from voting.services.tallies import recount

BATCH = 5_000
MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138
Source = Path | bytes

COMMENTS = TableSpec(
    columns=(
        InputColumn("timestamp", "integer", minimum=0),
        InputColumn("comment-id", "text", maximum_length=40),
        InputColumn("author-id", "text", nullable=True, optional=True, maximum_length=40),
        InputColumn("moderated", "integer", values=(-1, 0, 1)),
        InputColumn("is-meta", "boolean", nullable=True, optional=True),
        InputColumn("is-seed", "boolean", nullable=True, optional=True),
        InputColumn("comment-body", "text"),
    ),
    unique=(("comment-id",),),
    ignore_others=True,
)
VOTES = TableSpec(
    columns=(
        InputColumn("timestamp", "integer", minimum=0),
        InputColumn("comment-id", "text"),
        InputColumn("voter-id", "text", maximum_length=40),
        InputColumn("vote", "integer", values=(-1, 0, 1)),
    ),
    ignore_others=True,
)


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """What an import did, or would do if it was a dry run."""

    n_statements: int
    n_statements_new: int
    n_rejected: int
    n_participants: int
    n_participants_new: int
    n_vote_rows: int
    n_votes_current: int
    n_votes_new: int
    n_changes_of_mind: int
    n_repeated: int
    is_dry_run: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return asdict(self)


@dataclass(slots=True)
class _Conversation:
    """The two files, read and checked."""

    comments: dict[str, Row]
    votes: dict[tuple[str, str], list[tuple[datetime, int]]]
    n_rows: int
    n_repeated: int
    voters: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)


def import_conversation(
    *,
    question: Question,
    statements: Source,
    votes: Source,
    statements_name: str = "comments.csv",
    votes_name: str = "votes.csv",
    by: Any,
    now: datetime,
    dry_run: bool = False,
) -> ImportedConversation:
    """Take a Pol.is export (`comments.csv` and `votes.csv`) in as statements and votes of `question`.

    The same files again change nothing; longer ones of the same conversation add what is new.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    """
    conversation = _read(statements, votes, statements_name, votes_name)
    with transaction.atomic():
        # Two imports into one question wait for each other here.
        Question.objects.select_for_update(no_key=True).get(pk=question.pk)
        done = _write(question, conversation, votes_name, statements_name, dry_run)
        audit.record(
            "question.conversation_imported",
            subject_kind="question",
            subject_id=question.public_id,
            study_id=question.study.public_id,
            by=by,
            now=now,
            **{key: value for key, value in done.to_dict().items() if key != "is_dry_run"},
        )
        transaction.set_rollback(dry_run)
    return done


def _read(statements: Source, votes: Source, statements_name: str, votes_name: str) -> _Conversation:
    problems = Problems()
    comments = {
        row["comment-id"]: row for row in stream_table(statements, statements_name, COMMENTS, problems=problems)
    }
    rows: list[tuple[datetime, int, Row]] = []
    for number, row in enumerate(stream_table(votes, votes_name, VOTES, problems=problems)):
        if row["comment-id"] not in comments:
            message = _("There is no such comment in %(file)s.") % {"file": statements_name}
            problems.add(row.problem("comment-id", message, _("Take both files from the same export.")))
            continue
        rows.append((moment(row["timestamp"]), number, row))
    problems.raise_if_any()
    if not comments:
        raise bad_file(statements_name, _("The table has no rows."), _("Take the whole export."))
    # The export is not in order of time; within the same millisecond the order of rows decides.
    rows.sort(key=lambda entry: entry[:2])
    return _in_order(comments, rows)


def _in_order(comments: dict[str, Row], rows: list[tuple[datetime, int, Row]]) -> _Conversation:
    found = _Conversation(comments, {}, len(rows), 0)
    for at, _number, row in rows:
        history = found.votes.setdefault((row["voter-id"], row["comment-id"]), [])
        first, _last = found.voters.get(row["voter-id"], (at, at))
        found.voters[row["voter-id"]] = (first, at)
        if history and history[-1][1] == row["vote"]:
            found.n_repeated += 1
            continue
        history.append((at, row["vote"]))
    for comment in comments.values():
        if (author := comment["author-id"]) is not None:
            at = moment(comment["timestamp"])
            found.voters.setdefault(author, (at, at))
    return found


def moment(timestamp: int) -> datetime:
    """The time of a Pol.is timestamp, which one of its two exports writes in seconds, the other in milliseconds."""
    return datetime.fromtimestamp(timestamp / 1000 if timestamp >= MILLISECONDS_FROM else timestamp, tz=UTC)


def _write(
    question: Question, conversation: _Conversation, votes_name: str, statements_name: str, dry_run: bool
) -> ImportedConversation:
    people, n_people_new = _people(question, conversation)
    rows, n_rows_new = _statements(question, conversation, people, statements_name)
    n_votes_new = _votes(conversation, people, rows, votes_name)
    recount(row.pk for row in rows.values())
    return ImportedConversation(
        n_statements=len(rows),
        n_statements_new=n_rows_new,
        n_rejected=sum(row.status == Statement.Status.REJECTED for row in rows.values()),
        n_participants=len(people),
        n_participants_new=n_people_new,
        n_vote_rows=conversation.n_rows,
        n_votes_current=len(conversation.votes),
        n_votes_new=n_votes_new,
        n_changes_of_mind=sum(len(history) - 1 for history in conversation.votes.values()),
        n_repeated=conversation.n_repeated,
        is_dry_run=dry_run,
    )


def _people(question: Question, conversation: _Conversation) -> tuple[dict[str, int], int]:
    codes = {voter: f"{question.code}:{voter}" for voter in conversation.voters}
    known = _primary_keys(question, codes.values())
    new = [
        Enrolment(
            study_id=question.study_id,
            public_code=codes[voter],
            origin=Enrolment.Origin.IMPORTED,
            status=Enrolment.Status.COMPLETE,
            recruiter="polis",
            started_at=first,
            finished_at=last,
            last_seen_at=last,
            import_batch=f"polis:{question.code}",
        )
        for voter, (first, last) in conversation.voters.items()
        if codes[voter] not in known
    ]
    Enrolment.objects.bulk_create(new, batch_size=BATCH)
    known = _primary_keys(question, codes.values())
    return {voter: known[code] for voter, code in codes.items()}, len(new)


def _primary_keys(question: Question, codes: Iterable[str]) -> dict[str, int]:
    wanted = set(codes)
    rows = Enrolment.objects.filter(study_id=question.study_id, origin=Enrolment.Origin.IMPORTED)
    return {code: key for code, key in rows.values_list("public_code", "pk").iterator(BATCH) if code in wanted}


def _statements(
    question: Question, conversation: _Conversation, people: dict[str, int], file: str
) -> tuple[dict[str, Statement], int]:
    codes = {f"polis-{comment}": comment for comment in conversation.comments}
    known = {row.code: row for row in Statement.objects.filter(question=question, code__startswith="polis-")}
    problems = Problems()
    new = []
    for code, comment in codes.items():
        row = conversation.comments[comment]
        if code not in known:
            new.append(_statement(question, code, row, people))
        elif known[code].text != row["comment-body"] and known[code].status != Statement.Status.WITHDRAWN:
            message = _("This comment was imported with another text before.")
            problems.add(row.problem("comment-body", message, _("Import another conversation into another question.")))
    problems.raise_if_any()
    Statement.objects.bulk_create(new, batch_size=BATCH)
    rows = Statement.objects.filter(question=question, code__startswith="polis-")
    return {codes[row.code]: row for row in rows if row.code in codes}, len(new)


def _statement(question: Question, code: str, row: Row, people: dict[str, int]) -> Statement:
    # Pol.is keeps rejected comments and statements about the person ("meta") out of its analysis; so do we.
    rejected = row["moderated"] == -1 or bool(row["is-meta"])
    return Statement(
        question=question,
        code=code,
        origin=Statement.Origin.IMPORT,
        status=Statement.Status.REJECTED if rejected else Statement.Status.APPROVED,
        author_id=None if row["author-id"] is None or row["is-seed"] else people[row["author-id"]],
        text=row["comment-body"],
        created_at=moment(row["timestamp"]),
    )


def _votes(conversation: _Conversation, people: dict[str, int], rows: dict[str, Statement], file: str) -> int:
    stored: dict[tuple[int, int], list[tuple[datetime, int]]] = {}
    known = Vote.objects.filter(statement__in=[row.pk for row in rows.values()]).order_by("pk")
    for enrolment, statement, at, value in known.values_list(
        "enrolment_id", "statement_id", "cast_at", "value"
    ).iterator(BATCH):
        stored.setdefault((enrolment, statement), []).append((at, value))
    new: list[Vote] = []
    superseding: list[tuple[int, int, datetime]] = []
    for (voter, comment), history in conversation.votes.items():
        key = (people[voter], rows[comment].pk)
        before = stored.get(key, [])
        if history[: len(before)] != before:
            raise _contradiction(file, voter, comment)
        if before and len(history) > len(before):
            superseding.append((*key, history[len(before)][0]))
        new.extend(_history(key, history, len(before)))
    for enrolment_id, statement_id, at in superseding:
        Vote.objects.current().filter(enrolment_id=enrolment_id, statement_id=statement_id).update(superseded_at=at)
    Vote.objects.bulk_create(new, batch_size=BATCH)
    return len(new)


def _history(key: tuple[int, int], history: list[tuple[datetime, int]], n_stored: int) -> Iterable[Vote]:
    ends = [at for at, _value in history[1:]] + [None]
    for (at, value), end in list(zip(history, ends, strict=True))[n_stored:]:
        yield Vote(enrolment_id=key[0], statement_id=key[1], value=value, cast_at=at, superseded_at=end)


def _contradiction(file: str, voter: str, comment: str) -> BadInput:
    message = _("The votes of voter %(voter)s on comment %(comment)s are not those imported before.")
    return bad_file(
        file, message % {"voter": voter, "comment": comment}, _("Import another conversation into another question.")
    )


def vote_counts(question: Question) -> Counter[int]:
    """How many current votes of each value the imported statements of `question` have: for reports and checks."""
    values = Vote.objects.current().filter(statement__question=question, statement__origin=Statement.Origin.IMPORT)
    return Counter(values.values_list("value", flat=True))
