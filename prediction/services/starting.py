"""Queue and compute runs that predict, and runs that report on predictions."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from core.endpoints import configured
from core.errors import Conflict, Invalid, NotThere
from core.models import Run
from core.runs import Computed, RunningRun, publish, queue_run
from prediction.models import PredictionBatch
from prediction.parameters import PREDICTION, PREDICTION_REPORT, Asking, Method, Reporting
from prediction.points import targets_of
from prediction.services.batches import By
from studies.models import Study


@transaction.atomic
def start_predictions(*, study: Study, asking: Asking, by: By) -> Run:
    """Queue a run that predicts and tell a worker; the unfinished run of these settings if there is one.

    Raises
    ------
    Conflict
        If there is nothing to predict.
    Invalid
        If the endpoint is not configured.
    """
    if asking.method == Method.JUDGE:
        _endpoint_or_invalid(asking.endpoint)
    if not targets_of(study, asking.inclusion, asking.scope):
        raise Conflict(_("There is nothing to predict: nobody who is taken in has rated an answer."))
    return _queued(study, PREDICTION, asking.to_dict(), asking.subset_seed, by)


def _endpoint_or_invalid(name: str) -> None:
    from core.endpoints import EndpointError

    try:
        configured(name)
    except EndpointError as problem:
        raise Invalid(str(problem), fields={"endpoint": [str(problem)]}) from problem


@transaction.atomic
def start_report(*, study: Study, reporting: Reporting, seed: int, by: By) -> Run:
    """Queue a report on batches of the study and tell a worker.

    Raises
    ------
    NotThere
        If a batch is not the study's.
    """
    known = PredictionBatch.objects.filter(study=study, public_id__in=reporting.batches).count()
    if known != len(reporting.batches):
        raise NotThere(_("The study has no such batch of predictions."))
    return _queued(study, PREDICTION_REPORT, reporting.to_dict(), seed, by)


def _queued(study: Study, kind: str, parameters: dict[str, object], seed: int, by: By) -> Run:
    run = queue_run(
        kind=kind, subject_kind="study", subject_id=study.public_id, parameters=parameters, seed=seed, by=by
    )
    audit.record("run.queued", subject_kind="run", subject_id=run.public_id, study_id=study.public_id, by=by)
    publish(run)
    return run


def compute_predictions(running: RunningRun) -> Computed:
    """Executor of runs that predict."""
    from prediction import computing

    return computing.predictions(running)


def compute_report(running: RunningRun) -> Computed:
    """Executor of reports."""
    from prediction import reporting

    return reporting.report(running)
