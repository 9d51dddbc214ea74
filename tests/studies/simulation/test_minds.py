"""Simulated participants hold the opinions that were planted, and nothing depends on who else is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from studies.definition import load_file
from studies.simulation.facts import Facts
from studies.simulation.minds import Mind, Person, drawn, rated
from studies.simulation.opinions import Opinions
from studies.simulation.planted import PlantedAtRandom

EXAMPLE = Path(settings.BASE_DIR) / "examples" / "public_life"
PLANTED: dict[str, Any] = json.loads((EXAMPLE / "opinions.json").read_text(encoding="utf-8"))
PEOPLE = 2000
SOURCES = sorted(PLANTED["questions"]["fares"]["groups"]["free"]["ratings"])
"""Monte-Carlo tolerances below are at least four standard errors at this number of people."""


@pytest.fixture(scope="module")
def facts() -> Facts:
    return Facts.of(load_file(EXAMPLE / "study.yaml").data)


@pytest.fixture(scope="module")
def mind(facts: Facts) -> Opinions:
    return Opinions(facts, 1, PLANTED)


def people(n: int = PEOPLE) -> list[Person]:
    return [Person(1, number) for number in range(1, n + 1)]


def text_of(facts: Facts, code: str) -> str:
    return next(text for (_question, text), found in facts.seeds.items() if found == code)


@pytest.mark.parametrize("question", sorted(PLANTED["questions"]))
def test_groups_have_their_planted_shares(mind: Opinions, question: str) -> None:
    found = Counter(mind.group(person, question) for person in people())

    for name, group in PLANTED["questions"][question]["groups"].items():
        assert found[name] / PEOPLE == pytest.approx(group["share"], abs=0.045), name


def test_a_group_is_more_common_among_those_who_lean_its_way(mind: Opinions) -> None:
    leaning = {person: mind._leaning(person) for person in people()}
    shares = {
        lean: Counter(mind.group(person, "fares") == "free" for person, found in leaning.items() if found == lean)
        for lean in ("liberal", "conservative")
    }

    assert shares["liberal"][True] / shares["liberal"].total() == pytest.approx(0.50, abs=0.08)
    assert shares["conservative"][True] / shares["conservative"].total() == pytest.approx(0.26, abs=0.08)


def test_votes_follow_the_row_of_the_group_for_the_statements_group(mind: Opinions, facts: Facts) -> None:
    text = text_of(facts, "fares-seed-01")
    voters = [person for person in people() if mind.group(person, "fares") == "fares"]
    votes = Counter(mind.vote(person, "fares", text) for person in voters)

    row = PLANTED["questions"]["fares"]["groups"]["fares"]["votes"]["free"]
    for word, share in row.items():
        assert votes[word] / len(voters) == pytest.approx(share, abs=0.06), word


def test_a_statement_that_nobody_knows_is_mostly_left_neutral(mind: Opinions) -> None:
    votes = Counter(mind.vote(person, "fares", "What a person wrote.") for person in people())

    assert votes["neutral"] / PEOPLE == pytest.approx(0.5, abs=0.045)
    assert votes["agree"] / PEOPLE == pytest.approx(0.25, abs=0.04)


def test_ratings_have_their_planted_means(mind: Opinions, facts: Facts) -> None:
    members = [person for person in people() if mind.group(person, "carbon") == "against"]
    for source in SOURCES:
        text = next(text for (q, text), code in facts.sources.items() if (q, code) == ("carbon", source))
        mean = sum(mind.rating(person, "carbon", text) for person in members) / len(members)
        assert mean == pytest.approx(PLANTED["questions"]["carbon"]["groups"]["against"]["ratings"][source], abs=0.2)


def test_every_response_fits_and_is_recognised_as_a_statement_of_its_group(facts: Facts) -> None:
    mind = Opinions(facts, 1, PLANTED)
    for person in people(300):
        group = mind.group(person, "cameras")
        text = mind.response(person, "cameras", 75, 300)
        assert 75 <= len(text) <= 300
        assert mind._speaks_for["cameras", text] == group


def test_no_response_is_used_twice_before_all_were_used(facts: Facts) -> None:
    plain = {**PLANTED, "variation": {**PLANTED["variation"], "share": 0.0}}
    mind = Opinions(facts, 1, plain)
    members = [person for person in people(200) if mind.group(person, "phones") == "ban"]
    n = len(PLANTED["questions"]["phones"]["groups"]["ban"]["responses"])

    texts = [mind.response(person, "phones", 75, 300) for person in members]

    assert len(set(texts[:n])) == n
    assert len(set(texts[n : 2 * n])) == n


def test_the_form_is_answered_by_the_files_shares_and_from_what_the_page_offers(mind: Opinions) -> None:
    ages = [mind.item(person, "age", "text", []) for person in people()]
    offered = ["asian", "black"]
    chosen = [mind.item(person, "ethnicity", "checkbox", offered) for person in people()]

    assert sum(not age for age in ages) / PEOPLE == pytest.approx(0.03, abs=0.02)
    assert all(18 <= int(age[0]) <= 95 for age in ages if age)
    assert {value for values in chosen for value in values} == set(offered)


@pytest.mark.parametrize("kind", ["opinions", "random"])
def test_a_person_answers_alike_whoever_came_before(facts: Facts, kind: str) -> None:
    def fresh() -> Mind:
        return Opinions(facts, 5, PLANTED) if kind == "opinions" else PlantedAtRandom(facts, 5)

    first, second = fresh(), fresh()
    for person in people(20):
        first.response(person, "fares", 75, 300)

    person = Person(5, 21)
    seen = [
        [
            mind.group(person, "fares"),
            mind.vote(person, "fares", "any text"),
            mind.rating(person, "fares", "any answer"),
            mind.stance(person, "fares", ["liberal", "neutral"]),
            mind.importance(person, "fares"),
            mind.votes_wanted(person, "fares"),
            mind.item(person, "sex", "radio", ["female", "male"]),
        ]
        for mind in (first, second)
    ]
    assert seen[0] == seen[1]


def test_another_seed_makes_other_people(mind: Opinions, facts: Facts) -> None:
    other = Opinions(facts, 2, PLANTED)
    same = sum(mind.group(Person(1, n), "fares") == other.group(Person(2, n), "fares") for n in range(1, 201))

    assert same < 120


def test_groups_planted_at_random_vote_together(facts: Facts) -> None:
    mind = PlantedAtRandom(facts, 3)
    members = [Person(3, n) for n in range(1, 401)]
    for text in ("one", "two", "three"):
        for group in mind.SHARES:
            votes = Counter(mind.vote(each, "q", text) for each in members if mind.group(each, "q") == group)
            assert max(votes.values()) / votes.total() > 0.85


@pytest.mark.parametrize(("minimum", "maximum"), [(75, 300), (1, 40), (200, 210), (600, 900)])
def test_a_response_of_a_group_planted_at_random_fits_any_limits(facts: Facts, minimum: int, maximum: int) -> None:
    text = PlantedAtRandom(facts, 3).response(Person(3, 123456), "q", minimum, maximum)

    assert minimum <= len(text) <= maximum
    assert text == " ".join(text.split())


def test_a_question_that_the_file_does_not_know_gets_groups_at_random(mind: Opinions, facts: Facts) -> None:
    person = Person(1, 1)

    assert mind.group(person, "new") in PlantedAtRandom.SHARES
    assert 75 <= len(mind.response(person, "new", 75, 300)) <= 300
    assert mind.vote(person, "new", "text") in {"agree", "disagree"}
    assert 1 <= mind.rating(person, "new", "text") <= 5
    assert mind.stance(person, "new", ["a", "b"]) in {"a", "b"}


def test_a_rating_has_exactly_its_mean() -> None:
    rng = Person(0, 0).draws("ratings")
    values = [rated(3.2, rng) for _ in range(8000)]

    assert sum(values) / len(values) == pytest.approx(3.2, abs=0.05)
    assert {rated(1, rng), rated(5, rng)} == {1, 5}


def test_shares_need_not_sum_to_one() -> None:
    rng = Person(0, 0).draws("shares")
    found = Counter(drawn({"a": 3, "b": 1}, rng) for _ in range(4000))

    assert found["a"] / 4000 == pytest.approx(0.75, abs=0.03)
