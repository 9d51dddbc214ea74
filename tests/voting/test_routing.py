"""Which statement next: the policies as mathematics, and by simulation with fixed seeds."""

from __future__ import annotations

import ast
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from voting import routing
from voting.routing import LEAST_VOTED, MIXED, UNIFORM, Route, draw_statement, purpose_of, redraw

POOLS = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(0, 5), min_size=1, max_size=30)
ROUTES = st.builds(Route, st.sampled_from([UNIFORM, LEAST_VOTED, MIXED]), st.floats(0, 1))


def test_routing_needs_no_database() -> None:
    tree = ast.parse(Path(routing.__file__).read_text("utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}

    assert not [name for name in modules if name.split(".")[0] in {"django", "studies", "voting"}]


def test_nothing_eligible_gives_nothing() -> None:
    assert draw_statement({}, Route(UNIFORM), random.Random(1)) is None


@pytest.mark.parametrize(
    "bad", [{"policy": "random"}, {"policy": MIXED, "mix": 1.5}, {"policy": MIXED, "mix": math.nan}]
)
def test_a_route_that_makes_no_sense_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no routing policy|a probability"):
        Route(**bad)  # type: ignore[arg-type]


@given(POOLS, ROUTES, st.integers())
def test_a_draw_is_of_the_pool_and_says_how_large_it_was(n_votes: dict[str, int], route: Route, seed: int) -> None:
    draw = draw_statement(n_votes, route, random.Random(seed))

    assert draw is not None
    assert draw.code in n_votes
    assert draw.n_eligible == len(n_votes)
    assert draw.policy in {UNIFORM, LEAST_VOTED}
    assert route.policy in {draw.policy, MIXED}


@given(POOLS, ROUTES, st.integers())
def test_the_order_in_which_the_database_answers_does_not_matter(
    n_votes: dict[str, int], route: Route, seed: int
) -> None:
    shuffled = list(n_votes.items())
    random.Random(seed).shuffle(shuffled)

    assert draw_statement(dict(shuffled), route, random.Random(7)) == draw_statement(n_votes, route, random.Random(7))


@given(POOLS, st.integers())
def test_least_voted_draws_one_with_the_fewest_votes(n_votes: dict[str, int], seed: int) -> None:
    draw = draw_statement(n_votes, Route(LEAST_VOTED), random.Random(seed))

    assert draw is not None
    assert n_votes[draw.code] == min(n_votes.values())


@given(POOLS, st.integers())
def test_a_mix_of_none_is_uniform_and_a_mix_of_one_is_least_voted(n_votes: dict[str, int], seed: int) -> None:
    for mix, arm in ((0.0, UNIFORM), (1.0, LEAST_VOTED)):
        draw = draw_statement(n_votes, Route(MIXED, mix), random.Random(seed))
        assert draw is not None
        assert draw.policy == arm


def drawn(n_votes: dict[str, int], route: Route, n: int) -> list[routing.Draw]:
    """The first cards of `n` participants of one study."""
    draws = [redraw(n_votes, route, seed="ab" * 16, public_code=f"P{i}", question_code="q1", rank=1) for i in range(n)]
    return [draw for draw in draws if draw is not None]


def test_uniform_draws_each_statement_equally_often() -> None:
    codes = [f"s{i:02d}" for i in range(40)]
    counts = dict.fromkeys(codes, 0)
    for draw in drawn(dict.fromkeys(codes, 3), Route(UNIFORM), 8_000):
        counts[draw.code] += 1

    test = stats.chisquare(list(counts.values()))
    print(f"chi-square {test.statistic:.1f} on 39 degrees of freedom, p = {test.pvalue:.3f}")
    assert 0.01 < test.pvalue < 0.99


def test_uniform_does_not_care_for_votes() -> None:
    n = sum(draw.code == "often" for draw in drawn({"often": 500, "never": 0}, Route(UNIFORM), 4_000))

    assert abs(n / 4_000 - 0.5) < 4 * math.sqrt(0.25 / 4_000)


def test_ties_of_least_voted_are_broken_evenly() -> None:
    counts = dict.fromkeys("abcde", 0)
    for draw in drawn({**dict.fromkeys("abcde", 0), "z": 1}, Route(LEAST_VOTED), 5_000):
        counts[draw.code] += 1

    assert stats.chisquare(list(counts.values())).pvalue > 0.01


@pytest.mark.parametrize("mix", [0.25, 0.5, 0.8])
def test_a_mix_takes_the_arm_of_the_least_voted_as_often_as_it_says(mix: float) -> None:
    draws = drawn({"a": 0, "b": 1, "c": 2}, Route(MIXED, mix), 4_000)
    share = sum(draw.policy == LEAST_VOTED for draw in draws) / len(draws)

    assert abs(share - mix) < 4 * math.sqrt(mix * (1 - mix) / len(draws))


def test_the_draw_depends_on_everything_that_names_the_card() -> None:
    pool = {f"s{i}": 0 for i in range(1_000)}
    names = {"seed": "a", "public_code": "P1", "question_code": "q1", "rank": 1}
    others = [{"seed": "b"}, {"public_code": "P2"}, {"question_code": "q2"}, {"rank": 2}]

    codes = [redraw(pool, Route(UNIFORM), **{**names, **other}).code for other in [{}, *others]]  # type: ignore[arg-type, union-attr]

    assert len(set(codes)) == 5
    assert purpose_of("q1", 3) == "route:q1:3"


def test_a_draw_is_the_same_on_every_machine() -> None:
    pool = {f"s{i}": i % 3 for i in range(100)}

    draws = [
        redraw(pool, Route(MIXED, 0.5), seed="00" * 16, public_code="P1", question_code="q1", rank=rank)
        for rank in range(1, 9)
    ]

    assert [(draw.code, draw.policy) for draw in draws if draw] == GOLDEN


GOLDEN = [
    ("s75", "least_voted"),
    ("s45", "uniform"),
    ("s9", "least_voted"),
    ("s93", "least_voted"),
    ("s70", "uniform"),
    ("s57", "least_voted"),
    ("s66", "least_voted"),
    ("s22", "uniform"),
]


def votes_after(route: Route, *, people: int = 60, seeds: int = 10, cards: int = 10) -> list[int]:
    """Votes on each peer statement when people come one after another, vote, and leave a statement."""
    n_votes = {f"seed-{i}": 0 for i in range(seeds)}
    for person in range(people):
        seen: set[str] = set()
        for rank in range(1, cards + 1):
            pool = {code: n for code, n in n_votes.items() if code not in seen}
            draw = redraw(pool, route, seed="cd" * 16, public_code=f"P{person}", question_code="q1", rank=rank)
            if draw is None:
                break
            seen.add(draw.code)
            n_votes[draw.code] += 1
        n_votes[f"peer-{person}"] = 0
    return [n for code, n in n_votes.items() if code.startswith("peer-")]


def test_least_voted_first_spreads_votes_more_evenly_than_uniform() -> None:
    spread = {}
    for name, route in (("uniform", Route(UNIFORM)), ("mix", Route(MIXED, 0.5)), ("least", Route(LEAST_VOTED))):
        votes = votes_after(route)
        starved = sum(n < 5 for n in votes) / len(votes)
        spread[name] = (stats.tstd(votes), starved)
        print(
            f"{name}: mean {sum(votes) / len(votes):.1f}, deviation {spread[name][0]:.1f}, under 5 votes {starved:.0%}"
        )

    assert spread["least"][0] < spread["mix"][0] < spread["uniform"][0]
    assert spread["least"][1] < spread["uniform"][1] / 2
