"""kill -9 while a model is asked: what was answered stays, and only the rest is asked."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from tests.core.fake_endpoint import FakeEndpoint
from tests.prediction.test_kill import Copy

N_ITEMS = 40
BEFORE_THE_KILL = 12


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with FakeEndpoint() as fake:
        fake.answer = lambda data: fake.wait(0.05) or '{"use": "partly"}'
        copy = Copy(tmp_path, fake.setting(concurrency=2))
        rater = copy.done("-m", "tests.annotation.judging.planting", str(N_ITEMS)).decode().strip()
        run = ("manage.py", "audit", "judge", "kill", rater)

        killed = copy.command(*run)
        while fake.n_calls < BEFORE_THE_KILL:
            assert killed.poll() is None, killed.communicate()[1].decode()
            time.sleep(0.01)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=60)
        stored = copy.ask("SELECT count(*) FROM annotation_judgement")[0][0]
        calls = copy.ask("SELECT count(*) FROM annotation_judgecall")[0][0]
        assert stored == calls, "a reply and its judgement are stored together"
        assert BEFORE_THE_KILL - 3 <= stored < N_ITEMS
        asked_before = fake.n_calls
        # The lease of the dead worker runs out.
        copy.ask("UPDATE core_run SET heartbeat_at = '2020-01-01 00:00:00'")

        out = copy.done(*run).decode()

        assert f"{N_ITEMS} of {N_ITEMS} are judged" in out
        # Not one call was repeated whose answer was stored; those under way at the kill are asked again.
        assert fake.n_calls - asked_before == N_ITEMS - stored
        rows = copy.ask("SELECT assignment_id, attempt FROM annotation_judgecall")
        assert len(rows) == len(set(rows)) == N_ITEMS
        assert copy.ask("SELECT status, attempt FROM core_run") == [("finished", 2)]
