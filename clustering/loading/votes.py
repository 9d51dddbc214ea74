"""Votes of a question as integer arrays: a few bytes a vote, whatever their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import Min
from numpy.typing import NDArray

from clustering.inclusion import Inclusion
from clustering.loading.streams import Block, current_votes
from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis.votes import SparseVotes
from studies.models import Enrolment, Question
from voting.models import Statement, Vote

COUNTED_STATEMENTS = (Statement.Status.APPROVED, Statement.Status.WITHDRAWN)

Indices = NDArray[np.int32]
Values = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionVotes:
    """Current votes on a question.

    Attributes
    ----------
    participants : public codes of those who voted often enough, ascending by code point
    statements : codes of the statements that count, voted on or not, ascending by code point
    rows, columns : place of each vote's participant and statement among these, shape (n_votes,)
    values : 1, -1 or 0, shape (n_votes,)
    authors : statement code to the author's public code, where the author is included
    statement_keys, enrolments : code to primary key
    rejected : codes of the rejected statements among `statements`, ascending
    """

    participants: tuple[str, ...]
    statements: tuple[str, ...]
    rows: Indices
    columns: Indices
    values: Values
    authors: dict[str, str]
    statement_keys: dict[str, int]
    enrolments: dict[str, int]
    rejected: tuple[str, ...] = ()

    @property
    def n_votes(self) -> int:
        """Number of current votes."""
        return len(self.values)

    @property
    def n_cells(self) -> int:
        """Pairs of participants and statements."""
        return len(self.participants) * len(self.statements)

    def votes_each(self) -> NDArray[np.int64]:
        """Votes of each participant, shape (n_participants,)."""
        return np.bincount(self.rows, minlength=len(self.participants))

    def sparse(self) -> SparseVotes:
        """The votes one by one, in memory that grows with their number alone."""
        return SparseVotes.from_arrays(self.participants, self.statements, self.rows, self.columns, self.values)

    def matrix(self) -> VoteMatrix:
        """The votes as people by statements."""
        values = np.full((len(self.participants), len(self.statements)), np.nan)
        values[self.rows, self.columns] = self.values
        return VoteMatrix(self.participants, self.statements, values)


def question_votes(question: Question, rule: Inclusion, *, with_rejected: bool = False) -> QuestionVotes:
    """The current votes of the included enrolments on the question's statements, on request also on rejected ones.

    Three queries; the votes come as a stream of blocks and are never objects.
    """
    statements = _statements(question, with_rejected=with_rejected)
    codes = {key: code for key, code, _author, _status in statements}
    people = dict(
        Enrolment.objects.filter(rule.enrolments(), study_id=question.study_id).values_list("pk", "public_code")
    )
    rows, columns, values = _joined(question, sorted(people), sorted(codes))
    # So far places are in the order of primary keys; people who voted too rarely leave.
    counts = np.bincount(rows, minlength=len(people))
    keys = np.array(sorted(people), dtype=np.int64)
    stay = counts >= rule.minimum_votes
    participants, row_of = _in_order([people[key] for key in keys[stay].tolist()])
    places = np.full(len(people), -1, dtype=np.int32)
    places[stay] = row_of
    ordered, column_of = _in_order([codes[key] for key in sorted(codes)])
    kept = stay[rows]
    enrolments = dict(zip((people[key] for key in keys[stay].tolist()), keys[stay].tolist(), strict=True))
    return QuestionVotes(
        participants=participants,
        statements=ordered,
        rows=places[rows[kept]],
        columns=column_of[columns[kept]],
        values=values[kept],
        authors={code: people[author] for _key, code, author, _status in statements if author in people},
        statement_keys={code: key for key, code, _author, _status in statements},
        enrolments=enrolments,
        rejected=tuple(
            sorted(code for _key, code, _author, status in statements if status == Statement.Status.REJECTED)
        ),
    )


def first_votes(question: Question, loaded: QuestionVotes) -> tuple[str, ...]:
    """The participants in the order of their first vote on the question; ties by public code.

    A vote that was changed since counts as the first one all the same, as in the stream of votes that Pol.is reads.
    """
    votes = Vote.objects.filter(statement__question=question, statement__is_preview=False).order_by()
    began = dict(votes.values_list("enrolment_id").annotate(Min("cast_at")).iterator(chunk_size=50_000))
    return tuple(sorted(loaded.participants, key=lambda code: (began[loaded.enrolments[code]], code)))


def _statements(question: Question, *, with_rejected: bool) -> list[tuple[int, str, int | None, str]]:
    statuses = [*COUNTED_STATEMENTS, *([Statement.Status.REJECTED] if with_rejected else [])]
    counted = Statement.objects.filter(question=question, is_preview=False, status__in=statuses)
    return list(counted.order_by("pk").values_list("pk", "code", "author_id", "status"))


def _joined(question: Question, people: list[int], statements: list[int]) -> tuple[Indices, Indices, Values]:
    """Places of the votes of `people` on `statements` (primary keys, ascending), and their values."""
    blocks = [_placed(block, _array(people), _array(statements)) for block in current_votes(question.pk)]
    if not blocks:
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int8)
    return (
        np.concatenate([rows for rows, _columns, _values in blocks]),
        np.concatenate([columns for _rows, columns, _values in blocks]),
        np.concatenate([values for _rows, _columns, values in blocks]),
    )


def _array(keys: list[int]) -> NDArray[np.int64]:
    return np.array(keys, dtype=np.int64)


def _placed(block: Block, people: NDArray[np.int64], statements: NDArray[np.int64]) -> tuple[Indices, Indices, Values]:
    """A block with places for keys, without the votes of or on anything that does not count."""
    rows, is_person = _places(block.enrolments, people)
    columns, is_statement = _places(block.statements, statements)
    counts = is_person & is_statement
    return rows[counts].astype(np.int32), columns[counts].astype(np.int32), block.values[counts].astype(np.int8)


def _places(keys: NDArray[np.int64], known: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each key stands among `known` (ascending), and whether it does."""
    if not len(known):
        return np.zeros(len(keys), np.intp), np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return places, known[places] == keys


def _in_order(codes: list[str]) -> tuple[tuple[str, ...], Indices]:
    """The codes in ascending order, and the place in it of each as given."""
    order = sorted(range(len(codes)), key=codes.__getitem__)
    place = np.empty(len(codes), dtype=np.int32)
    place[order] = np.arange(len(codes), dtype=np.int32)
    return tuple(codes[index] for index in order), place
