"""A vote and the next statement with a million votes stored, beside the same with a thousand.

Run ``python -m benchmarks.live``. Databases of their own are filled by SQL: 1,000,000 votes on 10,000 statements, and
1,000 on 10. People walk to the vote page of the study under gunicorn and cast votes one after the other, as with htmx;
printed are milliseconds of processor time for each vote, of the web server and of the database, for both policies.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.client import Connection, _filled, _start, _turn
from benchmarks.filling import SLUG, fill, make_study
from benchmarks.servers import Server, _database, _gunicorn, _manage

TARGET_MS = 20.0
POLICIES = ("uniform", "least_voted")
VOTERS, VOTES_EACH = 5, 40


@dataclass(frozen=True, slots=True)
class Size:
    """How much is stored before anybody walks."""

    people: int
    statements: int
    votes_each: int

    @property
    def n_votes(self) -> int:
        """Votes stored."""
        return self.people * self.votes_each


SMALL, LARGE = Size(100, 50, 10), Size(20_000, 10_000, 50)


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds for each vote."""

    web_ms: float
    database_ms: float
    wall_ms: float


@contextlib.contextmanager
def platform(folder: Path, size: Size, policy: str) -> Iterator[Server]:
    """A server whose study holds that much."""
    name = f"pp_live_{os.getpid()}"
    with _database(name) as url:
        environment = {
            "DATABASE_URL": url,
            "POLYPHONY_VAR_DIR": str(folder / f"var-{policy}-{size.n_votes}"),
            "POLYPHONY_LOG_LEVEL": "ERROR",
        }
        make_study(environment, folder, policy)
        fill(url, people=size.people, statements=size.statements, each=size.votes_each, exposures=True)

        _manage(environment, "manage.py", "collectstatic", "--noinput")
        with _gunicorn("polyphony", "config.wsgi:application", environment, folder, name) as server:
            yield server


async def voting(port: int) -> tuple[Connection, bytes]:
    """A newcomer on the vote page."""
    connection = Connection(port)
    page = await _start(connection, f"/s/{SLUG}/")
    while b'class="ballot"' not in page:
        fields, _cast = _filled(page, 0)
        page = await _turn(connection, f"/s/{SLUG}/page/", fields, htmx=True)
    return connection, page


async def cast(voters: list[tuple[Connection, bytes]], each: int) -> list[tuple[Connection, bytes]]:
    """Each casts so many votes, one person after the other."""
    ended = []
    for connection, first in voters:
        page = first
        for _vote in range(each):
            fields, _cast = _filled(page, 0)
            page = await _turn(connection, f"/s/{SLUG}/page/", fields, htmx=True)
        ended.append((connection, page))
    return ended


async def measure(server: Server, voters: int, each: int) -> Cost:
    """The cost of a vote, after some that do not count."""
    people = [await voting(server.port) for _ in range(voters)]
    people = await cast(people, 3)
    before, began = server.cpu_s(), time.perf_counter()
    people = await cast(people, each)
    wall, after = time.perf_counter() - began, server.cpu_s()
    for connection, _page in people:
        connection.close()
    n = voters * each
    web, database = (1000 * (late - early) / n for early, late in zip(before, after, strict=True))
    return Cost(web, database, 1000 * wall / n)


def main() -> None:
    """Measure both sizes under both policies and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voters", type=int, default=VOTERS)
    parser.add_argument("--votes", type=int, default=VOTES_EACH, help="votes each voter casts")
    options = parser.parse_args()
    print(f"PostgreSQL; load average {' '.join(f'{each:.1f}' for each in os.getloadavg())}")
    columns = ("votes stored", "statements", "web CPU ms", "db CPU ms", "sum ms", "wall ms")
    print(f"{'policy':<14}" + "".join(f"{name:>14}" for name in columns))
    worst = 0.0
    for policy in POLICIES:
        for size in (SMALL, LARGE):
            with (
                TemporaryDirectory(prefix="polyphony-benchmark-") as folder,
                platform(Path(folder), size, policy) as server,
            ):
                cost = asyncio.run(measure(server, options.voters, options.votes))
            total = cost.web_ms + cost.database_ms
            worst = max(worst, total)
            print(
                f"{policy:<14}{size.n_votes:>14}{size.statements:>14}{cost.web_ms:>14.2f}{cost.database_ms:>14.2f}"
                f"{total:>14.2f}{cost.wall_ms:>14.2f}",
                flush=True,
            )
    verdict = "reached" if worst < TARGET_MS else "MISSED"
    print(f"at most {worst:.1f} ms of processor time a vote; target {TARGET_MS:.0f} ms {verdict}")


if __name__ == "__main__":
    main()
