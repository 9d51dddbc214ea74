"""Which questions people get."""

from __future__ import annotations

import heapq
import random
import statistics
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pytest

from studies.models import Enrolment, Slot
from studies.recruitment.arrival import Arrival
from studies.recruitment.assignment import draw_questions, taken_places
from studies.recruitment.services import start_session
from tests.factories import NOW, SlotFactory, published_study

QUESTIONS = [SimpleNamespace(pk=n, code=f"q{n}") for n in range(1, 61)]


def drawn(policy: str, taken: dict[int, int], code: str, number: int = 3) -> list[int]:
    questions = draw_questions(QUESTIONS, number=number, policy=policy, taken=taken, seed="seed", code=code)
    return [question.pk for question in questions]


@pytest.mark.parametrize("policy", ["uniform", "balanced"])
def test_nobody_gets_a_question_twice_and_the_draw_repeats(policy: str) -> None:
    for n in range(200):
        first = drawn(policy, {}, f"P{n}")

        assert len(set(first)) == 3
        assert drawn(policy, {}, f"P{n}") == first


def test_uniform_gives_each_question_and_each_place_alike() -> None:
    draws = [drawn("uniform", {1: 1000}, f"P{n}") for n in range(4000)]

    counts = Counter(question for draw in draws for question in draw)
    first = Counter(draw[0] for draw in draws)
    # 4000 draws of 3 in 60: 200 each, standard deviation 13.8; the first of three 66.7 with 8.1.
    assert min(counts.values()) > 200 - 5 * 13.8
    assert max(counts.values()) < 200 + 5 * 13.8
    assert max(first.values()) < 66.7 + 5 * 8.1


def test_balanced_takes_the_questions_taken_least() -> None:
    taken = {question.pk: 5 for question in QUESTIONS} | {7: 2, 19: 3, 44: 1}

    assert set(drawn("balanced", taken, "P1")) == {7, 19, 44}


def test_ties_are_broken_at_random_and_the_order_tells_nothing() -> None:
    taken = {question.pk: 5 for question in QUESTIONS} | {7: 0}
    draws = [drawn("balanced", taken, f"P{n}") for n in range(600)]

    assert all(7 in draw for draw in draws)
    assert len({question for draw in draws for question in draw}) == 60
    places = Counter(draw.index(7) for draw in draws)
    assert min(places.values()) > 150, "the emptiest question comes first, second and third about as often"


def simulated(rule: str, *, people: int = 1209, drop_out: float = 0.15, seed: int = 1) -> list[int]:
    """Completes a question when people come in bursts of 20 a minute and take 23 minutes, by what is counted."""
    rng = random.Random(seed)
    complete, live = Counter(), Counter()
    events: list[tuple[float, int, tuple[int, ...], bool]] = []
    minute, n = 0.0, 0
    while n < people / (1 - drop_out):
        n += 1
        minute += rng.expovariate(20) + (30 if n % 20 == 0 else 0) / 60
        while events and events[0][0] <= minute:
            _at, _n, questions, finished = heapq.heappop(events)
            live.subtract(questions)
            complete.update(questions if finished else ())
        taken = complete + live if rule == "reservations" else complete
        policy = "uniform" if rule == "uniform" else "balanced"
        mine = tuple(drawn(policy, dict(taken), f"{seed}:{n}"))
        live.update(mine)
        finishes = rng.random() > drop_out
        # Somebody who leaves holds the questions until the reservation expires.
        stays = rng.lognormvariate(3.135, 0.3) if finishes else 60
        heapq.heappush(events, (minute + stays, n, mine, finishes))
    while events:
        _at, _n, questions, finished = heapq.heappop(events)
        complete.update(questions if finished else ())
    return [complete[question.pk] for question in QUESTIONS]


def test_counting_reservations_keeps_questions_even_where_counting_completes_herds_people() -> None:
    kept, naive, uniform = (simulated(rule) for rule in ("reservations", "completes", "uniform"))

    spread = {"kept": statistics.pstdev(kept), "naive": statistics.pstdev(naive), "uniform": statistics.pstdev(uniform)}
    print(f"standard deviation of completes a question, one run of 1,209 completes: {spread}")
    assert spread["kept"] < 5
    assert spread["uniform"] > spread["kept"]
    assert spread["naive"] > 5 * spread["kept"]


def test_completes_and_live_reservations_count_and_nothing_else(db) -> None:
    study = published_study(n_questions=1)
    question = study.questions.get()

    def slot(origin: str = "live", **columns) -> None:
        SlotFactory(question=question, enrolment__study=study, enrolment__origin=origin, **columns)

    slot(status=Slot.Status.COMPLETE, completed_at=NOW)
    slot(expires_at=NOW + timedelta(minutes=1))
    slot("simulated", expires_at=NOW + timedelta(minutes=1))
    slot(expires_at=NOW)
    slot(status=Slot.Status.RELEASED)
    slot("preview", expires_at=NOW + timedelta(minutes=1))

    assert taken_places([question], now=NOW) == {question.pk: 3}


def test_people_who_start_together_are_spread_over_the_questions(db) -> None:
    study = published_study(n_questions=6, questions_each=2)

    for _n in range(9):
        start_session(study=study, arrival=Arrival(), now=NOW)

    counts = Counter(Slot.objects.values_list("question__code", flat=True))
    assert set(counts.values()) == {3}


def test_the_slot_says_by_which_policy_in_which_place_and_until_when(db) -> None:
    study = published_study(assignment_policy="uniform", slot_minutes=30)

    start_session(study=study, arrival=Arrival(), now=NOW)

    slots = list(Enrolment.objects.get().slots.order_by("number"))
    assert [slot.number for slot in slots] == [1, 2, 3]
    assert {slot.policy for slot in slots} == {"uniform"}
    assert {slot.expires_at for slot in slots} == {NOW + timedelta(minutes=30)}
