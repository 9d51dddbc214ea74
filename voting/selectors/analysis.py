"""Votes and tallies for runs, reports and exports."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Min, OuterRef

from studies.models import Enrolment, Question
from voting.models import Statement, Vote, VoteQuerySet

#: Who is taken into an analysis unless it says otherwise.
ANALYSED_ORIGINS = (Enrolment.Origin.LIVE, Enrolment.Origin.IMPORTED, Enrolment.Origin.SIMULATED)
ANALYSED_STATUSES = (Enrolment.Status.COMPLETE,)
#: Where a study's policy keeps the votes on a withdrawn text, they count; those on a rejected statement do not.
ANALYSED_STATEMENTS = (Statement.Status.APPROVED, Statement.Status.WITHDRAWN)


def current_votes(*, question: Question) -> VoteQuerySet:
    """The current votes on the question's statements, in the order in which they were cast."""
    return Vote.objects.current().filter(statement__question=question).order_by("pk")


def vote_history(*, question: Question) -> VoteQuerySet:
    """All votes on the question's statements, superseded ones too, with person and statement."""
    return (
        Vote.objects.filter(statement__question=question)
        .select_related("enrolment", "statement", "exposure")
        .order_by("pk")
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a statement was shown and how it was voted on."""

    code: str
    n_shown: int
    n_agree: int
    n_disagree: int
    n_neutral: int

    @property
    def n_votes(self) -> int:
        """Votes of all kinds; shown and not answered is none of them."""
        return self.n_agree + self.n_disagree + self.n_neutral


def tallies(*, question: Question) -> list[Tally]:
    """The stored tallies of the question's statements, previews' left out, by code."""
    rows = Statement.objects.filter(question=question, is_preview=False).values_list(
        "code", "n_shown", "n_agree", "n_disagree", "n_neutral"
    )
    return sorted((Tally(*row) for row in rows.order_by()), key=lambda tally: tally.code)


@dataclass(frozen=True, slots=True)
class VoteArrays:
    """Current votes of one question as three columns of equal length, in the order cast, and who wrote what."""

    participants: tuple[str, ...]
    statements: tuple[str, ...]
    values: tuple[int, ...]
    authors: dict[str, str]

    def __len__(self) -> int:
        return len(self.values)

    def triples(self) -> Iterable[tuple[str, str, int]]:
        """(public code, statement code, value) of each vote."""
        return zip(self.participants, self.statements, self.values, strict=True)


def vote_arrays(
    *,
    question: Question,
    origins: Collection[str] = ANALYSED_ORIGINS,
    statuses: Collection[str] = ANALYSED_STATUSES,
    statement_statuses: Collection[str] = ANALYSED_STATEMENTS,
    minimum_votes: int = 1,
) -> VoteArrays:
    """The votes that an analysis of `question` takes in.

    Nobody ever sees their own statement, so it has no vote of its author. What was not shown or not answered is not
    there at all.

    Parameters
    ----------
    origins, statuses
        Of the enrolments taken in.
    statement_statuses
        Of the statements taken in. Previews' statements never are.
    minimum_votes
        How many such votes a participant must have cast to be taken in.
    """
    people = dict(
        Enrolment.objects.filter(study_id=question.study_id, origin__in=origins, status__in=statuses)
        .order_by()
        .values_list("pk", "public_code")
    )
    codes: dict[int, str] = {}
    authors: dict[str, str] = {}
    known = Statement.objects.filter(question=question, is_preview=False, status__in=statement_statuses)
    for pk, code, author in known.order_by().values_list("pk", "code", "author__public_code"):
        codes[pk] = code
        if author is not None:
            authors[code] = author
    rows = current_votes(question=question).values_list("enrolment_id", "statement_id", "value")
    # Filtering here spares the database two joins over all votes.
    kept = [row for row in rows.iterator(chunk_size=10_000) if row[0] in people and row[1] in codes]
    kept = _with_enough(kept, minimum_votes)
    return VoteArrays(
        participants=tuple(people[row[0]] for row in kept),
        statements=tuple(codes[row[1]] for row in kept),
        values=tuple(row[2] for row in kept),
        authors=authors,
    )


def _with_enough(rows: list[tuple[int, int, int]], minimum: int) -> list[tuple[int, int, int]]:
    if minimum <= 1:
        return rows
    counts: dict[int, int] = {}
    for person, _statement, _value in rows:
        counts[person] = counts.get(person, 0) + 1
    return [row for row in rows if counts[row[0]] >= minimum]


def first_votes(*, question: Question) -> dict[str, datetime]:
    """When each participant first voted on the question, by public code: the order of rows that Pol.is uses."""
    votes = Vote.objects.filter(statement__question=question).order_by()
    return dict(votes.values_list("enrolment__public_code").annotate(first=Min("cast_at")))


def voters_by_origin_and_status(*, question: Question) -> dict[tuple[str, str], int]:
    """How many people have a current vote on the question, by origin and status: where a flow of n begins."""
    voted = Vote.objects.current().filter(enrolment=OuterRef("pk"), statement__question=question)
    people = Enrolment.objects.filter(Exists(voted), study_id=question.study_id).order_by()
    rows = people.values_list("origin", "status").annotate(n=Count("pk"))
    return {(origin, status): n for origin, status, n in rows}
