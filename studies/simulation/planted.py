"""Opinion groups planted at random, for studies of which no file says what people think."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from core.randomness import generator_for
from studies.simulation.minds import AGREE, DISAGREE, Mind, Person, drawn, rated


class PlantedAtRandom(Mind):
    """Three groups a question for any study: each agrees with a statement, or not, as a draw for the two decides.

    A statement needs no group of its own: for every group, agreeing has probability .95 or .05, drawn from the text.
    """

    SHARES: Mapping[str, float] = {"1": 0.4, "2": 0.35, "3": 0.25}
    SURE = 0.95

    def group(self, person: Person, question: str) -> str:
        """One of three groups."""
        return drawn(self.SHARES, person.draws(f"group:{question}"))

    def response(self, person: Person, question: str, minimum: int, maximum: int) -> str:
        """A text that says what it is, as long as it has to be."""
        sentences = [
            f"Simulated view {self.group(person, question)} on this question, held by program {person.number}.",
            "No person wrote this.",
            "It stands here so that others have something to vote on.",
            "What it would say does not matter, only who would agree with it.",
        ]
        text = sentences[0]
        for number in range(1, minimum + 2):
            if len(text) >= minimum:
                break
            text = f"{text} {sentences[1 + number % 3]}"
        return text[:maximum].rstrip() if len(text) > maximum else text

    def stance(self, person: Person, question: str, options: Sequence[str]) -> str:
        """Mostly the stance that goes with the group."""
        rng = person.draws(f"stance:{question}")
        own = options[int(self.group(person, question)) % len(options)]
        return own if rng.random() < 0.7 else rng.choice(list(options))

    def importance(self, person: Person, question: str) -> int:
        """Somewhere above the middle."""
        return rated(3.5, person.draws(f"importance:{question}"))

    def rating(self, person: Person, question: str, text: str) -> int:
        """High or low, as drawn for the group and the text."""
        source = self.facts.sources.get((question, text), text)
        likes = self._of_group(person, question, f"rating:{source}").random() < 0.4
        return rated(4.5 if likes else 2.0, person.draws(f"rating:{question}:{source}"))

    def vote(self, person: Person, question: str, text: str) -> str:
        """With the group, nearly always."""
        agrees = self._of_group(person, question, f"vote:{text}").random() < 0.5
        is_sure = person.draws(f"vote:{question}:{text}").random() < self.SURE
        return AGREE if agrees == is_sure else DISAGREE

    def votes_wanted(self, person: Person, question: str) -> int:
        """A few more than the usual minimum."""
        return person.draws(f"votes:{question}").randint(12, 24)

    def _of_group(self, person: Person, question: str, purpose: str) -> random.Random:
        return generator_for(str(self.seed), f"group {self.group(person, question)}", f"{question}:{purpose}")
