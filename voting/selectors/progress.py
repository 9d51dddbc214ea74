"""How far the voting of a study is: numbers for the team's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, Min, Sum

from studies.models import Enrolment, Question, Study
from voting.models import Statement, Vote
from voting.selectors.cards import N_VOTES


@dataclass(frozen=True, slots=True)
class VotingProgress:
    """How far the voting on one question is. Previews are left out."""

    question: Question
    n_seeds: int
    n_peers: int
    n_imported: int
    n_pending: int
    n_rejected: int
    n_people: int
    n_votes: int
    fewest_votes: int | None


def voting_progress(*, study: Study) -> list[VotingProgress]:
    """The progress of each current question, in their order; the number of queries is fixed."""
    people = dict(
        Vote.objects.current()
        .filter(statement__question__study=study, statement__is_preview=False)
        .exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
        .order_by()
        .values_list("statement__question_id")
        .annotate(n=Count("enrolment_id", distinct=True))
    )
    counts = _statement_counts(study)
    questions = study.questions.filter(is_current=True).order_by("position", "code")
    return [_progress(question, counts.get(question.pk, []), people.get(question.pk, 0)) for question in questions]


_Counts = Mapping[str, Any]


def _statement_counts(study: Study) -> dict[int, list[_Counts]]:
    """Numbers of statements and votes by question, origin and status."""
    rows = (
        Statement.objects.filter(question__study=study, is_preview=False)
        .order_by("question_id")
        .values("question_id", "origin", "status")
        .annotate(n=Count("pk"), cast=Sum(N_VOTES), fewest=Min(N_VOTES))
    )
    return {question_id: list(group) for question_id, group in groupby(rows, key=itemgetter("question_id"))}


def _progress(question: Question, counts: list[_Counts], n_people: int) -> VotingProgress:
    approved = [row for row in counts if row["status"] == Statement.Status.APPROVED]
    by_origin = {row["origin"]: row["n"] for row in approved}
    by_status = {status: sum(row["n"] for row in counts if row["status"] == status) for status in Statement.Status}
    return VotingProgress(
        question=question,
        n_seeds=by_origin.get(Statement.Origin.SEED, 0),
        n_peers=by_origin.get(Statement.Origin.PEER, 0),
        n_imported=by_origin.get(Statement.Origin.IMPORT, 0),
        n_pending=by_status[Statement.Status.PENDING],
        n_rejected=by_status[Statement.Status.REJECTED],
        n_people=n_people,
        n_votes=sum(row["cast"] for row in counts),
        fewest_votes=min((row["fewest"] for row in approved), default=None),
    )
