"""Queue and compute the runs of opinion groups and OvertonScores."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.utils.translation import gettext as _

from clustering.models import GroupMember, GroupStatement
from clustering.parameters import OVERTON, Parameters
from core import audit
from core.errors import Conflict
from core.models import Run
from core.runs import Computed, RunningRun, publish, queue_run
from studies.models import Enrolment, Study


@transaction.atomic
def start_scores(
    *, study: Study, parameters: Parameters, seed: int, by: AbstractBaseUser | AnonymousUser | None
) -> Run:
    """Queue the groups and OvertonScores of a study and tell a worker; the unfinished run of these settings if any."""
    if not study.questions.filter(is_current=True).exists():
        raise Conflict(_("This study has no question yet, so there is nothing to compute."))
    run = queue_run(
        kind=OVERTON,
        subject_kind="study",
        subject_id=study.public_id,
        parameters=parameters.to_dict(),
        seed=seed,
        by=by,
    )
    audit.record("run.queued", subject_kind="run", subject_id=run.public_id, study_id=study.public_id, by=by)
    publish(run)
    return run


@transaction.atomic
def report_run(*, run: Run, by: AbstractBaseUser | AnonymousUser | None) -> Run:
    """Make a finished run the one that pages and exports speak of."""
    if run.status != Run.Status.FINISHED:
        raise Conflict(_("Only a finished run can be reported."))
    # Of two who report at once, the second waits here and wins.
    Study.objects.select_for_update(no_key=True).filter(public_id=run.subject_id).first()
    Run.objects.filter(kind=run.kind, subject_id=run.subject_id, is_reported=True).update(is_reported=False)
    Run.objects.filter(pk=run.pk).update(is_reported=True)
    audit.record("run.reported", subject_kind="run", subject_id=run.public_id, study_id=run.subject_id, by=by)
    run.refresh_from_db()
    return run


def compute_groups(running: RunningRun) -> Computed:
    """Executor of the opinion groups of one question."""
    from clustering import computing

    return computing.groups(running)


def compute_overton(running: RunningRun) -> Computed:
    """Executor of the scores of a study: one part per question, then the scores over all."""
    from clustering import computing

    return computing.scores(running)


def erase_participation(enrolment: Enrolment, policy: str) -> int:
    """Take a withdrawn person out of the typed rows of results; returns how many rows were deleted.

    A finished run never changes: its result keeps the codes and numbers it was computed from, without any text, and
    pages say that it contains withdrawn data. Under "keep votes" the rows stay too, since they only hold numbers.
    """
    if policy == Study.WithdrawalPolicy.KEEP_VOTES:
        return 0
    statements, _by_model = GroupStatement.objects.filter(statement__author=enrolment).delete()
    members, _by_model = GroupMember.objects.filter(enrolment=enrolment).delete()
    return statements + members


def run_identity(run: Run) -> dict[str, Any]:
    """What identifies a run in a report: parameters, seed, hashes and versions."""
    return {
        "run": str(run.public_id),
        "kind": run.kind,
        "parameters": run.parameters,
        "seed": run.seed,
        "input_sha256": run.input_sha256,
        "result_sha256": run.result_sha256,
        "versions": run.versions,
    }
