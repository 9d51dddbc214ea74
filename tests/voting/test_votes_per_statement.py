"""How many votes a statement gets by when it was written: the table in docs/methods.md."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from voting.routing import LEAST_VOTED, MIXED, UNIFORM, Route, redraw

N_PEOPLE = 60
N_SEEDS = 8
MINIMUM = 10
WORLDS = 40
PERSONS = (1, 10, 20, 30, 40, 50, 55, 60)


def votes_in_a_world(policy: str, world: int) -> dict[str, int]:
    """Votes on each statement when people come one after the other, write one each and vote on ten."""
    votes = {f"seed-{number}": 0 for number in range(N_SEEDS)}
    for person in range(1, N_PEOPLE + 1):
        pool = dict(votes)
        votes[statement_of(person)] = 0
        for code in drawn_for(person, pool, policy, world):
            votes[code] += 1
    return votes


def drawn_for(person: int, pool: dict[str, int], policy: str, world: int) -> Iterator[str]:
    """Yield the cards of one person: all of the pool if it is small."""
    name = {"seed": str(world), "public_code": str(person), "question_code": "q"}
    for rank in range(1, MINIMUM + 1):
        draw = redraw(pool, Route(policy), rank=rank, **name)
        if draw is None:
            return
        del pool[draw.code]
        yield draw.code


def statement_of(person: int) -> str:
    return f"peer-{person:02}"


def simulated(policy: str) -> list[dict[str, int]]:
    return [votes_in_a_world(policy, world) for world in range(WORLDS)]


def expected_under_uniform(author: int) -> float:
    """The formula of docs/methods.md; author 0 is a seed."""
    pools = [N_SEEDS + person - 1 for person in range(author + 1, N_PEOPLE + 1)]
    return sum(min(MINIMUM, pool) / pool for pool in pools)


def test_uniform_draws_give_the_votes_of_the_formula() -> None:
    worlds = simulated(UNIFORM)

    for author in (0, *PERSONS):
        code = "seed-0" if author == 0 else statement_of(author)
        votes = np.array([world[code] for world in worlds])
        error = votes.std(ddof=1) / WORLDS**0.5
        print(f"{code}: {votes.mean():.1f} votes (Monte-Carlo error {error:.2f})")
        assert abs(votes.mean() - expected_under_uniform(author)) <= 4 * error


@pytest.mark.parametrize(("policy", "most"), [(UNIFORM, 28), (MIXED, 8), (LEAST_VOTED, 6)])
def test_fewer_statements_go_without_votes_where_the_least_voted_come_first(policy: str, most: float) -> None:
    few = np.array([sum(n < 5 for n in world.values()) for world in simulated(policy)])

    print(f"{policy}: {few.mean():.1f} of {N_SEEDS + N_PEOPLE} statements have under 5 votes")
    # Whatever the policy, the last five have fewer than five people after them.
    assert 5 <= few.mean() <= most
