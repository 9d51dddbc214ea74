"""Whose agreement is computed: everybody's, that of people, that of language models, and that of each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

__all__ = ["MOST_IN_PAIRS", "RaterSet", "SetKind", "rater_sets"]

SetKind = Literal["all", "humans", "models", "group", "pair"]

#: With more raters than this, pairs are left out: nobody reads a thousand of them.
MOST_IN_PAIRS = 12


@dataclass(frozen=True, slots=True)
class RaterSet:
    """Some raters by their index, in ascending order, under a name."""

    kind: SetKind
    name: str
    raters: tuple[int, ...]

    @property
    def is_pair(self) -> bool:
        """Whether it is one of the pairs."""
        return self.kind == "pair"


def rater_sets(
    raters: Sequence[str],
    kinds: Mapping[str, str],
    *,
    groups: Mapping[str, str] | None = None,
    most_in_pairs: int = MOST_IN_PAIRS,
    known: bool = True,
) -> tuple[RaterSet, ...]:
    """The sets of a report, in their order; one that would be the same as "all" is left out.

    Parameters
    ----------
    raters : sequence of str
    kinds : mapping of str to str
        "human" or "model" for each rater; who is not named is human.
    groups : mapping of str to str, optional
        The group of raters, each a set of its own.
    most_in_pairs : int
        Pairs are made of up to so many raters.
    known : bool
        False if who is who is not known: then there is no other set than all.
    """
    everybody = tuple(range(len(raters)))
    sets = [RaterSet("all", "all", everybody)]
    if not known:
        return tuple(sets)
    people = tuple(i for i in everybody if kinds.get(raters[i], "human") != "model")
    machines = tuple(i for i in everybody if i not in set(people))
    if people and machines:
        sets += [RaterSet("humans", "humans", people), RaterSet("models", "models", machines)]
    for group in sorted(set((groups or {}).values())):
        members = tuple(place for place in everybody if (groups or {}).get(raters[place]) == group)
        if members:
            sets.append(RaterSet("group", f"group {group}", members))
    if 2 <= len(raters) <= most_in_pairs:
        sets += [RaterSet("pair", f"{raters[a]} & {raters[b]}", (a, b)) for a, b in combinations(everybody, 2)]
    return tuple(sets)
