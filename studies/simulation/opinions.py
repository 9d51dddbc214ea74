"""Planted opinion groups as a file beside an example study describes them."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studies.simulation.facts import Facts
from studies.simulation.minds import UNDECIDED, Mind, Person, drawn, rated
from studies.simulation.pages import plain
from studies.simulation.planted import PlantedAtRandom


@dataclass(slots=True)
class _Shelf:
    """The free responses of a group, handed out so that none is used twice before all were used once."""

    texts: Sequence[str]
    used: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, rng: random.Random) -> str:
        with self.lock:
            fewest = min(self.used[place] for place in range(len(self.texts)))
            place = rng.choice([place for place in range(len(self.texts)) if self.used[place] == fewest])
            self.used[place] += 1
        return self.texts[place]


class Opinions(Mind):
    """Planted groups from `opinions.json`; for questions that the file does not know, groups planted at random."""

    def __init__(self, facts: Facts, seed: int, planted: Mapping[str, Any]) -> None:
        super().__init__(facts, seed)
        self.planted = planted
        self._fallback = PlantedAtRandom(facts, seed)
        self._shelves = {
            (question, name): _Shelf(group["responses"])
            for question, entry in planted["questions"].items()
            for name, group in entry["groups"].items()
        }
        self._speaks_for = dict(_speakers(facts, planted))

    def group(self, person: Person, question: str) -> str:
        """A group drawn by its share among people of the person's leaning."""
        if question not in self.planted["questions"]:
            return self._fallback.group(person, question)
        sign = {"liberal": 1, "conservative": -1}.get(self._leaning(person), 0)
        groups = self.planted["questions"][question]["groups"]
        shares: dict[str, float] = {name: group["share"] + sign * group["tilt"] for name, group in groups.items()}
        return drawn(shares, person.draws(f"group:{question}"))

    def response(self, person: Person, question: str, minimum: int, maximum: int) -> str:
        """One of the group's responses, one that nobody has used as long as there is one, and some of them varied."""
        if question not in self.planted["questions"]:
            return self._fallback.response(person, question, minimum, maximum)
        rng = person.draws(f"response:{question}")
        text = self._varied(self._shelves[question, self.group(person, question)].take(rng), rng)
        fits = minimum <= len(text) <= maximum
        return text if fits else self._fallback.response(person, question, minimum, maximum)

    def stance(self, person: Person, question: str, options: Sequence[str]) -> str:
        """A stance by the group's probabilities, among those that the page offers."""
        rng = person.draws(f"stance:{question}")
        shares = {
            name: share for name, share in self._of(person, question).get("stance", {}).items() if name in options
        }
        return drawn(shares, rng) if shares else rng.choice(list(options))

    def importance(self, person: Person, question: str) -> int:
        """By the group's mean."""
        mean = self._of(person, question).get("importance", 3.5)
        return rated(mean, person.draws(f"importance:{question}"))

    def rating(self, person: Person, question: str, text: str) -> int:
        """By the group's mean for the source of the answer."""
        source = self.facts.sources.get((question, text), "")
        mean = self._of(person, question).get("ratings", {}).get(source)
        if mean is None:
            return self._fallback.rating(person, question, text)
        return rated(mean, person.draws(f"rating:{question}:{source}"))

    def vote(self, person: Person, question: str, text: str) -> str:
        """By the row of the voter's group for the group that the statement speaks for."""
        if question not in self.planted["questions"]:
            return self._fallback.vote(person, question, text)
        speaks_for = self._speaks_for.get((question, text))
        row: Mapping[str, float] = self._of(person, question)["votes"].get(speaks_for, UNDECIDED)
        return drawn(row, person.draws(f"vote:{question}:{text}"))

    def votes_wanted(self, person: Person, question: str) -> int:
        """Uniform between the file's limits."""
        limits = self.planted["votes_each"]
        return person.draws(f"votes:{question}").randint(limits["from"], limits["to"])

    def item(self, person: Person, code: str, kind: str, options: Sequence[str]) -> list[str]:
        """By the file's shares, as far as the page offers what they name."""
        said = self._demographics(person, code)
        if said is None:
            return super().item(person, code, kind, options)
        return said if kind not in {"radio", "checkbox"} else [value for value in said if value in options]

    def _varied(self, text: str, rng: random.Random) -> str:
        variation = self.planted["variation"]
        if rng.random() >= variation["share"]:
            return text
        if rng.random() < 0.5:
            return f"{rng.choice(variation['openings'])} {text}"
        return f"{text} {rng.choice(variation['closings'])}"

    def _of(self, person: Person, question: str) -> Mapping[str, Any]:
        entry = self.planted["questions"].get(question)
        group: Mapping[str, Any] = entry["groups"][self.group(person, question)] if entry else {}
        return group

    def _leaning(self, person: Person) -> str:
        party = self._demographics(person, "party")
        return self.planted["leanings"].get(party[0], "neutral") if party else "neutral"

    def _demographics(self, person: Person, code: str) -> list[str] | None:
        """The values for an item that the file describes, empty if skipped; None if the file does not know the item."""
        entry = self.planted["people"].get(code)
        if entry is None:
            return None
        rng = person.draws(f"item:{code}")
        if rng.random() < entry["skipped"]:
            return []
        if "bands" in entry:
            band = drawn({place: each["share"] for place, each in enumerate(entry["bands"])}, rng)
            return [str(rng.randint(entry["bands"][band]["from"], entry["bands"][band]["to"]))]
        if "combinations" in entry:
            place = drawn({place: each["share"] for place, each in enumerate(entry["combinations"])}, rng)
            return list(entry["combinations"][place]["values"])
        return [drawn(entry["options"], rng)]


def _speakers(facts: Facts, planted: Mapping[str, Any]) -> list[tuple[tuple[str, str], str]]:
    """For every text that may come up as a statement, (question, text) and the group it speaks for."""
    found = [
        ((question, text), planted["questions"][question]["seeds"][code])
        for (question, text), code in facts.seeds.items()
        if code in planted["questions"].get(question, {}).get("seeds", {})
    ]
    variation = planted["variation"]
    for question, entry in planted["questions"].items():
        for name, group in entry["groups"].items():
            for text in group["responses"]:
                varied = [text, *(f"{each} {text}" for each in variation["openings"])]
                varied += [f"{text} {each}" for each in variation["closings"]]
                found += [((question, plain(each)), name) for each in varied]
    return found
