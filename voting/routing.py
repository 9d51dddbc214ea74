"""Which statement next: policies as mathematics, without a database.

A policy draws one of the eligible statements. The draw derives from the study's seed, the participant's public code,
the question and the rank of the card, over the eligible statements in canonical order (by code point of their codes),
so whoever has the exported tables can draw it again. `uniform` and `least_voted` are arms; `mixed` first draws which
arm decides, and the exposure keeps the arm: the policy of the whole block is in the definition of the study.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from core.randomness import generator_for

UNIFORM = "uniform"
LEAST_VOTED = "least_voted"
MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Route:
    """How a study routes statements: its policy, and for `mixed` the probability of least voted first."""

    policy: str
    mix: float = 0.5

    def __post_init__(self) -> None:
        """Refuse a policy nobody knows, and a probability that is none."""
        if self.policy not in (UNIFORM, LEAST_VOTED, MIXED):
            raise ValueError(f"no routing policy is called {self.policy!r}")
        if not 0 <= self.mix <= 1:
            raise ValueError(f"a probability lies between 0 and 1, not at {self.mix!r}")


@dataclass(frozen=True, slots=True)
class Draw:
    """The statement drawn, the arm that drew it, and from how many it was drawn."""

    code: str
    policy: str
    n_eligible: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What a draw decides before it knows the statements: the arm, and where in the pool, as a share of its length.

    The database takes the statement at this place of the pool in the order of codes; `draw_statement` does the same
    with the pool in hand.
    """

    arm: str
    place: float


def purpose_of(question_code: str, rank: int) -> str:
    """What the draw of the card of this rank is called when its generator is made."""
    return f"route:{question_code}:{rank}"


def draw_statement(n_votes: Mapping[str, int], route: Route, rng: random.Random) -> Draw | None:
    """Draw one of the eligible statements, None if there is none.

    Only `rng.random()` is called, first for the arm of a mix, then for the place: Python promises its sequence for
    a seed on every version, which it does not for `choice` or `randrange`.

    Parameters
    ----------
    n_votes
        The number of votes on each eligible statement by its code, in any order.
    """
    if not n_votes:
        return None
    choice = choose(route, rng)
    pool = sorted(n_votes)
    if choice.arm == LEAST_VOTED:
        fewest = min(n_votes.values())
        pool = [code for code in pool if n_votes[code] == fewest]
    return Draw(code=pool[int(choice.place * len(pool))], policy=choice.arm, n_eligible=len(n_votes))


def redraw(
    n_votes: Mapping[str, int], route: Route, *, seed: str, public_code: str, question_code: str, rank: int
) -> Draw | None:
    """Draw the card of this rank for this participant: the same arguments give the same statement on any machine."""
    return draw_statement(n_votes, route, generator_for(seed, public_code, purpose_of(question_code, rank)))


def choose(route: Route, rng: random.Random) -> Choice:
    """The arm first, then the place."""
    arm = _arm(route, rng)
    return Choice(arm, rng.random())


def choose_again(route: Route, *, seed: str, public_code: str, question_code: str, rank: int) -> Choice:
    """The choice for the card of this rank of this participant."""
    return choose(route, generator_for(seed, public_code, purpose_of(question_code, rank)))


def _arm(route: Route, rng: random.Random) -> str:
    if route.policy != MIXED:
        return route.policy
    return LEAST_VOTED if rng.random() < route.mix else UNIFORM
