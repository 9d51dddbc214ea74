"""The whole walk under load, beside a minimal Django view under the same web server and database.

Run ``python -m benchmarks.walk``. One submit is a POST whose answer is the next page, as with htmx; the same with
POST, redirect, GET stands beside it. 1, 8 and 32 people without think time walk through the example study (rate, write
and vote pages included). The minimal view does one insert and renders three radio buttons: once as Django ships, with a
database connection for each request, which is the practical ceiling that the target refers to, and once with kept
connections, as the platform has, where it does next to nothing but the insert. All run in turn in one run; medians of 5
are compared, and the load of the machine is printed, since wall time depends on it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from benchmarks.client import load, minimal_turns, walk_turns
from benchmarks.servers import SLUG, THREADS, WORKERS, Server, servers

PEOPLE = (1, 8, 32)
REPEATS = 5
SECONDS = 5.0
TARGET = 0.40
"""The least share of the minimal view's submits per second that the walk must reach."""
WALK, REDIRECTED = "walk", "walk, PRG"
MINIMAL, KEPT = "minimal view", "minimal, kept"

Turns = Callable[[int], AsyncGenerator[float, None]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of one way by so many people."""

    per_s: float
    latencies_ms: list[float]
    web_ms: float
    database_ms: float
    client_share: float

    def quantile(self, share: float) -> float:
        """The latency, in ms, that this share of the turns stayed below."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def ways(ours: Server, minimal: Server, kept: Server) -> dict[str, tuple[Server, Turns]]:
    """What is measured: by name, the server and the turns of one person."""
    return {
        MINIMAL: (minimal, lambda number: minimal_turns(minimal.port, f"p{number}")),
        KEPT: (kept, lambda number: minimal_turns(kept.port, f"p{number}")),
        WALK: (ours, lambda _number: walk_turns(ours.port, SLUG, htmx=True)),
        REDIRECTED: (ours, lambda _number: walk_turns(ours.port, SLUG, htmx=False)),
    }


def measure(server: Server, turns: Turns, *, people: int, seconds: float) -> Measured:
    """Load the server once."""
    before, client, began = server.cpu_s(), _own_cpu_s(), time.perf_counter()
    tally = asyncio.run(load(turns, people=people, seconds=seconds))
    took = time.perf_counter() - began
    after, used = server.cpu_s(), _own_cpu_s() - client
    # The first second counts for nothing in the turns, but the processors worked in it.
    n = len(tally.turns) * took / seconds
    return Measured(
        per_s=len(tally.turns) / seconds,
        latencies_ms=[turn * 1000 for turn in tally.turns],
        web_ms=(after[0] - before[0]) * 1000 / n,
        database_ms=(after[1] - before[1]) * 1000 / n,
        client_share=used / took,
    )


def table(results: dict[tuple[str, int], list[Measured]]) -> list[str]:
    """One line for each way and number of people, medians over the repeats."""
    head = (
        f"{'':<14}{'people':>7}{'submits/s':>11}{'(range)':>16}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"
        f"{'web CPU ms':>12}{'db CPU ms':>11}{'client cores':>14}"
    )
    lines = [head]
    for (way, people), runs in results.items():
        rates = [run.per_s for run in runs]
        latencies = [statistics.median(run.quantile(share) for run in runs) for share in (0.5, 0.95, 0.99)]
        web, database, client = (
            statistics.median(getattr(run, name) for run in runs) for name in ("web_ms", "database_ms", "client_share")
        )
        span = f"({min(rates):.0f}-{max(rates):.0f})"
        lines.append(
            f"{way:<14}{people:>7}{statistics.median(rates):>11.1f}{span:>16}"
            + "".join(f"{each:>9.1f}" for each in latencies)
            + f"{web:>12.2f}{database:>11.2f}{client:>14.2f}"
        )
    return lines


def ratios(results: dict[tuple[str, int], list[Measured]], people: list[int]) -> list[str]:
    """The walk's submits per second as a share of the minimal view's."""
    lines = []
    for n in people:
        rate = {way: statistics.median(run.per_s for run in runs) for (way, m), runs in results.items() if m == n}
        verdict = "reached" if rate[WALK] >= TARGET * rate[MINIMAL] else "MISSED"
        lines.append(
            f"{n:>3} people: {rate[WALK] / rate[MINIMAL]:.0%} of the minimal view's submits/s "
            f"(target {TARGET:.0%} {verdict}), {rate[REDIRECTED] / rate[MINIMAL]:.0%} with PRG; "
            f"{rate[WALK] / rate[KEPT]:.0%} of the minimal view's with kept connections"
        )
    return lines


def _own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _load() -> str:
    return " ".join(f"{each:.1f}" for each in os.getloadavg())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--people", type=int, nargs="+", default=list(PEOPLE))
    options = parser.parse_args()
    results: dict[tuple[str, int], list[Measured]] = {}
    print(f"gunicorn: {WORKERS} processes of {THREADS} threads; PostgreSQL; load average before {_load()}")
    with servers() as (ours, minimal, kept):
        for repeat in range(options.repeats):
            for people in options.people:
                for way, (server, turns) in ways(ours, minimal, kept).items():
                    run = measure(server, turns, people=people, seconds=options.seconds)
                    results.setdefault((way, people), []).append(run)
            print(f"repeat {repeat + 1} of {options.repeats}, load average {_load()}", flush=True)
    print("\n".join([*table(results), "", *ratios(results, options.people)]))


if __name__ == "__main__":
    main()
