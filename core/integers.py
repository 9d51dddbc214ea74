"""Integers from the database as arrays, without a row object: by binary COPY on PostgreSQL, else by a plain cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

BLOCK = 250_000
"""Rows held at a time."""

# The binary format of COPY: a header, then for each row the number of fields and each field's length before its bytes.
_HEADER = 19
_TRAILER = 2


def integer_table(query: str, parameters: Sequence[Any], n_columns: int) -> NDArray[np.int64]:
    """All rows of a query whose columns are integers without NULL, shape (n_rows, n_columns).

    On PostgreSQL each column must be a ``bigint``. The query is one of ours: only `parameters` are quoted.
    """
    blocks = list(integer_blocks(query, parameters, n_columns))
    return np.concatenate(blocks) if blocks else np.zeros((0, n_columns), np.int64)


def integer_blocks(query: str, parameters: Sequence[Any], n_columns: int) -> Iterator[NDArray[np.int64]]:
    """The rows of :func:`integer_table`, some hundred thousand at a time."""
    if connection.vendor == "postgresql":
        yield from _copied(query, parameters, n_columns)
        return
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        while rows := cursor.fetchmany(BLOCK):
            yield np.array(rows, dtype=np.int64)


def _copied(query: str, parameters: Sequence[Any], n_columns: int) -> Iterator[NDArray[np.int64]]:
    fields = [field for n in range(n_columns) for field in ((f"n{n}", ">i4"), (f"v{n}", ">i8"))]
    record = np.dtype([("n_fields", ">i2"), *fields])
    statement = f"COPY ({query}) TO STDOUT (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(statement, parameters) as copy:
        for data in _records(copy, record.itemsize):
            block = np.frombuffer(data, dtype=record)
            if np.any(block["n_fields"] != n_columns) or any(np.any(block[f"n{n}"] != 8) for n in range(n_columns)):
                raise ValueError("COPY gave records of another shape than asked for")
            table = np.empty((len(block), n_columns), np.int64)
            for n in range(n_columns):
                table[:, n] = block[f"v{n}"]
            yield table


def _records(copy: Any, size: int) -> Iterator[bytes]:
    """Whole records without header and trailer, about `BLOCK` at a time."""
    waiting = bytearray()
    header = _HEADER
    for data in copy:
        waiting += data
        if header and len(waiting) >= header:
            del waiting[:header]
            header = 0
        whole = (len(waiting) - _TRAILER) // size
        if not header and whole >= BLOCK:
            yield bytes(waiting[: whole * size])
            del waiting[: whole * size]
    if rest := bytes(waiting[: len(waiting) - _TRAILER]):
        yield rest
