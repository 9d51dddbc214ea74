"""Queue and compute the runs of opinion groups and OvertonScores."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from clustering.models import GroupMember, GroupName, GroupStatement, OpinionGroup
from clustering.models.groups import LONGEST_NAME
from clustering.parameters import OVERTON, VIEWPOINTS, Parameters, Resampling
from core import audit
from core.errors import Conflict, Invalid, nearest, shown
from core.models import Run
from core.runs import Computed, RunningRun, publish, queue_run
from core.text import check_length, is_blank, normalise_typed
from studies.models import Answer, Enrolment, FormItem, Question, Study


@transaction.atomic
def start_scores(
    *, study: Study, parameters: Parameters, seed: int, by: AbstractBaseUser | AnonymousUser | None
) -> Run:
    """Queue the groups and OvertonScores of a study and tell a worker; the unfinished run of these settings if any.

    Raises
    ------
    Conflict
        If the study has no question.
    Invalid
        If it has no item by which subgroups are asked for.
    """
    refuse_unknown_items(study, parameters.subgroups)
    return _start(OVERTON, study, parameters.to_dict(), seed, by)


@transaction.atomic
def start_viewpoints(
    *, study: Study, resampling: Resampling, seed: int, by: AbstractBaseUser | AnonymousUser | None
) -> Run:
    """Queue scores over participants drawn anew and tell a worker; the unfinished run of these settings if any."""
    return _start(VIEWPOINTS, study, resampling.to_dict(), seed, by)


def refuse_unknown_items(study: Study, codes: Sequence[str]) -> None:
    """Refuse codes that are neither items of the form nor of anybody's answers: a typo would be an empty table."""
    form = study.form_items.filter(kind__in=[FormItem.Kind.SINGLE, FormItem.Kind.INTEGER])
    known = set(form.values_list("code", flat=True))
    for code in codes:
        if code not in known and not Answer.objects.filter(enrolment__study=study, item_code=code).exists():
            message = _("No item with one choice or a number is called %(code)s.") % {"code": shown(code)}
            message = f"{message} {nearest(code[:100], sorted(known))}".strip()
            raise Invalid(message, fields={"subgroups": [message]})


def _start(
    kind: str, study: Study, parameters: dict[str, Any], seed: int, by: AbstractBaseUser | AnonymousUser | None
) -> Run:
    if not study.questions.filter(is_current=True).exists():
        raise Conflict(_("This study has no question yet, so there is nothing to compute."))
    run = queue_run(
        kind=kind, subject_kind="study", subject_id=study.public_id, parameters=parameters, seed=seed, by=by
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


@transaction.atomic
def name_group(
    *,
    group: OpinionGroup,
    name: str,
    by: AbstractBaseUser | AnonymousUser | None,
    is_draft: bool = False,
    now: datetime | None = None,
) -> GroupName | None:
    """Call a viewpoint `name` in this run and in all of its line, earlier and later; None if it has no name any more.

    The name before it is kept as superseded. An empty name takes the name away. A program may only draft: a draft
    never replaces what a person wrote.

    Raises
    ------
    Invalid
        If the name is too long.
    Conflict
        If a draft would replace a person's name.
    """
    grouping = group.grouping
    # Of two who name it at once, the second waits here.
    question = Question.objects.select_for_update(no_key=True).get(pk=grouping.question_id)
    text = check_length(" ".join(normalise_typed(name).split()), maximum=LONGEST_NAME)
    now = now or timezone.now()
    current = GroupName.objects.current().filter(question=question, line=grouping.line, identity=group.identity)
    before = current.first()
    if before is not None and is_draft and not before.is_draft:
        raise Conflict(_("This group has a name that a person gave it."))
    if before is not None and (before.name, before.is_draft) == (text, is_draft):
        return before
    current.update(superseded_at=now)
    made = None
    if not is_blank(text):
        made = GroupName.objects.create(
            question=question,
            line=grouping.line,
            identity=group.identity,
            name=text,
            is_draft=is_draft,
            created_at=now,
            created_by_id=by.pk if by is not None and by.is_authenticated else None,
        )
    audit.record(
        "group.named" if made else "group.unnamed",
        subject_kind="question",
        subject_id=question.public_id,
        study_id=question.study.public_id,
        by=by,
        now=now,
        line=grouping.line,
        identity=group.identity,
        is_draft=is_draft,
    )
    return made


def compute_groups(running: RunningRun) -> Computed:
    """Executor of the opinion groups of one question."""
    from clustering import computing

    return computing.groups(running)


def compute_overton(running: RunningRun) -> Computed:
    """Executor of the scores of a study: one part per question, then the scores over all."""
    from clustering import computing

    return computing.scores(running)


def compute_live(running: RunningRun) -> Computed:
    """Executor of the live view of a question."""
    from clustering import computing

    return computing.live(running)


def compute_viewpoints(running: RunningRun) -> Computed:
    """Executor of scores over participants drawn anew."""
    from clustering import computing

    return computing.viewpoints(running)


def compute_viewpoint_block(running: RunningRun) -> Computed:
    """Executor of some of the draws of one question."""
    from clustering import computing

    return computing.viewpoint_block(running)


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
