"""Which of two texts is A: drawn in balance, so that a liking for one side cannot pass for a finding.

An item has `n` places for people, in columns 1 to n. Column 1 alternates within each stratum, column 2 is its
complement, 3 and 4 are drawn anew, and so on: in every two columns each pair is shown once each way, and a rater who
keeps to one column sees as many of a stratum each way as can be (difference at most 1). With an odd number the last
column alternates by itself, and may still be turned when it is given to somebody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from core.randomness import drawn_order, generator_for

Stratum = Hashable


def planned_sides(strata: Mapping[str, Stratum], *, n: int, seed: str) -> dict[str, list[bool]]:
    """For each item key the sides of its places: whether the second text is A in column 1, 2, … `n`.

    The same arguments give the same plan: strata in the order of their text, items in the order of their keys.
    """
    plan: dict[str, list[bool]] = {key: [] for key in strata}
    for column in range(1, n + 1):
        if column % 2 == 0:
            for sides in plan.values():
                sides.append(not sides[-1])
            continue
        for key, side in alternating(strata, seed=seed, purpose=f"sides {column}").items():
            plan[key].append(side)
    return plan


def alternating(strata: Mapping[str, Stratum], *, seed: str, purpose: str) -> dict[str, bool]:
    """A side for each item key such that in every stratum half of the items, or one more, have each."""
    members: dict[str, list[str]] = defaultdict(list)
    for key in sorted(strata):
        members[str(strata[key])].append(key)
    sides: dict[str, bool] = {}
    for stratum in sorted(members):
        first = generator_for(seed, stratum, f"{purpose} first").random() < 0.5
        order = drawn_order(members[stratum], seed=seed, code=stratum, purpose=purpose)
        sides |= {key: first ^ bool(i % 2) for i, key in enumerate(order)}
    return sides


def judge_sides(strata: Mapping[str, Stratum], *, seed: str, number: int) -> dict[str, bool]:
    """The sides for the model that is the `number`-th of a packet (from 0): every second is the complement."""
    sides = alternating(strata, seed=seed, purpose=f"sides of models {number // 2}")
    return {key: not side for key, side in sides.items()} if number % 2 else sides


def is_balanced(difference: int, *, swapped: bool) -> bool:
    """Whether one more item shown that way leaves a rater's difference in its stratum at most 1.

    `difference` is how many more of the stratum's items the rater saw swapped than not.
    """
    return abs(difference + (1 if swapped else -1)) <= 1


def first_is(sides: Sequence[str], *, swapped: bool) -> list[str]:
    """The codes of the two sides in the order shown: A, then B."""
    return [sides[1], sides[0]] if swapped else list(sides)
