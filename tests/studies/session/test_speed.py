"""What a post may cost."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import published_study
from tests.walking import Walker

LOCKS = "FOR NO KEY UPDATE"


def queries_of(walker: Walker) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        walker.send()
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.parametrize(("n_questions", "n_answers"), [(3, 3), (12, 8)])
def test_a_rating_answered_by_the_next_page_takes_eight_queries_however_large_the_study(
    db, n_questions: int, n_answers: int
) -> None:
    walker = Walker(published_study(n_questions=n_questions, n_answers=n_answers).slug, htmx=True)
    walker.start()
    walker.walk(until="rate")

    for _n in range(n_answers - 1):
        queries = queries_of(walker)
        assert walker.kind == "rate"
        # Begin, enrolment, rating, step, enrolment, own text, page view, commit.
        assert len(queries) == 8, queries


def test_a_page_loaded_by_itself_takes_few_queries(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="rate")

    with CaptureQueriesContext(connection) as captured:
        walker.look()

    assert len(captured.captured_queries) == 6


def test_the_walk_locks_the_enrolment_and_never_the_study(study) -> None:
    walker = Walker(study.slug, htmx=True)
    walker.start()
    walker.walk(until="rate")

    locking = [query for query in queries_of(walker) if LOCKS in query]

    assert len(locking) == int(connection.features.has_select_for_update)
    assert all(query.endswith('OF "studies_enrolment"') for query in locking)
