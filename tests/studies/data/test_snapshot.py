"""All reads of an export show one moment, and keep nobody from writing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from studies.data.snapshot import snapshot
from studies.models import Study
from tests.factories import StudyFactory


def in_another_session(act: Callable[[], object]) -> None:
    """Do `act` over a connection of its own, and wait for it."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.races
@pytest.mark.django_db(transaction=True)
def test_what_is_written_meanwhile_is_not_seen() -> None:
    StudyFactory()

    with snapshot() as is_snapshot:
        before = Study.objects.count()
        in_another_session(StudyFactory)
        during = Study.objects.count()

    assert is_snapshot
    assert (before, during, Study.objects.count()) == (1, 1, 2)


@pytest.mark.races
@pytest.mark.django_db(transaction=True)
def test_nothing_can_be_written_in_it() -> None:
    with pytest.raises(Exception, match="read-only"), snapshot():
        StudyFactory()


@pytest.mark.django_db(transaction=True)
def test_the_transaction_is_a_snapshots_and_later_ones_are_as_before() -> None:
    connection.ensure_connection()
    usual = getattr(connection, "transaction_mode", None)

    with CaptureQueriesContext(connection) as queries, snapshot() as is_snapshot:
        Study.objects.count()

    assert is_snapshot
    begun = " ".join(query["sql"] for query in queries.captured_queries[:2])
    assert ("BEGIN DEFERRED" if connection.vendor == "sqlite" else "REPEATABLE READ, READ ONLY") in begun
    assert getattr(connection, "transaction_mode", None) == usual
    StudyFactory()


@pytest.mark.django_db(transaction=True)
def test_inside_a_transaction_of_the_caller_its_isolation_decides() -> None:
    with transaction.atomic(), snapshot() as is_snapshot:
        assert is_snapshot == (connection.vendor == "sqlite")

    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            with snapshot() as is_snapshot:
                assert is_snapshot
