"""Predictions from a file: strict, whole, repeatable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.errors import BadInput
from core.models import AuditEvent
from prediction import services
from prediction.models import Prediction, PredictionBatch
from studies.models import Enrolment, RepresentationRating, Study
from tests.factories import NOW, CandidateAnswerFactory
from tests.prediction.conftest import points

Write = Callable[..., bytes]


def take(study: Study, content: bytes, **options: Any) -> services.ImportedPredictions:
    return services.import_predictions(study=study, source=content, name="guesses.csv", by=None, now=NOW, **options)


def problems(study: Study, content: bytes) -> list[str]:
    with pytest.raises(BadInput) as caught:
        take(study, content)
    assert not Prediction.objects.exists()
    assert not PredictionBatch.objects.exists()
    return caught.value.lines()


def test_a_file_becomes_a_batch_named_after_it(rated: Study, as_csv: Write) -> None:
    done = take(rated, as_csv(points(rated)))

    assert (done.n_rows, done.n_new, done.n_unmeasured, done.methods) == (72, 72, 0, ("guesses",))
    batch = PredictionBatch.objects.get()
    assert (batch.method, batch.name) == ("file", "guesses")
    assert batch.predictions.filter(outcome="rating", repeat=1).count() == 72
    assert AuditEvent.objects.get(event="predictions.imported").detail["n_new"] == 72


def test_the_same_file_again_changes_nothing_and_a_longer_one_adds(rated: Study, as_csv: Write) -> None:
    rows = points(rated)
    take(rated, as_csv(rows[:10]))
    assert take(rated, as_csv(rows[:10])).n_new == 0
    assert take(rated, as_csv(rows)).n_new == 62
    assert AuditEvent.objects.filter(event="predictions.imported").count() == 2


def test_a_dry_run_says_what_it_would_add_and_writes_nothing(rated: Study, as_csv: Write) -> None:
    assert take(rated, as_csv(points(rated)), dry_run=True).n_new == 72
    assert not PredictionBatch.objects.exists()
    assert not AuditEvent.objects.filter(event="predictions.imported").exists()


def test_methods_and_repeats_are_columns(rated: Study, as_csv: Write) -> None:
    person, question, source, value = points(rated)[0]
    rows = [(person, question, source, value, n, method) for n in (1, 2) for method in ("a", "b")]
    done = take(rated, as_csv(rows, "participant,question,source,rating,repeat,method"))
    assert done.methods == ("a", "b")
    assert Prediction.objects.filter(batch__name="a").count() == 2


def test_predictions_of_candidates_and_of_ratings_nobody_gave_are_taken(rated: Study, as_csv: Write) -> None:
    new = CandidateAnswerFactory(candidate__study=rated, candidate__code="new", question=rated.questions.first())
    person, question, source, value = points(rated)[0]
    RepresentationRating.objects.filter(enrolment__public_code=person, answer__source__code=source).delete()
    done = take(rated, as_csv([(person, question, source, value), (person, new.question.code, "new", 2)]))
    assert (done.n_new, done.n_unmeasured) == (2, 1)
    assert Prediction.objects.get(candidate_answer=new).value == 2


def test_everything_wrong_is_named_by_line_and_column(rated: Study, as_csv: Write) -> None:
    person, question, source, value = points(rated)[0]
    found = problems(
        rated,
        as_csv(
            [
                (person, question, source, value),
                ("nobody", question, source, 3),
                (person, "q9", "s9", 3),
                (person, question, source, 6),
                (person, question, source, "much"),
                (person, question, source, ""),
                (person, question, source, 4),
            ]
        ),
    )
    places = " ".join(found)
    for place in ("3:1 (participant)", "4:2 (question)", "4:3 (source)", "5:4 (rating)", "6:4 (rating)", "7:4"):
        assert f"guesses.csv:{place}" in places
    assert "guesses.csv:8:1 (participant): The same prediction is on line 2" in places


def test_what_contradicts_the_stored_is_refused(rated: Study, as_csv: Write) -> None:
    person, question, source, _value = points(rated)[0]
    take(rated, as_csv([(person, question, source, 2)]))
    with pytest.raises(BadInput, match=r"guesses\.csv:2:4 \(rating\): Under this method 2 is stored"):
        take(rated, as_csv([(person, question, source, 3)]))
    assert Prediction.objects.get().value == 2


def test_a_withdrawn_participant_is_named_as_one(rated: Study, as_csv: Write) -> None:
    person, question, source, value = points(rated)[0]
    Enrolment.objects.filter(public_code=person).update(status=Enrolment.Status.WITHDRAWN)
    assert "has withdrawn" in problems(rated, as_csv([(person, question, source, value)]))[0]


def test_another_studys_codes_mean_nothing_here(rated: Study, study: Study, as_csv: Write) -> None:
    assert "no such participant" in problems(study, as_csv(points(rated)[:1]))[0]


def test_a_name_that_a_judge_has_is_refused(rated: Study, as_csv: Write) -> None:
    services.batch_for(study=rated, method="judge", parameters={}, name="guesses", now=NOW)
    with pytest.raises(BadInput, match="Another way of predicting is called so"):
        take(rated, as_csv(points(rated)))
    assert PredictionBatch.objects.get().method == "judge"


@pytest.mark.parametrize("content", [b"", b"participant,question,source,rating\n", b"participant,question\na,b\n"])
def test_a_file_without_rows_or_columns_is_refused(rated: Study, content: bytes) -> None:
    assert problems(rated, content)
