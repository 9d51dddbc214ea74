"""When the live view of a question is computed again. The sweeper asks; participants' requests never do."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from clustering.inclusion import ORIGINS, Inclusion
from clustering.parameters import LIVE, GroupingSettings
from core.models import Run
from core.runs import publish, queue_run
from studies.models import Enrolment, Question, Study
from voting.models import Statement

SEED = 1
"""Nothing is drawn by the clusterer of the live view; a run has a seed all the same."""


def live_settings() -> GroupingSettings:
    """Everybody who votes, under way or complete, grouped as Pol.is groups them."""
    statuses = (Enrolment.Status.ACTIVE.value, Enrolment.Status.COMPLETE.value)
    return GroupingSettings(
        inclusion=Inclusion(tuple(origin.value for origin in ORIGINS), statuses),
        method="polis",
        stability_seeds=0,
        stability_replicates=0,
    )


def queue_live(*, question: Question, n_votes: int) -> Run | None:
    """Queue the next live run of a question, which continues the one before; None if one is under way.

    `n_votes` are the votes stored now: the next run but one is due when there are enough more.
    """
    runs = Run.objects.of(LIVE, question.public_id)
    if runs.unfinished().exists():
        return None
    run = queue_run(
        kind=LIVE,
        subject_kind="question",
        subject_id=question.public_id,
        parameters={**live_settings().grouping(), "votes_stored": n_votes},
        seed=SEED,
        continues=runs.finished().first(),
    )
    publish(run)
    return run


def sweep_live() -> list[int]:
    """Queue live runs of the open studies' questions that got enough votes since their last one; their ids.

    Votes are read off the tallies of the statements, which is one query whatever their number. A run that failed counts
    as the last one, so a question that cannot be computed is tried again only after as many more votes.
    """
    if not settings.LIVE_VOTES:
        return []
    stored = dict(
        Statement.objects.filter(question__study__status=Study.Status.OPEN, question__is_current=True, is_preview=False)
        .order_by()
        .values_list("question_id")
        .annotate(n=Sum("n_agree") + Sum("n_disagree") + Sum("n_neutral"))
    )
    queued = []
    for question in Question.objects.filter(pk__in=stored).order_by("pk"):
        # One transaction a question: a message is sent as soon as its row is there.
        with transaction.atomic():
            last = Run.objects.of(LIVE, question.public_id).values_list("parameters", flat=True).first()
            before = last["votes_stored"] if last else 0
            if abs(stored[question.pk] - before) >= settings.LIVE_VOTES:
                run = queue_live(question=question, n_votes=stored[question.pk])
                queued += [run.pk] if run is not None else []
    return queued
