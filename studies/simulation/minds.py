"""What simulated participants think: planted opinion groups, and what follows from them on a page.

A mind answers for a person and a question. Everything a person would do on a given page derives from the seed, the
person's number and what the page shows, so it does not depend on who else is under way. Two kinds of mind: planted
opinions from a file (`opinions.json` beside an example study), and groups planted at random for any other study.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.randomness import generator_for
from studies.simulation.facts import Facts

T = TypeVar("T")

AGREE, DISAGREE, NEUTRAL = "agree", "disagree", "neutral"
UNDECIDED: Mapping[str, float] = {NEUTRAL: 0.5, AGREE: 0.25, DISAGREE: 0.25}
"""How people vote on a statement of which nobody knows for whom it speaks: mostly not at all."""
POINTS = 5
SKIPPED = 0.03
"""The share of simulated participants who leave an item of the form out, where no file says otherwise."""


@dataclass(frozen=True, slots=True)
class Person:
    """One simulated participant: a number, and the draws that belong to it."""

    seed: int
    number: int

    def draws(self, purpose: str) -> random.Random:
        """The person's own generator for one purpose."""
        return generator_for(str(self.seed), str(self.number), purpose)


def drawn(shares: Mapping[T, float], rng: random.Random) -> T:
    """One of the keys, each with the probability of its share among all shares."""
    place = rng.random() * sum(shares.values())
    for key, share in shares.items():
        place -= share
        if place < 0:
            return key
    return list(shares)[-1]


def rated(mean: float, rng: random.Random) -> int:
    """A rating from 1 to 5 whose mean is exactly `mean`: 1 + Binomial(4, (mean - 1) / 4)."""
    probability = (mean - 1) / (POINTS - 1)
    return 1 + sum(rng.random() < probability for _trial in range(POINTS - 1))


class Mind(ABC):
    """The opinions of all simulated participants of one study."""

    def __init__(self, facts: Facts, seed: int) -> None:
        self.facts = facts
        self.seed = seed

    @abstractmethod
    def group(self, person: Person, question: str) -> str:
        """The planted opinion group that `person` belongs to on the question."""

    @abstractmethod
    def response(self, person: Person, question: str, minimum: int, maximum: int) -> str:
        """What the person writes on the question."""

    @abstractmethod
    def stance(self, person: Person, question: str, options: Sequence[str]) -> str:
        """Which of the page's stances the person takes."""

    @abstractmethod
    def importance(self, person: Person, question: str) -> int:
        """How important the question is to the person, 1 to 5."""

    @abstractmethod
    def rating(self, person: Person, question: str, text: str) -> int:
        """How far the answer with this text represents the person, 1 to 5."""

    @abstractmethod
    def vote(self, person: Person, question: str, text: str) -> str:
        """How the person votes on the statement with this text."""

    @abstractmethod
    def votes_wanted(self, person: Person, question: str) -> int:
        """On how many statements the person would vote, if there are as many."""

    def item(self, person: Person, code: str, kind: str, options: Sequence[str]) -> list[str]:
        """What the person enters for an item of the form; nothing if they leave it out."""
        rng = person.draws(f"item:{code}")
        item = self.facts.items.get(code, {})
        if rng.random() < SKIPPED:
            return []
        if kind == "checkbox":
            return [value for value in options if rng.random() < 1.5 / len(options)]
        if kind == "radio":
            return [rng.choice(list(options))]
        if item.get("kind") == "integer":
            low = item.get("minimum")
            high = item.get("maximum")
            low = low if low is not None else min(18, high if high is not None else 18)
            return [str(rng.randint(low, high if high is not None else low + 62))]
        return ["This was entered by a program."[: item.get("maximum") or None]]
