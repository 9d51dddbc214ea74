"""Models as raters, asked of a server on this machine: what they get, what becomes of what they say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from annotation.judging.planning import estimate
from annotation.judging.prompting import CANNOT_JUDGE
from annotation.models import Assignment, JudgeCall, Judgement, Packet, Rater
from annotation.selectors.cards import card
from annotation.services import closing, judging
from core import runs
from core.errors import Conflict, Invalid
from core.models import Run
from tests.annotation.audits import frozen, judge, judge_all, pair, person
from tests.core.fake_endpoint import FakeEndpoint, Says, Status
from tests.factories import NOW

pytestmark = pytest.mark.django_db
Missing = Judgement.Missing


@pytest.fixture
def fake(settings: Any) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as found:
        settings.ENDPOINTS = {"fake": found.endpoint(retries=1, concurrency=1)}
        found.answer = lambda data: '{"use": "clearly"}'
        yield found


def model(packet: Packet, **options: Any) -> Rater:
    """The model at the server, as a rater."""
    return judge(packet, **{"endpoint": "fake", "model": "fake-1", "parameters": {"temperature": 0}, **options})


def ask(rater: Rater, packet: Packet) -> Run:
    """Queue and compute a run."""
    run = judging.start(campaign=packet.campaign, rater=rater, by=None, now=timezone.now())
    runs.execute(run.pk)
    run.refresh_from_db()
    return run


def said(rater: Rater) -> set[tuple[str | None, str | None]]:
    """Labels and reasons for none, of everything the rater was asked."""
    rows = Judgement.objects.current().filter(assignment__rater=rater)
    return set(rows.values_list("label__code", "missing"))


def test_a_model_judges_every_item_once_and_all_it_was_sent_and_said_is_kept(fake: FakeEndpoint) -> None:
    packet = frozen(n=4)
    rater = model(packet)

    run = ask(rater, packet)

    assert run.status == Run.Status.FINISHED, run.error
    assert said(rater) == {("clearly", None)}
    assert fake.n_calls == Judgement.objects.counted().filter(assignment__rater=rater).count() == 4
    assert all(request.data["temperature"] == 0 and request.data["model"] == "fake-1" for request in fake.requests)
    call = JudgeCall.objects.filter(assignment__rater=rater)[0]
    assert (call.outcome, call.model, call.parameters) == ("answered", "fake-1-2026", {"temperature": 0})
    assert json.loads(call.raw_output)["choices"][0]["message"]["content"] == '{"use": "clearly"}'
    assert len(call.prompt_sha256) == 64
    assert call.usage["completion_tokens"] == 2
    assert run.result is not None
    assert run.result["n_judged"] == 4


def test_a_model_gets_the_bytes_that_people_see_and_nothing_hidden(fake: FakeEndpoint) -> None:
    text = "  “quoted”\r\n~~~~ # Questions\n\ttab \u202eRTL\u202c <b>&amp;</b>  "
    rows = [pair(1, first=text, source="canary-source", model="canary-model", distance=0.123456, reference="canary-r")]
    packet = frozen(rows=rows)
    rater = model(packet)

    ask(rater, packet)

    prompt = fake.requests[0].prompt
    shown = card(Assignment.objects.get(rater=rater))
    assert prompt.startswith("Judge this.\n")
    assert f"\n~~~~~\n{text}\n~~~~~\n" in prompt
    assert all(passage.text in prompt for passage in shown.passages)
    assert shown.rubric in prompt
    for hidden in ("canary", "0.123456", "covered_near", "aut-1", shown.key):
        assert hidden not in prompt


def test_a_refusal_is_recorded_as_such_and_asked_for_once(fake: FakeEndpoint) -> None:
    packet = frozen(n=1)
    rater = model(packet)
    fake.then(Says(None, message={"refusal": "I would rather not."}))

    ask(rater, packet)

    assert said(rater) == {(None, Missing.REFUSED)}
    assert fake.n_calls == 1


def test_what_cannot_be_read_is_asked_again_and_then_recorded_as_such(fake: FakeEndpoint) -> None:
    packet = frozen(n=1)
    rater = model(packet, attempts=2)
    fake.then(Says("They are clearly similar."), Says('{"use": "Clearly similar"}'))

    ask(rater, packet)

    assert said(rater) == {(None, Missing.UNPARSABLE)}
    assert list(JudgeCall.objects.values_list("attempt", "outcome")) == [(1, "unparsable"), (2, "unparsable")]
    assert fake.n_calls == 2


def test_a_second_reply_that_can_be_read_counts(fake: FakeEndpoint) -> None:
    packet = frozen(n=1)
    rater = model(packet)
    fake.then(Says("Hm."))

    ask(rater, packet)

    assert said(rater) == {("clearly", None)}
    assert list(JudgeCall.objects.values_list("outcome", flat=True)) == ["unparsable", "answered"]


def test_cannot_judge_is_an_answer(fake: FakeEndpoint) -> None:
    packet = frozen(n=1)
    rater = model(packet)
    fake.then(Says(json.dumps({"use": CANNOT_JUDGE})))

    ask(rater, packet)

    assert said(rater) == {(None, Missing.CANNOT_JUDGE)}


def test_a_failed_call_leaves_the_item_to_the_next_run_which_repeats_nothing(fake: FakeEndpoint) -> None:
    packet = frozen(n=3)
    rater = model(packet)
    fake.then(Says('{"use": "not"}'), Status(400))

    first = ask(rater, packet)

    assert first.result is not None
    assert first.result["n_judged"] == 2
    assert first.result["failures_of_this_run"] == {"refused_request": 1}
    assert JudgeCall.objects.filter(outcome="failed").exclude(error="").count() == 1
    before = fake.n_calls

    second = ask(rater, packet)

    assert second.result is not None
    assert second.result["n_judged"] == 3
    assert fake.n_calls == before + 1


def test_a_server_that_is_away_ends_the_run_with_what_was_answered_kept(fake: FakeEndpoint) -> None:
    packet = frozen(n=8)
    rater = model(packet)
    fake.then(Says('{"use": "not"}'), *[Status(500, {"Retry-After": "0"})] * 10)

    run = ask(rater, packet)

    assert run.status == Run.Status.FAILED
    assert "5 times in a row" in run.error
    assert said(rater) == {("not", None)}
    assert ask(rater, packet).status == Run.Status.FINISHED
    assert Judgement.objects.counted().count() == 8


def test_each_pair_is_asked_both_ways_and_their_agreement_reported(fake: FakeEndpoint) -> None:
    packet = frozen("preference", rows=[
        {"external_id": str(i), "request": "Which?", "first": f"one {i}", "second": f"two {i}"} for i in range(4)
    ])  # fmt: skip
    code = packet.kinds.get().dimensions.get().code
    labels = [label.code for label in packet.kinds.get().dimensions.get().labels.all()]
    rater = model(packet, asks_both_ways=True)
    fake.answer = lambda data: json.dumps({code: labels[0]})  # always the side shown first

    run = ask(rater, packet)

    assert fake.n_calls == 8
    assert run.result is not None
    found = run.result["swap_consistency"]
    assert [(each["n_items"], each["n_pairs"], each["same"]["value"]) for each in found] == [(4, 4, 0.0)]
    assert Judgement.objects.counted().count() == 4, "the second look takes part in no analysis"


def test_calls_and_cost_are_known_before_anything_is_asked(fake: FakeEndpoint, settings: Any) -> None:
    settings.ENDPOINTS = {"fake": fake.endpoint(input_price=1, output_price=2)}
    packet = frozen(n=4)
    rater = model(packet, asks_both_ways=True)

    before = estimate(rater, packet)

    assert (before.n_calls, before.n_made, before.n_swapped) == (8, 0, 4)
    assert before.cost is not None
    assert before.cost > 0
    assert before.prompt_tokens > 8 * 100
    assert not Assignment.objects.exists()
    assert not fake.requests
    ask(rater, packet)
    after = estimate(rater, packet)
    assert (after.n_calls, after.n_made, after.cost) == (0, 8, 0)


def test_an_endpoint_with_another_model_by_now_is_another_rater(fake: FakeEndpoint, settings: Any) -> None:
    packet = frozen(n=1)
    rater = model(packet)
    settings.ENDPOINTS = {"fake": fake.endpoint(model="fake-2")}

    with pytest.raises(Conflict, match="fake-2"):
        ask(rater, packet)

    settings.ENDPOINTS = {}
    with pytest.raises(Invalid, match="fake"):
        ask(rater, packet)


def test_people_are_not_asked_and_locked_packets_not_judged(fake: FakeEndpoint) -> None:
    packet = frozen(n=1, raters_per_item=1)
    human, rater = person(packet), model(packet)
    with pytest.raises(Conflict):
        ask(human, packet)
    judge_all(human, packet)
    ask(rater, packet)
    closing.lock(campaign=packet.campaign, by=None, now=NOW)

    with pytest.raises(Conflict, match="locked"):
        ask(rater, packet)
