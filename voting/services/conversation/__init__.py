"""Pol.is exports as statements and votes of a question: checked as a whole, then written at once, or not at all.

The export is a log: every re-vote is a row. Kept is each change of mind, with the earlier votes superseded; a row that
repeats the vote before it changes nothing and is counted. What `comments.csv` says about agrees and disagrees is not
read, since it counts re-votes twice. People go by `<question>:<voter-id>`, since Pol.is numbers them anew in each
conversation, and statements by `polis-<comment-id>`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction

from core import audit
from core.errors import Problems
from studies.models import Question
from voting.models import Statement, Vote
from voting.services.conversation.reading import Conversation, moment, read
from voting.services.conversation.writing import Written, write
from voting.services.responses import importing

__all__ = ["ImportedConversation", "import_conversation", "moment", "vote_counts"]


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
    n_erased: int
    is_dry_run: bool

    @property
    def is_unchanged(self) -> bool:
        """Whether everything was there already."""
        return not (self.n_statements_new or self.n_participants_new or self.n_votes_new)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return {**asdict(self), "is_unchanged": self.is_unchanged}


def import_conversation(
    *,
    question: Question,
    statements: Path | bytes,
    votes: Path | bytes,
    statements_name: str = "comments.csv",
    votes_name: str = "votes.csv",
    by: AbstractBaseUser | AnonymousUser | None,
    now: datetime,
    dry_run: bool = False,
) -> ImportedConversation:
    """Take a Pol.is export (`comments.csv` and `votes.csv`) in as statements and votes of `question`.

    The same files again change nothing; longer ones of the same conversation add what is new, shorter ones nothing.
    Whoever has withdrawn here since is left out.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    """
    conversation = read(statements, votes, statements_name, votes_name)
    problems = Problems()
    with importing(question.study):
        written = write(question, conversation, problems, now)
        problems.raise_if_any()
        done = _done(conversation, written, is_dry_run=dry_run)
        if not done.is_unchanged:
            _note(question, done, by=by, now=now)
        transaction.set_rollback(dry_run)
    return done


def _done(conversation: Conversation, written: Written, *, is_dry_run: bool) -> ImportedConversation:
    rows = written.statements.values()
    return ImportedConversation(
        n_statements=len(rows),
        n_statements_new=written.n_statements_new,
        n_rejected=sum(row.status == Statement.Status.REJECTED for row in rows),
        n_participants=len(written.people),
        n_participants_new=written.n_people_new,
        n_vote_rows=conversation.n_rows,
        n_votes_current=len(conversation.votes) - written.n_erased,
        n_votes_new=written.n_votes_new,
        n_changes_of_mind=sum(len(entries) - 1 for entries in conversation.votes.values()),
        n_repeated=conversation.n_repeated,
        n_erased=written.n_erased,
        is_dry_run=is_dry_run,
    )


def _note(
    question: Question, done: ImportedConversation, *, by: AbstractBaseUser | AnonymousUser | None, now: datetime
) -> None:
    numbers = {key: value for key, value in asdict(done).items() if key != "is_dry_run"}
    audit.record(
        "question.conversation_imported",
        subject_kind="question",
        subject_id=question.public_id,
        study_id=question.study.public_id,
        by=by,
        now=now,
        **numbers,
    )


def vote_counts(question: Question) -> Counter[int]:
    """How many current votes of each value the imported statements of `question` have: for reports and checks."""
    values = Vote.objects.current().filter(statement__question=question, statement__origin=Statement.Origin.IMPORT)
    return Counter(values.values_list("value", flat=True))
