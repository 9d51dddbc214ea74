"""Which group is which from run to run: identities kept by matching members, never given twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "Ended", "Identified", "Identities", "match_groups"]

METHOD_VERSION = "1"

# A group keeps its identity if it shares at least this part of its people with the earlier one.
LEAST_SIMILARITY = 0.25
# A similarity that falls short by less than this reaches it.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Identified:
    """A group of the present run and who it is.

    Attributes
    ----------
    identity : int
    label : int
        Its label in the present run.
    origin : {"kept", "split", "new"}
        An earlier identity goes on; or it is new, and most of its people who were grouped before come from
        the group `of`, whose identity went to another; or it is new without such a group.
    of : int or None
        The earlier identity it goes on as or split off from.
    size : int
    n_common : int
        Members it has in common with the earlier group `of`; 0 without one.
    similarity : float
        Jaccard index with the earlier group `of` in [0, 1], among people grouped in both runs; ``nan`` without one.
    """

    identity: int
    label: int
    origin: Literal["kept", "split", "new"]
    of: int | None
    size: int
    n_common: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Ended:
    """An earlier group whose identity no present group carries.

    Attributes
    ----------
    identity : int
    fate : {"merged", "dissolved", "left"}
        More than half of its people who are still grouped are in one present group, which carries another
        identity; or they are not; or none of them is grouped any more.
    into : int or None
        The identity of that group, if merged.
    size : int
        Members it had.
    """

    identity: int
    fate: Literal["merged", "dissolved", "left"]
    into: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Identities:
    """Identities of the present groups, and what became of the earlier ones.

    Attributes
    ----------
    groups : tuple of Identified
        In order of label.
    ended : tuple of Ended
        In order of identity.
    taken : tuple of int
        Every identity ever given, ascending: pass it on to the next run.
    least_similarity : float
    """

    groups: tuple[Identified, ...]
    ended: tuple[Ended, ...]
    taken: tuple[int, ...]
    least_similarity: float

    def of_label(self) -> dict[int, int]:
        """Identity of each present label."""
        return {group.label: group.identity for group in self.groups}

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` (a group without an earlier one) as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def match_groups(
    previous: Mapping[str, int],
    current: Mapping[str, int],
    *,
    taken: Iterable[int] = (),
    least_similarity: float = LEAST_SIMILARITY,
) -> Identities:
    r"""Identities of present groups: those of earlier groups where members match, else new ones.

    Parameters
    ----------
    previous : mapping of participant key to identity
        Members of the groups of the earlier run, by the identity each group had; empty for a first run.
    current : mapping of participant key to label
        Members of the groups of the present run; participants in no group are left out of both.
    taken : iterable of int, optional
        Every identity given in any earlier run, so that none is given twice (see :attr:`Identities.taken`).
    least_similarity : float, default 0.25
        In (0, 1]. Jaccard index from which a pair of groups may be matched.

    Returns
    -------
    Identities

    Raises
    ------
    ValueError
        If `least_similarity` is out of range or an identity is negative.

    Notes
    -----
    Let :math:`n_{pc}` be the people of the earlier group :math:`p` who are now in :math:`c`. The Jaccard index
    :math:`n_{pc}/(n_{p\cdot}+n_{\cdot c}-n_{pc})` counts only people grouped in both runs: newcomers and those
    who left do not make a group another one. Among pairs whose index reaches `least_similarity` (short by less
    than 1e-9 reaches it), the one-to-one matching with the largest number of people who keep their group's
    identity is taken, by the Hungarian method [1]_.

    *Ties* between matchings with equally many people: earlier identities choose in ascending order, each the
    group with most common members, then the larger one, then the one whose first member by key comes first,
    as long as the largest number stays in reach. Hence the result depends neither on the order of the mappings
    nor on the numbers of the labels.

    *New identities* are counted up from the largest ever given, for present groups from the largest to the
    smallest (ties by first member). An identity that ended is never given again, not even to a group with the
    same members.

    References
    ----------
    .. [1] H. W. Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2, 1955.
    """
    if not 0 < least_similarity <= 1:
        raise ValueError(f"least_similarity lies in (0, 1], not {least_similarity!r}")
    used = {*taken, *previous.values()}
    if used and min(used) < 0:
        raise ValueError("an identity is 0 or more; leave participants in no group out")
    before, now = sorted(set(previous.values())), _by_size(current)
    common, similarity = _overlap(previous, current, before, now)
    matched = _matched(np.where(similarity >= least_similarity - TOLERANCE, common, 0))
    identity_of: dict[int, int] = {now[column]: before[row] for row, column in matched.items()}
    fresh = max(used, default=-1)
    for label in now:
        if label not in identity_of:
            fresh += 1
            identity_of[label] = fresh
    groups = [
        _identified(label, column, identity_of, before, current, common, similarity) for column, label in enumerate(now)
    ]
    ended = [
        _ended(identity, common[row], previous, [identity_of[label] for label in now])
        for row, identity in enumerate(before)
        if row not in matched
    ]
    return Identities(
        groups=tuple(sorted(groups, key=lambda group: group.label)),
        ended=tuple(ended),
        taken=tuple(sorted(used | set(identity_of.values()))),
        least_similarity=least_similarity,
    )


def _by_size(members: Mapping[str, int]) -> list[int]:
    """Labels from the largest group to the smallest, ties by the first member's key."""
    sizes: dict[int, int] = {}
    first: dict[int, str] = {}
    for key in sorted(members):
        label = members[key]
        sizes[label] = sizes.get(label, 0) + 1
        first.setdefault(label, key)
    return sorted(sizes, key=lambda label: (-sizes[label], first[label]))


def _overlap(
    previous: Mapping[str, int], current: Mapping[str, int], before: list[int], now: list[int]
) -> tuple[IntArray, FloatArray]:
    """Common members and Jaccard index of each earlier and present group, over people grouped in both."""
    row_of = {identity: row for row, identity in enumerate(before)}
    column_of = {label: column for column, label in enumerate(now)}
    common = np.zeros((len(before), len(now)), dtype=np.int64)
    for key, identity in previous.items():
        if key in current:
            common[row_of[identity], column_of[current[key]]] += 1
    union = common.sum(axis=1, keepdims=True) + common.sum(axis=0, keepdims=True) - common
    similarity: FloatArray = np.zeros(common.shape)
    np.divide(common, union, out=similarity, where=union > 0)
    return common, similarity


def _matched(weights: IntArray) -> dict[int, int]:
    """Column of each matched row: the matching of largest weight, ties as stated; weight 0 is no match."""
    free = list(range(weights.shape[1]))
    left = _largest(weights)
    found: dict[int, int] = {}
    for row in range(len(weights)):
        for column in sorted(free, key=lambda column: -weights[row, column]):
            weight = int(weights[row, column])
            others = [other for other in free if other != column]
            if weight and weight + _largest(weights[row + 1 :, others]) == left:
                found[row], free, left = column, others, left - weight
                break
    return found


def _largest(weights: IntArray) -> int:
    """The largest weight that a one-to-one matching reaches."""
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return int(weights[rows, columns].sum())


def _identified(
    label: int,
    column: int,
    identity_of: Mapping[int, int],
    before: list[int],
    current: Mapping[str, int],
    common: IntArray,
    similarity: FloatArray,
) -> Identified:
    identity = identity_of[label]
    size = sum(1 for other in current.values() if other == label)
    if identity in before:
        row = before.index(identity)
        shared = int(common[row, column])
        return Identified(identity, label, "kept", identity, size, shared, float(similarity[row, column]))
    most = _majority(common[:, column])
    if most is None:
        return Identified(identity, label, "new", None, size, 0, float("nan"))
    shared = int(common[most, column])
    return Identified(identity, label, "split", before[most], size, shared, float(similarity[most, column]))


def _ended(identity: int, common: IntArray, previous: Mapping[str, int], identities: list[int]) -> Ended:
    size = sum(1 for other in previous.values() if other == identity)
    if not common.sum():
        return Ended(identity, "left", None, size)
    most = _majority(common)
    if most is None:
        return Ended(identity, "dissolved", None, size)
    return Ended(identity, "merged", identities[most], size)


def _majority(counts: IntArray) -> int | None:
    """Where more than half of the counts lie, if anywhere."""
    most = int(counts.argmax()) if counts.size else 0
    return most if counts.size and 2 * counts[most] > counts.sum() else None
