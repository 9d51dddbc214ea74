"""A run of a judge, against a server of our own: every reply is kept, nothing is asked twice, nothing is guessed."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from clustering.inclusion import Inclusion
from core import runs
from core.errors import Invalid
from core.models import Run
from prediction import services
from prediction.judging.planning import estimate
from prediction.models import JudgeReply, Prediction, PredictionBatch
from prediction.parameters import Asking
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, FreeResponse, Study
from tests.core.fake_endpoint import FakeEndpoint, Garbage, Says, Status, embeddings
from tests.factories import NOW, CandidateAnswerFactory
from tests.prediction.conftest import points

pytestmark = pytest.mark.django_db


@pytest.fixture
def fake(settings: Any) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        server.answer = lambda data: "Rating: 4"
        settings.ENDPOINTS = {"fake": server.endpoint(concurrency=1, retries=1)}
        yield server


def asking(variant: str = "FS+FR", **values: Any) -> Asking:
    settings: dict[str, Any] = {"method": "judge", "endpoint": "fake", "variant": variant, "repeats": 1, **values}
    return Asking(inclusion=Inclusion(("live",)), **settings)


def run_it(study: Study, **values: Any) -> Run:
    queued = services.start_predictions(study=study, asking=asking(**values), by=None)
    done = runs.execute(queued.pk)
    assert done is not None
    return done


def result_of(run: Run) -> dict[str, Any]:
    assert run.status == Run.Status.FINISHED, run.error
    return run.result or {}


def test_every_reply_is_a_row_with_its_words(rated: Study, fake: FakeEndpoint) -> None:
    result = result_of(run_it(rated, repeats=2, model_parameters={"temperature": 0.5}))

    assert fake.n_calls == 132
    assert {request.data["temperature"] for request in fake.requests} == {0.5}
    assert result["calls"] == {
        "n": 132,
        "n_answered": 132,
        "n_failed": 0,
        "failures": {},
        "outcomes": {"rating": 132},
    }
    batch = PredictionBatch.objects.get()
    assert (batch.method, batch.name) == ("judge", "FS+FR fake")
    assert batch.parameters["model"] == "fake-1"
    assert batch.parameters["model_parameters"] == {"temperature": 0.5}
    reply = JudgeReply.objects.select_related("prediction")[0]
    assert (reply.text, reply.model, reply.prediction.value) == ("Rating: 4", "fake-1-2026", 4)
    assert '"Rating: 4"' in reply.raw
    assert reply.prompt_tokens > 50
    assert Counter(batch.predictions.values_list("repeat", flat=True)) == {1: 66, 2: 66}


def test_figures_rest_on_the_measured_ratings(rated: Study, fake: FakeEndpoint) -> None:
    accuracy = result_of(run_it(rated, variant="FS"))["accuracy"]
    values = [value for *_point, value in points(rated)]
    assert accuracy["n_predicted"] == len(values)
    assert accuracy["mae"]["value"] == pytest.approx(sum(abs(4 - value) for value in values) / len(values))
    assert accuracy["accuracy"]["value"] == pytest.approx(values.count(4) / len(values))
    assert accuracy["spearman"]["undefined"] == "one of the two does not vary"


def test_the_same_run_again_asks_nothing(rated: Study, fake: FakeEndpoint) -> None:
    first = run_it(rated)
    n = fake.n_calls
    again = run_it(rated)
    assert fake.n_calls == n
    assert again.pk != first.pk
    assert again.result == first.result
    assert again.input_sha256 == first.input_sha256


def test_a_subset_is_part_of_the_full_run_that_follows(rated: Study, fake: FakeEndpoint) -> None:
    result = result_of(run_it(rated, subset=10, subset_seed=3, variant="FS"))
    assert (result["n_points"], fake.n_calls) == (10, 10)
    result_of(run_it(rated, repeats=3, variant="FS"))
    assert fake.n_calls == 3 * 72
    assert PredictionBatch.objects.count() == 1


def test_other_parameters_make_another_batch(rated: Study, fake: FakeEndpoint) -> None:
    run_it(rated, subset=3)
    run_it(rated, subset=3, model_parameters={"temperature": 1})
    run_it(rated, subset=3, variant="FS")
    assert fake.n_calls == 9
    assert set(PredictionBatch.objects.values_list("name", flat=True)) == {"FS+FR fake", "FS+FR fake (2)", "FS fake"}


def test_refusals_and_replies_without_a_rating_are_recorded_as_such(rated: Study, fake: FakeEndpoint) -> None:
    fake.then(
        Says(None, message={"refusal": "I will not rate people."}),
        Says("", choice={"finish_reason": "content_filter"}),
        Says("Somewhere between 3 and 4."),
        Says("Rating: 9"),
        Says(""),
    )
    result = result_of(run_it(rated, subset=8, variant="FS"))
    assert result["calls"]["outcomes"] == {"rating": 3, "refused": 2, "unreadable": 3}
    assert result["accuracy"]["n_predicted"] == 3
    refused = Prediction.objects.filter(outcome="refused").order_by("pk")
    assert refused[0].reply.refusal == "I will not rate people."
    assert refused[0].value is None
    assert Prediction.objects.filter(outcome="unreadable", reply__text="Rating: 9").exists()


def test_what_was_refused_is_not_asked_again(rated: Study, fake: FakeEndpoint) -> None:
    fake.then(Says(None, message={"refusal": "No."}))
    run_it(rated, subset=3, variant="FS")
    run_it(rated, subset=3, variant="FS")
    assert fake.n_calls == 3


def test_a_call_without_an_answer_does_not_lose_the_others_and_is_made_again(rated: Study, fake: FakeEndpoint) -> None:
    fake.then(Status(400), Garbage(b"<html>"), Garbage(b"<html>"))
    result = result_of(run_it(rated, subset=6, variant="FS"))
    assert result["calls"]["failures"] == {"bad_reply": 1, "refused_request": 1}
    assert (result["calls"]["n_answered"], Prediction.objects.count()) == (4, 4)
    n = fake.n_calls
    assert result_of(run_it(rated, subset=6, variant="FS"))["calls"]["n_answered"] == 6
    assert fake.n_calls == n + 2


def test_an_endpoint_that_is_away_ends_the_run_and_what_was_answered_stays(rated: Study, fake: FakeEndpoint) -> None:
    fake.then(*[Says("Rating: 2")] * 3)
    fake.answer = lambda data: Status(401)
    run = run_it(rated, variant="FS")
    assert run.status == Run.Status.FAILED
    assert "Start the same run again" in run.error
    assert fake.n_calls == 8
    assert Prediction.objects.filter(value=2).count() == 3

    fake.answer = lambda data: "Rating: 4"
    result_of(run_it(rated, variant="FS"))
    assert fake.n_calls == 8 + 69


def test_prompts_that_the_server_refuses_one_by_one_do_not_end_the_run(rated: Study, fake: FakeEndpoint) -> None:
    fake.then(*[Status(400)] * 4, *[Status(413)] * 4)
    result = result_of(run_it(rated, subset=10, variant="FS"))
    assert result["calls"]["failures"] == {"refused_request": 8}
    assert result["calls"]["n_answered"] == 2


def test_a_withdrawn_person_is_not_asked_about_even_where_numbers_stay(rated: Study, fake: FakeEndpoint) -> None:
    Enrolment.objects.filter(public_code="P03").update(status=Enrolment.Status.WITHDRAWN)
    everybody = Inclusion(("live",), ("complete", "withdrawn"))
    settings: dict[str, Any] = {"method": "judge", "endpoint": "fake", "variant": "FS"}
    queued = services.start_predictions(study=rated, asking=Asking(inclusion=everybody, **settings), by=None)
    runs.execute(queued.pk)
    assert fake.n_calls == 66
    assert not Prediction.objects.filter(enrolment__public_code="P03").exists()


def test_the_most_similar_answer_is_found_by_the_embedder(rated: Study, fake: FakeEndpoint, settings: Any) -> None:
    """The server's vectors follow from the texts alone: the nearest answer is worked out here once more."""
    settings.EMBEDDER = "endpoint:fake"
    similar = Asking(inclusion=Inclusion(("live",)), method="most_similar")
    done = runs.execute(services.start_predictions(study=rated, asking=similar, by=None).pk)
    assert done is not None
    result = result_of(done)
    assert result["baseline"]["embedder"]
    assert len(result["baseline"]["embedder_sha256"]) == 64

    vectors = {}
    for answer in rated.questions.get(code="q1").answers.select_related("source"):
        reply = embeddings({"model": "m", "input": [answer.text]})["data"][0]["embedding"]
        vectors[answer.source.code] = np.array(reply) / np.linalg.norm(reply)
    nearest = max(("s2", "s3"), key=lambda code: vectors[code] @ vectors["s1"])
    measured = {point[:3]: point[3] for point in points(rated)}
    for person in ("P00", "P05"):
        prediction = Prediction.objects.get(
            enrolment__public_code=person, answer__question__code="q1", answer__source__code="s1"
        )
        assert prediction.value == measured[person, "q1", nearest]


def test_several_are_asked_at_a_time_as_the_endpoint_says(rated: Study, fake: FakeEndpoint, settings: Any) -> None:
    settings.ENDPOINTS = {"fake": fake.endpoint(concurrency=3)}
    together = threading.Barrier(3, timeout=10)

    def answer(data: dict[str, Any]) -> str:
        together.wait()
        return "Rating: 3"

    fake.answer = answer
    result_of(run_it(rated, subset=30, variant="FS"))
    assert fake.most_at_once == 3
    assert fake.n_calls == 30


def test_a_changed_prompt_is_asked_anew_and_the_old_answer_superseded(rated: Study, fake: FakeEndpoint) -> None:
    run_it(rated, variant="FR")
    FreeResponse.objects.filter(enrolment__public_code="P01", question__code="q1").update(text="I changed my mind.")
    fake.answer = lambda data: "Rating: 1"
    run_it(rated, variant="FR")
    assert fake.n_calls == 66 + 3
    assert Prediction.objects.exclude(superseded_at=None).count() == 3
    assert Prediction.objects.current().filter(value=1).count() == 3


def test_who_withdraws_while_the_judge_thinks_leaves_nothing_behind(rated: Study, fake: FakeEndpoint) -> None:
    run_it(rated, variant="FS")
    person = Enrolment.objects.get(public_code="P03")
    target = Prediction.objects.filter(enrolment=person)[0]
    assert JudgeReply.objects.filter(prediction__enrolment=person).count() == 6

    stone = withdraw_enrolment(enrolment=person, by=None, now=NOW)

    assert stone.erased["prediction"] == 12
    assert not Prediction.objects.filter(enrolment=person).exists()
    from core.endpoints import ChatReply
    from prediction.points import Target

    late = services.keep_reply(
        batch=target.batch,
        target=Target(person.pk, "P03", 1, "q1", "s1", answer_id=target.answer_id),
        repeat=1,
        prompt_sha256="0" * 64,
        reply=ChatReply("Rating: 4", "{}", "m", "", None, None, ""),
        now=NOW,
    )
    assert late is None
    assert not Prediction.objects.filter(enrolment=person).exists()


def test_keeping_votes_keeps_the_numbers_but_not_the_words(rated: Study, fake: FakeEndpoint) -> None:
    rated.withdrawal_policy = Study.WithdrawalPolicy.KEEP_VOTES
    rated.save()
    rated.current_version.definition["withdrawal"] = "keep_votes"
    rated.current_version.save()
    run_it(rated, variant="FS")
    person = Enrolment.objects.get(public_code="P03")
    assert withdraw_enrolment(enrolment=person, by=None, now=NOW).erased["prediction"] == 6
    assert Prediction.objects.filter(enrolment=person).count() == 6
    assert not JudgeReply.objects.filter(prediction__enrolment=person).exists()


def test_two_workers_store_one_answer(rated: Study, fake: FakeEndpoint) -> None:
    run_it(rated, subset=1, variant="FS")
    prediction = Prediction.objects.select_related("reply", "batch", "enrolment").get()
    from core.endpoints import ChatReply
    from prediction.points import Target

    again = services.keep_reply(
        batch=prediction.batch,
        target=Target(prediction.enrolment_id, "", 1, "", "", answer_id=prediction.answer_id),
        repeat=1,
        prompt_sha256=prediction.prompt_sha256,
        reply=ChatReply("Rating: 1", "{}", "m", "", None, None, ""),
        now=NOW,
    )
    assert again is None
    assert Prediction.objects.get().value == 4


def test_candidates_are_predicted_and_not_scored(rated: Study, fake: FakeEndpoint) -> None:
    new = CandidateAnswerFactory(candidate__study=rated, candidate__code="new", question=rated.questions.first())
    result = result_of(run_it(rated, scope="new", variant="FS"))
    assert (result["n_points"], fake.n_calls) == (12, 12)
    assert result["accuracy"]["mae"]["undefined"] == "nothing was predicted"
    assert new.predictions.count() == 12


def test_the_estimate_counts_what_is_sent(rated: Study, fake: FakeEndpoint, settings: Any) -> None:
    settings.ENDPOINTS = {
        "fake": fake.endpoint(concurrency=1, input_price=Decimal(2), output_price=Decimal(10), currency="EUR")
    }
    found = estimate(rated, asking(repeats=3, subset=20), reply_tokens=5)
    assert found.n_points + sum(found.left_out.values()) == 20
    assert (found.n_calls, found.n_made) == (3 * found.n_points, 0)
    run_it(rated, repeats=3, subset=20)
    assert fake.n_calls == found.n_calls
    characters = [sum(len(message["content"]) for message in request.data["messages"]) for request in fake.requests]
    assert found.prompt_tokens == sum(-(-n // 4) for n in characters)
    assert found.completion_tokens == 5 * found.n_calls
    assert found.cost == (found.prompt_tokens * Decimal(2) + found.completion_tokens * Decimal(10)) / 1_000_000

    after = estimate(rated, asking(repeats=3, subset=20))
    assert (after.n_calls, after.n_made, after.cost) == (0, found.n_calls, 0)


def test_a_cost_without_a_price_is_unknown_unless_one_is_given(rated: Study, fake: FakeEndpoint) -> None:
    assert estimate(rated, asking()).cost is None
    assert estimate(rated, asking(), input_price=Decimal(1), output_price=Decimal(1)).cost > 0


def test_nobody_to_ask_about_is_said(rated: Study, fake: FakeEndpoint) -> None:
    FreeResponse.objects.all().delete()
    run = run_it(rated, variant="FR")
    assert run.status == Run.Status.FAILED
    assert "Nobody has what" in run.error
    assert fake.n_calls == 0


def test_a_missing_key_ends_the_run_before_anything_is_asked(rated: Study, fake: FakeEndpoint, settings: Any) -> None:
    settings.ENDPOINTS = {"fake": fake.endpoint(key_variable="POLYPHONY_TEST_NO_SUCH_KEY")}
    run = run_it(rated, variant="FS")
    assert run.status == Run.Status.FAILED
    assert "POLYPHONY_TEST_NO_SUCH_KEY" in run.error
    assert fake.n_calls == 0


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"variant": "XX"}, "variant"),
        ({"endpoint": ""}, "endpoint"),
        ({"method": "mean_of_others"}, "variant"),
        ({"method": "magic"}, "method"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 21}, "repeats"),
        ({"subset": 0}, "subset"),
        ({"subset_seed": -1}, "subset_seed"),
        ({"scope": "future"}, "scope"),
        ({"model_parameters": {"model": "other"}}, "model_parameters"),
        ({"model_parameters": {"x": float("nan")}}, "model_parameters"),
        ({"model_parameters": {"x": "y" * 5000}}, "model_parameters"),
        ({"model_parameters": [1]}, "model_parameters"),
        ({"model_parameters": {"x": "\0"}}, "model_parameters"),
        ({"model_parameters": {"x": ["\ud800"]}}, "model_parameters"),
    ],
)
def test_settings_that_cannot_be_run_are_named(values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        asking(**values)
    assert field in caught.value.fields


def test_the_words_of_a_person_go_to_the_configured_endpoint_alone(rated: Study, fake: FakeEndpoint) -> None:
    run_it(rated, subset=2, variant="FR")
    assert all(re.search(r"\| Person \d+ thinks of", request.prompt) for request in fake.requests)
    with pytest.raises(Invalid, match="nowhere"):
        services.start_predictions(study=rated, asking=asking(endpoint="nowhere"), by=None)
