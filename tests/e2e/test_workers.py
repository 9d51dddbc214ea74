"""One run, any number of workers, one of them killed with -9: the same bytes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.serving import FOLDERS, REDIS, Platform, fresh_database, kill, wait_for

N_QUESTIONS = 6


def state(platform: Platform, run: str) -> dict[str, Any]:
    found: dict[str, Any] = platform.ask("state", run=run)
    return found


def ended(platform: Platform, run: str) -> dict[str, Any]:
    """The run when it is over, every part finished."""
    wait_for(
        lambda: state(platform, run)["status"] in {"finished", "failed"},
        timeout_s=240,
        every_s=1,
        why=lambda: str(state(platform, run)),
    )
    row = state(platform, run)
    assert row["status"] == "finished", row
    assert [part["status"] for part in row["parts"]] == ["finished"] * N_QUESTIONS, row
    return row


def helped(row: dict[str, Any]) -> int:
    """How many parts were in the hands of others than the holder of the whole."""
    return sum(part["attempt"] > 0 and not part["is_held_with_parent"] for part in row["parts"])


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.parametrize(("database", "broker"), [("sqlite", FOLDERS), ("postgresql", REDIS)], ids=["sqlite", "redis"])
def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path, database: str, broker: str) -> None:
    with ExitStack() as stack:
        address = stack.enter_context(fresh_database()) if database == "postgresql" else ""
        platform = Platform(tmp_path, stack, database=address, broker=broker)
        slug = platform.ask("planted_many", n_questions=N_QUESTIONS)

        alone = platform.start_worker("first")
        one = platform.ask("started", slug=slug)
        with_one = ended(platform, one)

        # The first holds the whole before there is another worker; then it dies.
        three = platform.ask("started", slug=slug)
        wait_for(lambda: state(platform, three)["status"] == "running")
        platform.start_worker("second")
        platform.start_worker("third")
        wait_for(lambda: helped(state(platform, three)) > 0, why=lambda: str(state(platform, three)))
        kill(alone)
        assert state(platform, three)["status"] == "running", "the run was over before its worker was killed"
        platform.ask("silent_for", run=three, seconds=61)
        with_three = ended(platform, three)

        two = platform.ask("started", slug=slug)
        with_two = ended(platform, two)

    assert helped(with_one) == 0
    assert with_three["attempt"] == 2
    assert helped(with_two) > 0
    assert {row["result_sha256"] for row in (with_one, with_two, with_three)} == {with_one["result_sha256"]}
    parts = [[part["result_sha256"] for part in row["parts"]] for row in (with_one, with_two, with_three)]
    assert parts[0] == parts[1] == parts[2]
