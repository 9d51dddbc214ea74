"""How far opinion groups depend on the seed, and on who happened to take part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from clustering.stats.comembership import Tally
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.partitions import Clusterer, Labelled, adjusted_rand, numbered_by_first
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "BootstrapStability",
    "Clusterer",
    "Labelled",
    "SeedStability",
    "adjusted_rand",
    "bootstrap_stability",
    "seed_stability",
]

METHOD_VERSION = "1"

Multiples = Literal["once", "keep"]
# Sorts a copy of a participant right behind the first one; no key contains it.
COPY = "\x00"


@dataclass(frozen=True, slots=True, eq=False)
class SeedStability:
    """How alike the groups of several seeds are.

    Attributes
    ----------
    seeds : tuple of int
    n_groups : tuple of int
        Groups found with each seed; 0 where undefined.
    reasons : tuple of (str or None)
        Why a seed gave no groups.
    adjusted_rand : ndarray of float, shape (n_seeds, n_seeds)
        Of each pair of seeds, 1 for equal groups; ``nan`` on the diagonal and where undefined.
    mean, lowest : float
        Over the pairs that have one; ``nan`` if none has.
    n_partitions : int
        Different results among the seeds that gave groups.
    share_of_commonest : float
        Share in [0, 1] of those seeds that gave the commonest result; ``nan`` if none gave groups.
    undefined : str or None
        Why there is no mean.
    """

    seeds: tuple[int, ...]
    n_groups: tuple[int, ...]
    reasons: tuple[str | None, ...]
    adjusted_rand: FloatArray
    mean: float
    lowest: float
    n_partitions: int
    share_of_commonest: float
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapStability:
    """How often people meet the members of their group again when the participants are drawn anew.

    Attributes
    ----------
    participants : tuple of str
    pairs : ndarray of float, shape (n_participants, n_participants), or None
        Share in [0, 1] of the replicates with both people in a group in which they are in the same one; ``nan``
        where there is none, and on the diagonal. None if not asked for.
    person : ndarray of float, shape (n_participants,)
        The same share of a person with the other members of their group, pooled over members and replicates;
        ``nan`` in no group, in a group of one, or if never drawn with another member.
    group : ndarray of float, shape (n_groups,)
        Mean of `person` over the members; ``nan`` without any.
    jaccard : ndarray of float, shape (n_groups,)
        Mean over replicates of the largest Jaccard index of the group (as far as drawn) with a group of the
        replicate; ``nan`` if no member was ever drawn.
    overall : float
        Mean of `person` over all who have one.
    adjusted_rand : float
        Mean over replicates, with the reference, over people grouped in both.
    n_replicates : int
    n_undefined : int
        Replicates without groups, which are left out.
    multiples : {"once", "keep"}
    seed : int
    undefined : str or None
        Why there are no shares.
    """

    participants: tuple[str, ...]
    pairs: FloatArray | None
    person: FloatArray
    group: FloatArray
    jaccard: FloatArray
    overall: float
    adjusted_rand: float
    n_replicates: int
    n_undefined: int
    multiples: Multiples
    seed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def seed_stability(cluster: Clusterer, matrix: VoteMatrix, *, seeds: Sequence[int]) -> SeedStability:
    """How alike the groups are that a clusterer finds with several seeds.

    Parameters
    ----------
    cluster : callable (matrix, seed) -> Labelled
        Any clusterer; whatever it chooses by itself (the setting of a grid, say) it chooses anew.
    matrix : VoteMatrix
    seeds : sequence of int
        At least two, all different.

    Returns
    -------
    SeedStability

    Raises
    ------
    ValueError
        If there are fewer than two seeds or one occurs twice.
    """
    if len(set(seeds)) < len(seeds) or len(seeds) < 2:
        raise ValueError("at least two seeds are needed, all different")
    found = [cluster(matrix, seed) for seed in seeds]
    index = np.full((len(seeds), len(seeds)), np.nan)
    for one, other in combinations(range(len(seeds)), 2):
        if found[one].undefined is None and found[other].undefined is None:
            index[one, other] = index[other, one] = adjusted_rand(found[one].labels, found[other].labels)
    defined = index[np.isfinite(index)]
    results = Counter(numbered_by_first(groups.labels).tobytes() for groups in found if groups.undefined is None)
    return SeedStability(
        seeds=tuple(seeds),
        n_groups=tuple(0 if groups.undefined else int(groups.labels.max()) + 1 for groups in found),
        reasons=tuple(groups.undefined for groups in found),
        adjusted_rand=index,
        mean=float(defined.mean()) if len(defined) else float("nan"),
        lowest=float(defined.min()) if len(defined) else float("nan"),
        n_partitions=len(results),
        share_of_commonest=max(results.values()) / results.total() if results else float("nan"),
        undefined=None if len(defined) else "fewer than two seeds gave groups that can be compared",
    )


def bootstrap_stability(
    cluster: Clusterer,
    matrix: VoteMatrix,
    reference: Labelled,
    *,
    seed: int,
    replicates: int = 100,
    multiples: Multiples = "once",
    keep_pairs: bool = True,
) -> BootstrapStability:
    """How often people are grouped together again when the participants are drawn anew with replacement.

    Parameters
    ----------
    cluster : callable (matrix, seed) -> Labelled
        The clusterer that made `reference`, with the same settings; it chooses its setting anew each time.
    matrix : VoteMatrix
        The votes that count: take votes on one's own statement out before.
    reference : Labelled
        The groups in question, made from `matrix`.
    seed : int
        At least 0; replicate `i` draws from ``SeedSequence(seed, spawn_key=(i,))``, and `cluster` gets `seed`.
    replicates : int, default 100
    multiples : {"once", "keep"}, default "once"
        Whether somebody drawn more than once takes part once or as often as drawn.
    keep_pairs : bool, default True
        Whether to keep the matrix of all pairs, whose size is the square of the number of participants.

    Returns
    -------
    BootstrapStability
        The same for the same matrix and seed, whatever order its votes came in.

    Raises
    ------
    ValueError
        If `reference` was made from other participants, or a number is out of range.

    Notes
    -----
    After C. Hennig [1]_, who also has the means of the Jaccard indices: under 0.5 a group is dissolved, from 0.6
    there is a pattern, from 0.75 it is stable. By default people drawn twice take part once, as there: two equal
    rows are a tight group by themselves, which a silhouette would reward. A replicate then has about 63 % of the
    people, so the test is strict.

    References
    ----------
    .. [1] C. Hennig, Cluster-wise assessment of cluster stability, Computational Statistics & Data Analysis 52, 2007.
    """
    if reference.participants != matrix.participants:
        raise ValueError("the groups were made from another matrix")
    if seed < 0 or replicates < 1 or multiples not in ("once", "keep"):
        raise ValueError("seed is at least 0, replicates at least 1, and multiples once or keep")
    tally = Tally(reference.labels, keep_pairs=keep_pairs)
    if reference.undefined is None:
        voters = np.flatnonzero(matrix.seen.any(axis=1))
        for replicate in range(replicates):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate,)))
            drawn = np.sort(rng.choice(voters, size=len(voters)))
            rows = np.unique(drawn) if multiples == "once" else drawn
            found = cluster(_drawn(matrix, rows), seed)
            tally.add(rows, None if found.undefined else found.labels)
    reason = reference.undefined or (None if tally.n_defined else "no replicate had groups")
    person = tally.person()
    return BootstrapStability(
        participants=matrix.participants,
        pairs=tally.pair_shares(),
        person=person,
        group=np.array([_mean(person[reference.labels == label]) for label in range(tally.n_groups)]),
        jaccard=np.array([_mean(np.array(values)) for values in tally.jaccard]),
        overall=_mean(person),
        adjusted_rand=_mean(np.array(tally.adjusted_rand)),
        n_replicates=replicates,
        n_undefined=tally.n_undefined,
        multiples=multiples,
        seed=seed,
        undefined=reason,
    )


def _drawn(matrix: VoteMatrix, rows: IntArray) -> VoteMatrix:
    """Matrix of the rows drawn, ascending; a repeated one under a key of its own."""
    keys: list[str] = []
    copies = 0
    for position, row in enumerate(rows):
        copies = copies + 1 if position and rows[position - 1] == row else 0
        keys.append(matrix.participants[row] + (f"{COPY}{copies:09d}" if copies else ""))
    return VoteMatrix(tuple(keys), matrix.statements, matrix.values[rows])


def _mean(values: FloatArray) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else float("nan")
