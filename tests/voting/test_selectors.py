"""Votes and numbers as analyses and pages read them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studies.models import Enrolment, Question
from tests.factories import NOW, QuestionFactory, StatementFactory
from tests.voting.booth import Booth, booth, question_with, write
from voting import selectors, services

pytestmark = pytest.mark.django_db


def finish(person: Booth, status: str = "complete") -> None:
    Enrolment.objects.filter(pk=person.enrolment.pk).update(status=status, finished_at=person.now)


def voter(question: Question, *values: str, origin: str = "live", status: str = "complete") -> Booth:
    """Somebody who has voted so on the cards as they came, and ended so."""
    person = booth(question, origin=origin)
    person.vote_on_all(values, maximum=len(values))
    if status != "active":
        finish(person, status)
    return person


def test_progress_counts_by_question_without_previews() -> None:
    question = question_with(2)
    QuestionFactory(study=question.study, code="empty", position=9)
    writer = voter(question, "agree", "neutral", status="active")
    voter(question, "disagree")
    services.add_peer_statement(free_response=write(writer), moderation="after", now=NOW)
    services.add_peer_statement(free_response=write(booth(question)), moderation="before", now=NOW)
    preview = booth(question, origin="preview")
    services.add_peer_statement(free_response=write(preview), moderation="after", now=NOW)
    preview.vote_on_all()
    StatementFactory(question=question, origin="import", status="rejected")

    progress, empty = selectors.voting_progress(study=question.study)

    assert (progress.n_seeds, progress.n_peers, progress.n_imported) == (2, 1, 0)
    assert (progress.n_pending, progress.n_rejected) == (1, 1)
    assert (progress.n_people, progress.n_votes, progress.fewest_votes) == (2, 3, 0)
    assert (empty.question.code, empty.n_votes, empty.n_people, empty.fewest_votes) == ("empty", 0, 0, None)


def test_progress_takes_the_same_queries_for_more_questions() -> None:
    study = question_with(1).study

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            selectors.voting_progress(study=study)
        return len(captured)

    before = queries()
    for _ in range(3):
        voter(question_with(2, study=study), "agree")

    assert before == queries() == 3
