"""Whether this copy can serve, and whether somebody works behind it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from kombu import Connection
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Report:
    """What the health check found."""

    database: bool
    migrations: bool
    broker: bool
    swept_at: datetime | None

    @property
    def can_serve(self) -> bool:
        """Participants need the database and its tables; broker and worker may be away for a while."""
        return self.database and self.migrations

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "status": "ok" if self.can_serve else "failed",
            "database": self.database,
            "migrations": self.migrations,
            "broker": self.broker,
            "swept_at": self.swept_at.isoformat() if self.swept_at else None,
            "swept_s_ago": round((timezone.now() - self.swept_at).total_seconds()) if self.swept_at else None,
        }


def report() -> Report:
    """Return the state of the database, its migrations, the broker and the sweeper."""
    database = database_answers()
    migrated = database and migrations_applied()
    return Report(
        database=database,
        migrations=migrated,
        broker=broker_answers(),
        swept_at=last_sweep() if migrated else None,
    )


def database_answers() -> bool:
    """Return whether the database answers a query."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("the health check found no database")
        return False
    return True


def migrations_applied() -> bool:
    """Return whether every migration of this code has been applied."""
    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        logger.exception("the health check could not read the migrations")
        return False


def broker_answers() -> bool:
    """Return whether the broker takes connections."""
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    try:
        with Connection(settings.CELERY_BROKER_URL, transport_options=options, connect_timeout=2) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)
    except (OSError, OperationalError):
        logger.warning("the health check found no broker")
        return False
    return True


def last_sweep() -> datetime | None:
    """Return when the sweeper last looked after the runs, or None if it never did."""
    from core.models import Pulse

    return Pulse.objects.filter(name="sweep").values_list("at", flat=True).first()
