"""One state of the database for reads that take long, without keeping anybody from writing meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

# The first statement of a transaction, or PostgreSQL refuses it.
_REPEATABLE_READ = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_STEADY = {"repeatable read", "serializable"}


@contextmanager
def snapshot() -> Iterator[bool]:
    """Let all reads inside see the database as it was at the first of them; say whether they do.

    It takes a transaction of its own: REPEATABLE READ on PostgreSQL, a deferred one on SQLite, which is a snapshot in
    WAL mode and, unlike our usual ones, takes no write lock. Inside a transaction of the caller it can only take over
    that one's isolation, which on PostgreSQL is no snapshot unless the caller chose so.
    """
    connection = transaction.get_connection()
    is_postgresql = connection.vendor == "postgresql"
    if connection.in_atomic_block:
        yield not is_postgresql or _isolation() in _STEADY
        return
    with _deferred(connection), transaction.atomic():
        if is_postgresql:
            with connection.cursor() as cursor:
                cursor.execute(_REPEATABLE_READ)
        yield True


@contextmanager
def _deferred(connection: object) -> Iterator[None]:
    """Begin transactions on SQLite without its write lock."""
    if getattr(connection, "vendor", "") != "sqlite":
        yield
        return
    connection.ensure_connection()  # type: ignore[attr-defined]
    mode = connection.transaction_mode  # type: ignore[attr-defined]
    connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        connection.transaction_mode = mode  # type: ignore[attr-defined]


def _isolation() -> str:
    with transaction.get_connection().cursor() as cursor:
        cursor.execute("SHOW transaction_isolation")
        return str(cursor.fetchone()[0])
