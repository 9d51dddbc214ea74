"""Imported votes and ratings with their history: merged with what is stored, and the tallies with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import Problems
from core.tables import Row
from studies.models import RepresentationRating, Study
from voting.models import Vote
from voting.services.longform.people import BATCH, People
from voting.services.longform.reading import AnswerKey, VoteKey
from voting.services.longform.references import Refused, StatementKey
from voting.services.longform.texts import Stored, may_add
from voting.services.longform.timelines import Entry, Merged, Said, merged, timeline
from voting.services.tallies import lock_statements, recount

Key = Any


@dataclass(slots=True)
class Timelines:
    """The votes or ratings of the files in order, by person and thing, and how many only repeated what was said.

    Their time stands in `column`.
    """

    column: str
    entries: dict[Key, list[Entry]]
    n_repeated: int

    @property
    def n_changes(self) -> int:
        """How many changed what was said before."""
        return sum(len(entries) - 1 for entries in self.entries.values())


def timelines(rows: Mapping[Key, Sequence[Row]], column: str, problems: Problems) -> Timelines:
    """Put the rows about each thing in order of the times in `column`; contradicting times are problems."""
    found = Timelines(column, {}, 0)
    for key, those in rows.items():
        entries = [Entry(row[column], row["value"], row["superseded_at"], row) for row in those]
        try:
            found.entries[key], n_repeated = timeline(entries, column=column)
        except Refused as refused:
            _add(refused, those[-1], problems)
        else:
            found.n_repeated += n_repeated
    return found


def _add(refused: Refused, row: Row, problems: Problems) -> None:
    at = refused.row or row
    problems.add(at.problem(refused.column, refused.message, refused.remedy))


def write_ratings(*, study: Study, ratings: Timelines, people: People, problems: Problems, now: datetime) -> int:
    """Store the ratings that are new, and supersede those that they change; return how many are new."""
    new = []
    for (code, answer), additions in _merge(ratings, _stored_ratings(study), people, problems):
        about = {"enrolment_id": people.pk(code), "answer_id": answer}
        if additions.supersede_at is not None:
            current = RepresentationRating.objects.current().filter(**about)
            current.update(superseded_at=additions.supersede_at)
        new += [
            RepresentationRating(
                **about,
                value=entry.value,
                rank=entry.row["rank"],
                rated_at=entry.at or now,
                superseded_at=entry.end,
            )
            for entry in additions.new
        ]
    RepresentationRating.objects.bulk_create(sorted(new, key=lambda each: each.rated_at), batch_size=BATCH)
    return len(new)


def _stored_ratings(study: Study) -> dict[AnswerKey, list[Said]]:
    said: dict[AnswerKey, list[Said]] = {}
    stored = RepresentationRating.objects.filter(answer__question__study=study).order_by("pk")
    columns = ("enrolment__public_code", "answer_id", "rated_at", "value")
    for code, answer, at, value in stored.values_list(*columns).iterator(BATCH):
        said.setdefault((code, answer), []).append((at, value))
    return said


def write_votes(
    *,
    study: Study,
    votes: Timelines,
    people: People,
    statements: Mapping[StatementKey, Stored],
    problems: Problems,
    now: datetime,
) -> int:
    """Store the votes that are new, supersede those that they change, count the tallies; return how many are new."""
    found = _merge(votes, _stored_votes(study, statements), people, problems)
    # A statement that could not be stored has its problem already.
    additions = [(people.pk(code), statements[key].pk, those) for (code, key), those in found if key in statements]
    return add_votes(additions, now=now)


def add_votes(additions: Sequence[tuple[int, int, Merged]], *, now: datetime) -> int:
    """Write what is new by person and statement, the earliest first, and count the tallies again."""
    touched = lock_statements({statement for _person, statement, _those in additions})
    new = []
    for person, statement, those in additions:
        about = {"enrolment_id": person, "statement_id": statement}
        if those.supersede_at is not None:
            Vote.objects.current().filter(**about).update(superseded_at=those.supersede_at)
        new += [
            Vote(**about, value=entry.value, cast_at=entry.at or now, superseded_at=entry.end) for entry in those.new
        ]
    Vote.objects.bulk_create(sorted(new, key=lambda vote: vote.cast_at), batch_size=BATCH)
    recount(touched)
    return len(new)


def _stored_votes(study: Study, statements: Mapping[StatementKey, Stored]) -> dict[VoteKey, list[Said]]:
    keys = {stored.pk: key for key, stored in statements.items()}
    said: dict[VoteKey, list[Said]] = {}
    rows = Vote.objects.filter(statement__question__study=study, statement__is_preview=False).order_by("pk")
    for code, statement, at, value in rows.values_list(
        "enrolment__public_code", "statement_id", "cast_at", "value"
    ).iterator(BATCH):
        said.setdefault((code, keys[statement]), []).append((at, value))
    return said


def _merge(
    found: Timelines, said: Mapping[Key, Sequence[Said]], people: People, problems: Problems
) -> Iterable[tuple[Key, Merged]]:
    """What each timeline adds, if anything; contradictions and additions that may not be are problems."""
    for key, entries in found.entries.items():
        try:
            additions = merged(entries, said.get(key, ()), column=found.column)
        except Refused as refused:
            _add(refused, entries[-1].row, problems)
            continue
        if additions.new and may_add(additions.new[0].row, key[0], "participant", people, problems):
            yield key, additions
