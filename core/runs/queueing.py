"""Queue runs, tell workers of them, and find again what was lost."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from core.canonical import content_sha256
from core.models import Run
from core.models.run import LEASE, MAX_ATTEMPTS
from core.runs.executing import end_parts_of

logger = logging.getLogger(__name__)

# A queued run that no worker took within this time is published again.
QUEUED_TOO_LONG = timedelta(seconds=30)


def queue_run(
    *,
    kind: str,
    subject_kind: str,
    subject_id: object,
    parameters: Mapping[str, Any],
    seed: int,
    by: AbstractBaseUser | AnonymousUser | None = None,
    parent: Run | None = None,
    continues: Run | None = None,
    now: datetime | None = None,
) -> Run:
    """The unfinished run of these parameters, made if there is none. Publishing it is the caller's choice (`publish`).

    Parts (`parent` given) are unique in their parent, finished or not. A run that starts from the state of an earlier
    one names it (`continues`).
    """
    values = {
        "kind": kind,
        "subject_kind": subject_kind,
        "subject_id": str(subject_id),
        "parameters_sha256": content_sha256(dict(parameters)),
        "seed": seed,
    }
    same = Run.objects.filter(**values, parent=parent)
    if parent is None:
        same = same.unfinished()
    for _attempt in range(2):
        if found := same.first():
            return found
        try:
            with transaction.atomic():
                return Run.objects.create(
                    **values,
                    parent=parent,
                    continues=continues,
                    parameters=dict(parameters),
                    queued_at=now or timezone.now(),
                    created_by_id=by.pk if by is not None and by.is_authenticated else None,
                )
        except IntegrityError:
            logger.info("another request queued %s of %s first", kind, subject_id)
    return same.get()


def publish(*runs: Run) -> None:
    """Send a message for each run after the transaction commits. Without a broker the sweeper will find the rows."""

    def send() -> None:
        from core.tasks import execute_run

        for run in runs:
            Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
            try:
                execute_run.apply_async((run.pk,), retry=False)
            except (OSError, OperationalError):
                # Each further try would wait for the broker again.
                logger.warning("the broker does not answer; run %s and later ones wait", run.public_id)
                return

    transaction.on_commit(send)


def sweep(*, now: datetime | None = None) -> list[int]:
    """Publish again what was lost, give up what failed too often. Returns the ids of the runs published.

    Parts are looked after by whoever holds their parent.
    """
    now = now or timezone.now()
    dead = Q(status=Run.Status.RUNNING, heartbeat_at__lt=now - LEASE, parent=None)
    given_up = list(Run.objects.filter(dead, attempt__gte=MAX_ATTEMPTS).values_list("pk", flat=True))
    if given_up:
        give_up(given_up, n=MAX_ATTEMPTS, now=now)
    unheard = Q(published_at=None) | Q(published_at__lt=now - QUEUED_TOO_LONG)
    waiting = Q(status=Run.Status.QUEUED, queued_at__lt=now - timedelta(seconds=5), parent=None)
    due = list(Run.objects.filter(waiting | dead, unheard).order_by("id"))
    publish(*due)
    return [run.pk for run in due]


@transaction.atomic
def give_up(runs: list[int], *, n: int, now: datetime) -> None:
    """End runs whose workers died `n` times, unless one of them was heard of since."""
    silent = Run.objects.filter(pk__in=runs, status=Run.Status.RUNNING, heartbeat_at__lt=now - LEASE)
    silent.update(
        status=Run.Status.FAILED,
        claim_token=None,
        finished_at=now,
        error=_("Given up: the worker died %(n)s times while it computed this.") % {"n": n},
    )
    end_parts_of(list(Run.objects.filter(pk__in=runs, status=Run.Status.FAILED).values_list("pk", flat=True)), now=now)
