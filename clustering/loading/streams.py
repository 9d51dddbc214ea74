"""Current votes of a question as blocks of arrays: by binary COPY on PostgreSQL, by a plain cursor on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

BLOCK = 250_000
"""Votes read at a time."""

_QUERY = """
    SELECT vote.enrolment_id, vote.statement_id, vote.value
    FROM voting_vote vote JOIN voting_statement statement ON statement.id = vote.statement_id
    WHERE statement.question_id = {question} AND vote.superseded_at IS NULL
"""
# The binary format of COPY: a header, then for each row the number of fields and each field's length before its bytes.
_HEADER = 19
_RECORD = np.dtype(
    [
        ("n_fields", ">i2"),
        ("n_enrolment", ">i4"),
        ("enrolment", ">i8"),
        ("n_statement", ">i4"),
        ("statement", ">i8"),
        ("n_value", ">i4"),
        ("value", ">i2"),
    ]
)
_FIELDS = 3
_TRAILER = 2


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Votes: primary keys of enrolments and statements, and values, each of shape (n_votes,)."""

    enrolments: NDArray[np.int64]
    statements: NDArray[np.int64]
    values: NDArray[np.int64]


def current_votes(question_id: int) -> Iterator[Block]:
    """The current votes on all statements of a question, in no order."""
    query = _QUERY.format(question=int(question_id))
    return _copied(query) if connection.vendor == "postgresql" else _fetched(query)


def _fetched(query: str) -> Iterator[Block]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        while rows := cursor.fetchmany(BLOCK):
            columns = np.array(rows, dtype=np.int64)
            yield Block(columns[:, 0], columns[:, 1], columns[:, 2])


def _copied(query: str) -> Iterator[Block]:
    with connection.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
        for records in _records(copy):
            block = np.frombuffer(records, dtype=_RECORD)
            if np.any(block["n_fields"] != _FIELDS):
                raise ValueError("COPY gave records of another shape than asked for")
            yield Block(
                block["enrolment"].astype(np.int64),
                block["statement"].astype(np.int64),
                block["value"].astype(np.int64),
            )


def _records(copy: Any) -> Iterator[bytes]:
    """Whole records without header and trailer, about `BLOCK` at a time."""
    waiting = bytearray()
    header: int = _HEADER
    for data in copy:
        waiting += data
        if header and len(waiting) >= header:
            del waiting[:header]
            header = 0
        whole = (len(waiting) - _TRAILER) // _RECORD.itemsize
        if not header and whole >= BLOCK:
            yield bytes(waiting[: whole * _RECORD.itemsize])
            del waiting[: whole * _RECORD.itemsize]
    if rest := bytes(waiting[: len(waiting) - _TRAILER]):
        yield rest
