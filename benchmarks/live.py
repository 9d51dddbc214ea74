"""A vote and the next statement with a million votes stored, beside the same with a thousand.

Run ``python -m benchmarks.live``. Databases of their own are filled by SQL: 1,000,000 votes on 1,000 and on 10,000
statements, and 1,000 votes on 50. People walk to the vote page of the study under gunicorn and cast votes one after the
other, as with htmx; printed are milliseconds of processor time for each vote, of the web server and of the database,
for both policies.
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

import psycopg

from benchmarks.client import Connection, _filled, _start, _turn
from benchmarks.filling import SLUG, fill, make_study
from benchmarks.servers import POSTGRES, Server, _cpu_s, _database, _family, _gunicorn, _manage

TARGET_MS = 20.0
POLICIES = ("uniform", "least_voted")
VOTERS, VOTES_EACH, WARM = 8, 40, 8


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


SIZES = (Size(100, 50, 10), Size(20_000, 1_000, 50), Size(20_000, 10_000, 50))


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


async def cast(connection: Connection, page: bytes, n: int) -> bytes:
    """Cast so many votes; the page after them."""
    for _vote in range(n):
        fields, _cast = _filled(page, 0)
        page = await _turn(connection, f"/s/{SLUG}/page/", fields, htmx=True)
    return page


async def measure(server: Server, voters: int, each: int) -> Cost:
    """The cost of a vote: each voter's after some that do not count, one voter after the other."""
    web = database = wall = 0.0
    for _voter in range(voters):
        connection, page = await voting(server.port)
        page = await cast(connection, page, WARM)
        before, began = cpu_s(server), time.perf_counter()
        await cast(connection, page, each)
        wall, after = wall + time.perf_counter() - began, cpu_s(server)
        web, database = web + after[0] - before[0], database + after[1] - before[1]
        connection.close()
    n = voters * each
    return Cost(1000 * web / n, 1000 * database / n, 1000 * wall / n)


def cpu_s(server: Server) -> tuple[float, float]:
    """CPU seconds so far of the web processes, and of the database processes that serve them now.

    The platform keeps its connections, so none of them ends meanwhile, and others may use the database, too.
    """
    with psycopg.connect(POSTGRES) as connection:
        rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s", [server.database]).fetchall()
    return sum(map(_cpu_s, _family(server.process.pid))), sum(_cpu_s(pid) for (pid,) in rows)


def main() -> None:
    """Measure both sizes under both policies and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voters", type=int, default=VOTERS)
    parser.add_argument("--votes", type=int, default=VOTES_EACH, help="votes each voter casts")
    parser.add_argument("--statements", type=int, nargs="+", default=[size.statements for size in SIZES])
    options = parser.parse_args()
    print(f"PostgreSQL; load average {' '.join(f'{each:.1f}' for each in os.getloadavg())}")
    columns = ("votes stored", "statements", "web CPU ms", "db CPU ms", "sum ms", "wall ms")
    print(f"{'policy':<14}" + "".join(f"{name:>14}" for name in columns))
    worst = 0.0
    for policy in POLICIES:
        for size in (size for size in SIZES if size.statements in options.statements):
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
