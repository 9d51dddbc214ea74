"""Reports: methods compared, parity, leave one model out on planted groups, and the leaderboard."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest

from clustering.stats.lomo import leave_one_out_scores
from core import runs
from core.errors import Invalid, NotThere
from core.models import Run
from prediction import services
from prediction.models import Prediction, PredictionBatch
from prediction.parameters import Reporting
from prediction.reporting import NO_GROUPS, demographics, predicted_of
from prediction.selectors import default_inclusion
from studies.models import RepresentationRating, Study
from tests.clustering.conftest import planted  # noqa: F401 - a fixture
from tests.factories import NOW, CandidateAnswerFactory, CandidateFactory, PredictionBatchFactory, PredictionFactory

pytestmark = pytest.mark.django_db


def batch_of(study: Study, name: str, change: Any = lambda value: value, **only: Any) -> PredictionBatch:
    """Predictions of all measured ratings, each `change` of the rating."""
    batch: PredictionBatch = PredictionBatchFactory(study=study, name=name)
    rows = RepresentationRating.objects.current().filter(enrolment__study=study, **only)
    Prediction.objects.bulk_create(
        Prediction(
            batch=batch,
            enrolment_id=row.enrolment_id,
            answer_id=row.answer_id,
            outcome="rating",
            value=change(row.value),
            predicted_at=NOW,
        )
        for row in rows
    )
    return batch


def reported(study: Study, *batches: PredictionBatch, **values: Any) -> dict[str, Any]:
    reporting = Reporting(
        inclusion=default_inclusion(study),
        batches=tuple(str(batch.public_id) for batch in batches),
        replicates=200,
        permutations=99,
        **values,
    )
    run = runs.execute(services.start_report(study=study, reporting=reporting, seed=1, by=None).pk)
    assert run is not None
    assert run.status == Run.Status.FINISHED, run.error
    return run.result or {}


def scored(study: Study) -> Run:
    from django.core.management import call_command

    # One size instead of three: the groups are planted, and a third of the grid finds them.
    call_command("overton", f"--study={study.slug}", "--replicates=100", "--minimum-size=3", stdout=StringIO())
    return Run.objects.get(kind="overton")


def test_methods_are_compared_and_the_oracle_wins(rated: Study) -> None:
    oracle = batch_of(rated, "oracle")
    off = batch_of(rated, "off by one", lambda value: value % 5 + 1)
    result = reported(rated, oracle, off)
    own = {line["method"]: line for line in result["accuracy"]["own"]}
    assert own["oracle"]["mse"]["value"] == 0
    assert own["off by one"]["accuracy"]["value"] == 0
    duel = next(one for one in result["accuracy"]["duels"] if one["method"] == "oracle")
    assert (duel["win_rate"]["value"], duel["tie_rate"]["value"]) == (1, 0)
    assert result["scores"][0]["undefined"] == NO_GROUPS
    assert result["n_ratings"] == 72


def test_the_unit_of_the_bootstrap_is_what_was_asked_for(rated: Study) -> None:
    batch = batch_of(rated, "off", lambda value: value % 5 + 1)
    found = {unit: reported(rated, batch, unit=unit)["accuracy"] for unit in ("rating", "participant", "question")}
    assert {unit: one["n_units"] for unit, one in found.items()} == {"rating": 72, "participant": 12, "question": 2}


def test_repeats_are_averaged_and_rounded_half_up(rated: Study) -> None:
    batch = PredictionBatchFactory(study=rated)
    rating = RepresentationRating.objects.filter(enrolment__study=rated)[0]
    same = {"batch": batch, "enrolment": rating.enrolment, "answer": rating.answer}
    for repeat, value in enumerate([2, 3], 1):
        PredictionFactory(**same, repeat=repeat, value=value)
    PredictionFactory(**same, repeat=3, value=None, outcome="refused", reason="no")
    found = predicted_of(batch)
    assert list(found.values.values()) == [3]
    assert (found.outcomes, found.most_repeats) == ({"rating": 2, "refused": 1}, 2)


def test_superseded_predictions_and_old_revisions_do_not_count(rated: Study) -> None:
    batch = batch_of(rated, "all")
    Prediction.objects.filter(pk=batch.predictions.first().pk).update(superseded_at=NOW)
    assert len(predicted_of(batch).values) == 71
    rated.questions.get(code="q1").answers.filter(source__code="s1").update(is_current=False)
    assert len(predicted_of(batch).values) in {59, 60}


def test_subgroups_are_those_of_the_form(rated: Study) -> None:
    groups = demographics(rated)
    assert set(groups) == {"form: sex", "form: ethnicity"}
    assert set(groups["form: ethnicity"].values()) == {"several", "White"}
    batch = batch_of(rated, "off", lambda value: value % 5 + 1)
    lines = reported(rated, batch)["parity"][0]["lines"]
    assert {(line["category"], line["people"]["scheme"]) for line in lines} == {
        ("form: sex", "blocks"),
        ("form: ethnicity", "blocks"),
        ("model", "within"),
    }


def test_leaving_a_model_out_with_perfect_predictions_changes_nothing(planted: Study) -> None:  # noqa: F811
    scored(planted)
    scores = reported(planted, batch_of(planted, "oracle"))["scores"][0]
    for mode in ("ordinary", "paper"):
        found = scores["lomo"]["unweighted"][mode]
        assert all(abs(row["difference"]) < 1e-12 for row in found["targets"])
        assert found["direction"]["share"] == 1
        assert found["precision_at"] == {"1": 1.0}
    assert scores["share_predicted"] == {"s1": 1.0, "s2": 1.0}


def test_leaving_a_model_out_is_what_the_scores_say(planted: Study) -> None:  # noqa: F811
    """Predictions that nobody is represented by s1: its score is that of s2, by hand 0."""
    scored(planted)
    batch = batch_of(planted, "gloomy", lambda value: 1)
    found = reported(planted, batch)["scores"][0]["lomo"]["unweighted"]["ordinary"]
    targets = {row["source"]: row for row in found["targets"]}
    assert targets["s1"]["measured"] == pytest.approx(2 / 3)
    assert targets["s1"]["predicted"] == pytest.approx(0, abs=1e-12)
    oracle = leave_one_out_scores(
        {name: row["measured"] for name, row in targets.items()},
        {name: row["predicted"] for name, row in targets.items()},
    )
    assert found["mean_absolute_difference"] == pytest.approx(oracle.mean_absolute_difference)


def test_a_model_that_is_not_predicted_is_not_left_out(planted: Study) -> None:  # noqa: F811
    scored(planted)
    found = reported(planted, batch_of(planted, "half", answer__source__code="s1"))["scores"][0]
    assert [row["source"] for row in found["lomo"]["unweighted"]["ordinary"]["targets"]] == ["s1"]
    assert found["share_predicted"] == {"s1": 1.0, "s2": 0.0}


def test_a_candidate_stands_on_the_leaderboard_marked_as_predicted(planted: Study) -> None:  # noqa: F811
    scored(planted)
    candidate = CandidateFactory(study=planted, code="new", name="Newcomer")
    batch = batch_of(planted, "judge of all")
    people = list(planted.enrolments.order_by("pk"))
    for question in planted.questions.all():
        answer = CandidateAnswerFactory(candidate=candidate, question=question)
        Prediction.objects.bulk_create(
            Prediction(
                batch=batch, enrolment=person, candidate_answer=answer, outcome="rating", value=5, predicted_at=NOW
            )
            for person in people
        )
    before = reported_scores(planted)
    board = reported(planted, batch)["scores"][0]["leaderboard"]["unweighted"]["rows"]
    assert [(row["code"], row["is_predicted"]) for row in board] == [("new", True), ("s1", False), ("s2", False)]
    assert board[0]["name"] == "Newcomer"
    assert board[0]["raw"] == 1
    # The measured scores know nothing of it.
    assert reported_scores(planted) == before
    assert {row["code"]: row["raw"] for row in board if not row["is_predicted"]} == pytest.approx(
        {code: value for code, value in before.items() if code in {"s1", "s2"}}
    )


def reported_scores(study: Study) -> dict[str, float | None]:
    from clustering.models import Score

    rows = Score.objects.filter(source__study=study, is_weighted=False)
    return dict(rows.values_list("source__code", "value"))


def test_the_same_report_twice_is_the_same_bytes(rated: Study) -> None:
    batch = batch_of(rated, "off", lambda value: value % 5 + 1)
    reported(rated, batch)
    reported(rated, batch)
    first, second = Run.objects.filter(kind="prediction_report")
    assert first.result_sha256 == second.result_sha256
    assert first.input_sha256 == second.input_sha256


def test_another_studys_batch_is_not_there(rated: Study, study: Study) -> None:
    foreign = PredictionBatchFactory(study=study)
    with pytest.raises(NotThere):
        reported(rated, foreign)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    "values",
    [
        {"batches": ()},
        {"batches": ("x",)},
        {"unit": "moon"},
        {"replicates": 99},
        {"permutations": 98},
        {"level": 1.0},
    ],
)
def test_settings_that_cannot_be_run_are_named(rated: Study, values: dict[str, Any]) -> None:
    good = {"inclusion": default_inclusion(rated), "batches": ("00000000-0000-4000-8000-000000000000",)}
    with pytest.raises(Invalid) as caught:
        Reporting(**(good | values))
    assert set(caught.value.fields) == set(values)


def test_a_report_without_measured_ratings_says_so(study: Study) -> None:
    batch = PredictionBatchFactory(study=study)
    result = reported(study, batch)
    assert result["accuracy"]["own"][0]["mae"]["undefined"] == "nothing was predicted"
