"""Bootstrap over participants: opinion groups found and answers scored anew in each replicate.

A question is computed by itself, in blocks of replicates, wherever there is a free worker; the draws of a
replicate depend on the seed, the question and its number alone, so any division of the work gives the same
bytes. `viewpoint_intervals.viewpoint_table` puts the blocks together.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.coverage import TOLERANCE, Rule
from clustering.stats.matrix import FloatArray, IntArray, VoteMatrix
from clustering.stats.plain import plain
from clustering.stats.ratings import RatingMatrix
from clustering.stats.resampled import ResampledCoverage, people_times, resampled_coverage

__all__ = ["METHOD_VERSION", "Clusterer", "Duplicates", "ViewpointBlock", "ViewpointInput", "viewpoint_block"]

METHOD_VERSION = "1"

# Votes and a seed to the group of everybody who is in one.
Clusterer = Callable[[VoteMatrix, int], Mapping[str, int]]
Duplicates = Literal["weigh", "copy"]

# Between the key of a person and the number of the copy.
COPY = "\x00"


@dataclass(frozen=True, slots=True, eq=False)
class ViewpointInput:
    """Votes and ratings of one question.

    Attributes
    ----------
    code : str
    votes : VoteMatrix
        Its participants are who is drawn from.
    ratings : RatingMatrix
        Ratings of others do not count: they are in no group.
    """

    code: str
    votes: VoteMatrix
    ratings: RatingMatrix


@dataclass(frozen=True, slots=True, eq=False)
class ViewpointBlock:
    """Replicates of one question.

    Attributes
    ----------
    question : str
    sources : tuple of str
    first : int
        Number of the first replicate; replicate 0 is the data as they are.
    unweighted, weighted : ndarray of float, shape (n_replicates, n_sources)
        Coverage; ``nan`` where a replicate has none.
    best, best_weighted : ndarray of float, shape (n_replicates,)
    n_groups : ndarray of int, shape (n_replicates,)
    n_distinct : ndarray of int, shape (n_replicates,)
        Different people drawn.
    seed : int
    duplicates : {"weigh", "copy"}
    rule : {"mean", "majority"}
    threshold, tolerance : float
    """

    question: str
    sources: tuple[str, ...]
    first: int
    unweighted: FloatArray
    weighted: FloatArray
    best: FloatArray
    best_weighted: FloatArray
    n_groups: IntArray
    n_distinct: IntArray
    seed: int
    duplicates: Duplicates
    rule: Rule
    threshold: float
    tolerance: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``: the replicate has no coverage."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ViewpointBlock:
        """The block back from :meth:`to_dict`, to the bit."""
        floats: dict[str, Any] = {
            name: np.array(values[name], dtype=np.float64)
            for name in ("unweighted", "weighted", "best", "best_weighted")
        }
        integers: dict[str, Any] = {name: np.array(values[name], dtype=np.int64) for name in ("n_groups", "n_distinct")}
        others: dict[str, Any] = {
            name: values[name] for name in ("question", "first", "seed", "duplicates", "rule", "threshold", "tolerance")
        }
        shape = (len(integers["n_groups"]), len(values["sources"]))
        for name in ("unweighted", "weighted"):
            floats[name] = floats[name].reshape(shape)
        return cls(sources=tuple(values["sources"]), **floats, **integers, **others)


def viewpoint_block(
    question: ViewpointInput,
    cluster: Clusterer,
    *,
    seed: int,
    first: int,
    count: int,
    duplicates: Duplicates = "weigh",
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
    progress: Callable[[int], None] | None = None,
) -> ViewpointBlock:
    """Draw people anew, cluster them and score the answers, replicate by replicate.

    Parameters
    ----------
    question : ViewpointInput
    cluster : callable
        Gets the votes of a replicate and the seed, returns the group of everybody who is in one.
    seed : int
        At least 0; the same for all questions and blocks.
    first, count : int
        The replicates to compute: `first` to `first + count - 1`. Replicate 0 is the data as they are; a table
        needs it.
    duplicates : {"weigh", "copy"}, default "weigh"
        Somebody drawn k times is clustered once and counts k times in ratings and sizes (*weigh*), or is k
        people with the same votes (*copy*).
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.
    progress : callable, optional
        Called with the number of replicates done.

    Returns
    -------
    ViewpointBlock

    Raises
    ------
    ValueError
        If a number is out of range or an option unknown.

    Notes
    -----
    People are drawn with replacement, as many as there are [1]_. Copies of a person lie on one point, which
    makes groups that are not there and raises the silhouette; hence *weigh*. Its price: a replicate clusters
    some 63 % of the people, who make somewhat fewer groups. The distribution of the number of groups and the
    bias of each score are part of the result, and the centred interval takes the bias out.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall, 1993.
    """
    if seed < 0 or first < 0 or count < 1:
        raise ValueError("seed and first are at least 0, count at least 1")
    if duplicates not in ("weigh", "copy") or rule not in ("mean", "majority"):
        raise ValueError(f"unknown treatment of duplicates {duplicates!r} or rule {rule!r}")
    ratings = _ratings_of(question)
    n_people = len(question.votes.participants)
    parts: list[ResampledCoverage] = []
    n_groups, n_distinct = [], []
    with threadpool_limits(limits=1, user_api="blas"):
        for replicate in range(first, first + count):
            rng = np.random.default_rng(_seed_of(question.code, seed, replicate))
            times = people_times(n_people, rng, 1)[0] if replicate else np.ones(n_people, dtype=np.int64)
            members = _members(question.votes, times, cluster, seed, duplicates)
            rows, groups, counts = _grouped(question.votes, times, members, duplicates)
            parts.append(
                resampled_coverage(
                    ratings[rows], groups, counts[None, :], rule=rule, threshold=threshold, tolerance=tolerance
                )
            )
            n_groups.append(len(set(members.values())))
            n_distinct.append(int((times > 0).sum()))
            if progress:
                progress(replicate - first + 1)
    return ViewpointBlock(
        question=question.code,
        sources=question.ratings.sources,
        first=first,
        unweighted=np.concatenate([part.unweighted for part in parts]),
        weighted=np.concatenate([part.weighted for part in parts]),
        best=np.concatenate([part.best for part in parts]),
        best_weighted=np.concatenate([part.best_weighted for part in parts]),
        n_groups=np.array(n_groups, dtype=np.int64),
        n_distinct=np.array(n_distinct, dtype=np.int64),
        seed=seed,
        duplicates=duplicates,
        rule=rule,
        threshold=float(threshold),
        tolerance=tolerance,
    )


def _seed_of(question: str, seed: int, replicate: int) -> np.random.SeedSequence:
    """Entropy of one replicate of one question, whatever else is computed beside it."""
    words = np.frombuffer(hashlib.sha256(question.encode()).digest()[:16], dtype="<u4")
    return np.random.SeedSequence([seed, *(int(word) for word in words)], spawn_key=(replicate,))


def _ratings_of(question: ViewpointInput) -> FloatArray:
    """Ratings by row of the vote matrix; ``nan`` for who did not rate."""
    row_of = {person: row for row, person in enumerate(question.ratings.participants)}
    values = np.full((len(question.votes.participants), len(question.ratings.sources)), np.nan)
    for row, person in enumerate(question.votes.participants):
        if person in row_of:
            values[row] = question.ratings.values[row_of[person]]
    return values


def _members(
    votes: VoteMatrix, times: IntArray, cluster: Clusterer, seed: int, duplicates: Duplicates
) -> Mapping[str, int]:
    """Groups of the people drawn; copies of somebody have keys of their own."""
    if duplicates == "weigh":
        return cluster(votes.subset(times > 0, np.ones(len(votes.statements), dtype=bool)), seed)
    rows = np.repeat(np.arange(len(times)), times)
    seen: Counter[str] = Counter()
    keys = []
    for row in rows:
        person = votes.participants[row]
        keys.append(f"{person}{COPY}{seen[person]}" if seen[person] else person)
        seen[person] += 1
    return cluster(VoteMatrix.from_arrays(keys, votes.statements, votes.values[rows]), seed)


def _grouped(
    votes: VoteMatrix, times: IntArray, members: Mapping[str, int], duplicates: Duplicates
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows, groups and counts of the people in a group; a copy is a row of its own that counts once."""
    row_of = {person: row for row, person in enumerate(votes.participants)}
    labels = {label: index for index, label in enumerate(sorted(set(members.values())))}
    people = sorted(members)
    originals = [person.split(COPY)[0] for person in people] if duplicates == "copy" else people
    rows = np.array([row_of[person] for person in originals], dtype=np.int64)
    groups = np.array([labels[members[person]] for person in people], dtype=np.int64)
    return rows, groups, times[rows] if duplicates == "weigh" else np.ones(len(rows), dtype=np.int64)
