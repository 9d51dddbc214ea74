"""Constraints of predictions, each broken once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from prediction.models import Prediction, PredictionBatch
from tests.constraints import refuses
from tests.factories import (
    NOW,
    CandidateAnswerFactory,
    CandidateFactory,
    PredictionBatchFactory,
    PredictionFactory,
)

pytestmark = pytest.mark.django_db


def test_a_candidate_has_a_code_of_its_own_and_answers_a_question_once() -> None:
    candidate = CandidateFactory()
    refuses("prediction_candidate_code_unique", CandidateFactory(study=candidate.study), code=candidate.code)
    answer = CandidateAnswerFactory(candidate=candidate)
    other = CandidateAnswerFactory(candidate=candidate)
    refuses("prediction_candidateanswer_once", other, question=answer.question)
    refuses("prediction_candidateanswer_has_text", answer, text="")


def test_a_way_of_predicting_has_one_batch_and_one_name_in_a_study() -> None:
    batch = PredictionBatchFactory()
    other = PredictionBatchFactory(study=batch.study)
    refuses("prediction_batch_name_unique", other, name=batch.name)
    refuses("prediction_batch_one_of_its_parameters", other, parameters_sha256=batch.parameters_sha256)
    refuses("prediction_batch_method_valid", batch, method="crystal_ball")


def test_a_hand_has_a_name_and_nothing_else_has() -> None:
    batch = PredictionBatchFactory()
    refuses("prediction_batch_hand_has_a_name", batch, predicted_by_name="somebody")
    refuses("prediction_batch_hand_has_a_name", batch, method=PredictionBatch.Method.HAND)


def test_a_point_has_one_current_prediction_of_each_repeat() -> None:
    prediction = PredictionFactory()
    same = {"batch": prediction.batch, "enrolment": prediction.enrolment}
    other = PredictionFactory(**same, answer=prediction.answer, repeat=2)
    refuses("prediction_prediction_one_of_an_answer", other, repeat=1)
    new = CandidateAnswerFactory(candidate__study=prediction.batch.study)
    first = PredictionFactory(**same, answer=None, candidate_answer=new)
    second = PredictionFactory(**same, answer=None, candidate_answer=new, repeat=2)
    refuses("prediction_prediction_one_of_a_candidate", second, repeat=1)
    Prediction.objects.filter(pk=first.pk).update(superseded_at=NOW)
    Prediction.objects.filter(pk=second.pk).update(repeat=1)


def test_a_prediction_is_of_one_answer() -> None:
    prediction = PredictionFactory()
    refuses("prediction_prediction_of_one_answer", prediction, answer=None)
    both = CandidateAnswerFactory(candidate__study=prediction.batch.study)
    refuses("prediction_prediction_of_one_answer", prediction, candidate_answer=both)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 5.5},
        {"value": 0.5},
        {"value": None},
        {"reason": "said so"},
        {"outcome": "refused"},
        {"outcome": "refused", "value": None},
        {"outcome": "unreadable", "reason": "no rating"},
    ],
)
def test_a_prediction_is_a_rating_or_a_reason(changes: dict[str, object]) -> None:
    refuses("prediction_prediction_rating_or_reason", PredictionFactory(), **changes)


def test_outcomes_repeats_and_times_are_in_range() -> None:
    prediction = PredictionFactory(outcome=Prediction.Outcome.UNREADABLE, value=None, reason="no rating")
    refuses("prediction_prediction_outcome_valid", prediction, outcome="perhaps")
    refuses("prediction_prediction_repeat_from_1", prediction, repeat=0)
    refuses("prediction_prediction_superseded_after", prediction, superseded_at=NOW - timedelta(seconds=1))
