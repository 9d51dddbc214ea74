"""Runs: claimed once, taken over when silent, never changed when finished."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from core import runs
from core.models import Run
from core.models.run import LEASE, MAX_ATTEMPTS

pytestmark = pytest.mark.django_db

RESULT = {"answer": [1, 2.5, None], "n": 3}


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A kind of run of this test, whose executor is in `kind["executor"]`."""
    behaviour: dict[str, Any] = {"executor": lambda running: runs.Computed("a" * 64, RESULT)}
    monkeypatch.setitem(runs._executors, "test", lambda running: behaviour["executor"](running))
    return behaviour


def queued(**changes: Any) -> Run:
    values: dict[str, Any] = {
        "kind": "test",
        "subject_kind": "study",
        "subject_id": "s",
        "parameters": {"k": [1, 2]},
        "seed": 1,
    }
    return runs.queue_run(**{**values, **changes})


def test_queueing_the_same_again_returns_the_unfinished_run() -> None:
    assert queued() == queued()
    assert queued(seed=2) != queued()
    assert Run.objects.count() == 2


def test_a_finished_run_may_repeat_and_gives_the_same_hash(kind: dict[str, Any]) -> None:
    first = runs.execute(queued().pk)
    second = runs.execute(queued().pk)

    assert first is not None
    assert second is not None
    assert first.pk != second.pk
    assert first.result == RESULT
    assert first.result_sha256 == second.result_sha256


def test_the_store_of_typed_rows_runs_in_the_finishing_transaction(kind: dict[str, Any]) -> None:
    def store(run: Run) -> None:
        raise RuntimeError("no room")

    kind["executor"] = lambda running: runs.Computed("a" * 64, RESULT, store)
    run = queued()

    with pytest.raises(RuntimeError):
        runs.execute(run.pk)

    run.refresh_from_db()
    assert run.status == Run.Status.FAILED
    assert run.result is None
    assert "no room" not in run.error


def test_a_stated_reason_is_shown_as_it_stands(kind: dict[str, Any]) -> None:
    def refuse(running: runs.RunningRun) -> runs.Computed:
        raise runs.CannotCompute("Nobody has voted yet.")

    kind["executor"] = refuse
    run = runs.execute(queued().pk)

    assert run is not None
    assert run.status == Run.Status.FAILED
    assert run.error == "Nobody has voted yet."


def test_a_claimed_run_is_not_free() -> None:
    run = queued()
    assert runs.claim(run.pk) is not None
    assert runs.claim(run.pk) is None


def test_a_silent_worker_loses_its_run_and_cannot_write(kind: dict[str, Any]) -> None:
    run = queued()
    lost = runs.claim(run.pk, now=timezone.now() - LEASE - timedelta(seconds=1))
    assert lost is not None

    taken = runs.claim(run.pk)

    assert taken is not None
    with pytest.raises(runs.LostClaim):
        lost.progress(1, 2)
    with pytest.raises(runs.LostClaim):
        lost.heartbeat()
    with pytest.raises(runs.LostClaim):
        runs._finish(lost, runs.Computed("b" * 64, {"wrong": True}))
    taken.progress(1, 2, "half")
    run.refresh_from_db()
    assert (run.progress_done, run.progress_total, run.progress_note) == (1, 2, "half")
    assert run.result is None


def test_a_worker_that_lost_its_claim_says_nothing(kind: dict[str, Any]) -> None:
    def slow(running: runs.RunningRun) -> runs.Computed:
        Run.objects.filter(pk=running.run.pk).update(claim_token=uuid.uuid4())
        return runs.Computed("a" * 64, RESULT)

    kind["executor"] = slow
    run = queued()

    assert runs.execute(run.pk) is None
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING


def test_the_sweeper_takes_up_a_run_whose_worker_died(
    kind: dict[str, Any], django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[int, ...]] = []
    monkeypatch.setattr("core.tasks.execute_run.apply_async", lambda args, **options: sent.append(args))
    run = queued()
    runs.claim(run.pk, now=timezone.now() - LEASE - timedelta(seconds=1))

    with django_capture_on_commit_callbacks(execute=True):
        assert runs.sweep() == [run.pk]

    assert sent == [(run.pk,)]
    assert runs.execute(run.pk) is not None
    assert runs.sweep() == []


def test_the_sweeper_leaves_fresh_and_held_runs_alone() -> None:
    queued()
    held = queued(seed=2)
    runs.claim(held.pk)
    assert runs.sweep() == []


def test_a_run_that_kills_its_worker_is_given_up(kind: dict[str, Any]) -> None:
    run = queued()
    long_ago = timezone.now() - LEASE - timedelta(seconds=1)
    for _attempt in range(MAX_ATTEMPTS):
        assert runs.claim(run.pk) is not None
        Run.objects.filter(pk=run.pk).update(heartbeat_at=long_ago)

    assert runs.claim(run.pk) is None
    runs.sweep()

    run.refresh_from_db()
    assert run.status == Run.Status.FAILED
    assert str(MAX_ATTEMPTS) in run.error


def test_without_a_broker_the_run_waits_for_the_sweeper(
    django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(args: object, **options: object) -> None:
        raise OSError("connection refused")

    monkeypatch.setattr("core.tasks.execute_run.apply_async", refuse)
    run = queued(now=timezone.now() - timedelta(minutes=1))

    with django_capture_on_commit_callbacks(execute=True):
        runs.publish(run)

    run.refresh_from_db()
    assert run.status == Run.Status.QUEUED
    later = timezone.now() + runs.QUEUED_TOO_LONG + timedelta(seconds=1)
    assert runs.sweep(now=later) == [run.pk]


def test_who_holds_the_parent_takes_a_part_from_the_former_holder(kind: dict[str, Any]) -> None:
    part = queued(parent=queued(), subject_kind="question", subject_id="q")
    former = runs.claim(part.pk, holds_parent=True)
    assert former is not None
    assert runs.claim(part.pk) is None

    done = runs.execute(part.pk, holds_parent=True)

    assert done is not None
    assert done.status == Run.Status.FINISHED
    with pytest.raises(runs.LostClaim):
        former.heartbeat()


def whole(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch, part_of: Any, *, n: int = 3) -> Run:
    """A queued run of `n` parts, each computed by `part_of`; its result lists theirs, or why there is none."""

    def compute(running: runs.RunningRun) -> runs.Computed:
        parts = [
            runs.Part(kind="part", subject_kind="piece", subject_id=str(i), parameters={}, seed=1, label=f"piece {i}")
            for i in range(n)
        ]
        done = runs.compute_parts(running, parts)
        return runs.Computed("b" * 64, {"parts": [part.result or part.error for part in done]})

    monkeypatch.setitem(runs._executors, "part", part_of)
    monkeypatch.setattr("core.runs.parts.POLL_S", 0.01)
    kind["executor"] = compute
    return queued(seed=77)


def number_of(running: runs.RunningRun) -> runs.Computed:
    return runs.Computed("c" * 64, {"number": int(running.run.subject_id)})


def test_the_parts_of_a_run_are_computed_in_their_order_and_counted(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, str]] = []

    def part_of(running: runs.RunningRun) -> runs.Computed:
        parent = Run.objects.get(pk=running.run.parent_id)
        seen.append((parent.progress_done, parent.progress_note))
        return number_of(running)

    done = runs.execute(whole(kind, monkeypatch, part_of).pk)

    assert done is not None
    assert done.result == {"parts": [{"number": 0}, {"number": 1}, {"number": 2}]}
    assert seen == [(0, "piece 0"), (1, "piece 1"), (2, "piece 2")]
    assert (done.progress_done, done.progress_total) == (3, 3)


def test_a_part_that_breaks_leaves_the_others_alone(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def part_of(running: runs.RunningRun) -> runs.Computed:
        if running.run.subject_id == "1":
            raise ZeroDivisionError("a mistake in the program")
        return number_of(running)

    done = runs.execute(whole(kind, monkeypatch, part_of).pk)

    assert done is not None
    assert done.result is not None
    first, broken, last = done.result["parts"]
    assert (first, last) == ({"number": 0}, {"number": 2})
    assert "log" in broken
    assert "mistake" not in broken


def test_a_part_in_the_hands_of_another_is_waited_for(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[runs.RunningRun] = []

    def part_of(running: runs.RunningRun) -> runs.Computed:
        if running.run.subject_id == "0":
            other = runs.claim(Run.objects.get(parent=running.run.parent_id, subject_id="1").pk)
            assert other is not None
            others.append(other)
        return number_of(running)

    def sleep(seconds: float) -> None:
        # While it waits, the other worker ends its part.
        assert Run.objects.get(pk=others[0].run.pk).status == Run.Status.RUNNING
        runs._finish(others[0], runs.Computed("c" * 64, {"number": 100}))

    run = whole(kind, monkeypatch, part_of)
    monkeypatch.setattr("core.runs.parts.time.sleep", sleep)

    done = runs.execute(run.pk)

    assert done is not None
    assert done.result == {"parts": [{"number": 0}, {"number": 100}, {"number": 2}]}


def test_the_part_of_a_dead_worker_is_taken_back_after_its_lease(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[runs.RunningRun] = []
    waited: list[float] = []

    def part_of(running: runs.RunningRun) -> runs.Computed:
        if running.run.subject_id == "0":
            other = runs.claim(Run.objects.get(parent=running.run.parent_id, subject_id="1").pk)
            assert other is not None
            taken.append(other)
        return number_of(running)

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        Run.objects.filter(pk=taken[0].run.pk).update(heartbeat_at=timezone.now() - LEASE * 2)

    run = whole(kind, monkeypatch, part_of)
    monkeypatch.setattr("core.runs.parts.time.sleep", sleep)

    done = runs.execute(run.pk)

    assert done is not None
    assert done.result == {"parts": [{"number": 0}, {"number": 1}, {"number": 2}]}
    assert len(waited) == 1
    with pytest.raises(runs.LostClaim):
        runs._finish(taken[0], runs.Computed("c" * 64, {"number": 100}))


def test_a_part_that_kills_its_workers_is_given_up_and_the_whole_is_not(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def part_of(running: runs.RunningRun) -> runs.Computed:
        if running.run.subject_id == "1":
            raise KeyboardInterrupt
        return number_of(running)

    run = whole(kind, monkeypatch, part_of)
    long_ago = timezone.now() - LEASE * 2
    for _death in range(runs.PART_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            runs.execute(run.pk)
        Run.objects.filter(status=Run.Status.RUNNING).update(heartbeat_at=long_ago)

    done = runs.execute(run.pk)

    assert done is not None
    assert (done.status, done.attempt) == (Run.Status.FINISHED, MAX_ATTEMPTS)
    assert done.result is not None
    assert done.result["parts"][::2] == [{"number": 0}, {"number": 2}]
    assert str(runs.PART_ATTEMPTS) in done.result["parts"][1]


def test_who_lost_the_whole_stops_waiting_for_its_parts(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def part_of(running: runs.RunningRun) -> runs.Computed:
        Run.objects.filter(pk=running.run.parent_id).update(claim_token=uuid.uuid4())
        return number_of(running)

    run = whole(kind, monkeypatch, part_of)

    assert runs.execute(run.pk) is None
    assert Run.objects.filter(parent=run, status=Run.Status.QUEUED).count() == 2


def test_no_part_of_a_failed_run_is_begun(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(running: runs.RunningRun) -> runs.Computed:
        queued(parent=running.run, subject_kind="piece", subject_id="0")
        raise runs.CannotCompute("No.")

    kind["executor"] = refuse
    run = queued()
    runs.execute(run.pk)

    part = Run.objects.get(parent=run)
    assert part.status == Run.Status.FAILED
    assert runs.claim(part.pk) is None


def test_parts_are_published_once_and_none_after_the_broker_is_away(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[int] = []

    def send(args: tuple[int], **options: object) -> None:
        sent.append(args[0])
        if len(sent) == 2:
            raise OSError("connection refused")

    monkeypatch.setattr("core.tasks.execute_run.apply_async", send)
    run = whole(kind, monkeypatch, number_of, n=4)

    with django_capture_on_commit_callbacks(execute=True):
        runs.execute(run.pk)

    assert sent == list(Run.objects.filter(parent=run).order_by("pk").values_list("pk", flat=True))[:2]


def test_parts_are_unique_in_their_parent_even_when_finished(kind: dict[str, Any]) -> None:
    parent = queued()
    part = queued(parent=parent, subject_kind="question", subject_id="q")
    runs.execute(part.pk)
    assert queued(parent=parent, subject_kind="question", subject_id="q") == part


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("core_run_status_valid", {"status": "asleep"}),
        ("core_run_finished_at_agrees", {"finished_at": timezone.now()}),
        ("core_run_claim_agrees", {"claim_token": uuid.uuid4()}),
        ("core_run_result_agrees", {"result_sha256": "c" * 64}),
        ("core_run_progress_in_range", {"progress_done": 3, "progress_total": 2}),
    ],
)
def test_the_database_refuses_a_run_that_contradicts_itself(name: str, values: dict[str, Any]) -> None:
    run = queued()
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(**values)


def test_core_run_one_unfinished_and_core_run_one_reported_hold() -> None:
    run = queued()
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(
            kind=run.kind,
            subject_kind=run.subject_kind,
            subject_id=run.subject_id,
            parameters={},
            parameters_sha256=run.parameters_sha256,
            seed=run.seed,
            queued_at=timezone.now(),
        )
    other = queued(seed=5)
    Run.objects.filter(pk=run.pk).update(is_reported=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=other.pk).update(is_reported=True)


def test_core_run_one_part_of_a_kind_holds() -> None:
    parent = queued()
    part = queued(parent=parent, subject_kind="question", subject_id="q")
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(
            kind=part.kind,
            subject_kind=part.subject_kind,
            subject_id=part.subject_id,
            parent=parent,
            parameters={"other": 1},
            parameters_sha256="d" * 64,
            seed=9,
            queued_at=timezone.now(),
        )


def test_a_database_that_is_away_for_a_moment_does_not_end_the_heartbeat(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[str] = []
    enough = threading.Event()

    def heartbeat(running: runs.RunningRun) -> None:
        beats.append("away" if not beats else "there")
        if len(beats) == 2:
            enough.set()
        if len(beats) == 1:
            raise OperationalError("the database is locked")

    monkeypatch.setattr("core.runs.executing.HEARTBEAT_S", 0.01)
    monkeypatch.setattr(runs.RunningRun, "heartbeat", heartbeat)

    def long(running: runs.RunningRun) -> runs.Computed:
        assert enough.wait(60)
        return runs.Computed("a" * 64, RESULT)

    kind["executor"] = long
    done = runs.execute(queued().pk)

    assert done is not None
    assert done.status == Run.Status.FINISHED
    assert beats[:2] == ["away", "there"]


@pytest.mark.races
@pytest.mark.django_db(transaction=True)
def test_a_computation_longer_than_its_lease_keeps_it(kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.executing.HEARTBEAT_S", 0.05)
    run = queued()

    def long(running: runs.RunningRun) -> runs.Computed:
        long_ago = timezone.now() - LEASE * 2
        Run.objects.filter(pk=run.pk).update(heartbeat_at=long_ago)
        pause = threading.Event()
        for _attempt in range(100):
            found = Run.objects.get(pk=run.pk).heartbeat_at
            if found is not None and found > long_ago:
                break
            pause.wait(0.05)
        assert runs.claim(run.pk) is None
        return runs.Computed("a" * 64, RESULT)

    kind["executor"] = long
    done = runs.execute(run.pk)
    assert done is not None
    assert (done.status, done.attempt) == (Run.Status.FINISHED, 1)


@pytest.mark.races
@pytest.mark.django_db(transaction=True)
def test_of_ten_workers_one_claims_the_run() -> None:
    run = queued()
    claimed: list[object] = []
    start = threading.Barrier(10)

    def work() -> None:
        start.wait()
        try:
            if taken := runs.claim(run.pk):
                claimed.append(taken)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(claimed) == 1


@pytest.mark.races
@pytest.mark.django_db(transaction=True)
def test_ten_buttons_pressed_at_once_queue_one_run() -> None:
    start = threading.Barrier(10)
    made: list[int] = []

    def press() -> None:
        start.wait()
        try:
            made.append(queued().pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 10
    assert len(set(made)) == 1
