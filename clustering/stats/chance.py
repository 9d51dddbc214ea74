"""Whether groups are further apart than votes without any groups would make them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.matrix import VoteMatrix
from clustering.stats.plain import plain
from clustering.stats.quality import Judged

__all__ = ["METHOD_VERSION", "ChanceSilhouette", "chance_silhouette", "shuffled_votes"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ChanceSilhouette:
    """The silhouette of the groups beside those that shuffled votes reach.

    Attributes
    ----------
    observed : float
    mean, standard_deviation, highest : float
        Of the silhouettes of shuffled votes; ``nan`` without any.
    p_value : float
        (1 + shuffles that reach the observed one) / (1 + shuffles with groups); ``nan`` if undefined.
    n_shuffles : int
    n_undefined : int
        Shuffles in which no groups were found; they do not count.
    seed : int
    undefined : str or None
    """

    observed: float
    mean: float
    standard_deviation: float
    highest: float
    p_value: float
    n_shuffles: int
    n_undefined: int
    seed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def chance_silhouette(
    cluster: Callable[[VoteMatrix, int], Judged],
    matrix: VoteMatrix,
    groups: Judged,
    *,
    seed: int,
    shuffles: int = 99,
) -> ChanceSilhouette:
    """Silhouette of the groups beside that of groups found in shuffled votes.

    Parameters
    ----------
    cluster : callable (matrix, seed) -> Judged
        The clusterer that made `groups`, with the same settings.
    matrix : VoteMatrix
        The votes that count.
    groups : Judged
        Made from `matrix`.
    seed : int
        At least 0; shuffle `i` draws from ``SeedSequence(seed, spawn_key=(i,))``, and `cluster` gets `seed`.
    shuffles : int, default 99

    Returns
    -------
    ChanceSilhouette

    Raises
    ------
    ValueError
        If the groups were made from other participants, or a number is out of range.

    Notes
    -----
    The votes on each statement are exchanged among those who voted on it. Who voted on what, and how many agreed
    with what, stay; that the same people agree with several statements does not. The p-value [1]_ is for the
    hypothesis that statements have nothing to do with each other, in the direction of larger silhouettes: small
    ones say that there is structure, not that it has the form of these groups.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, Bootstrap Methods and their Application, Cambridge, 1997, section 4.3.
    """
    if groups.participants != matrix.participants:
        raise ValueError("the groups were made from another matrix")
    if seed < 0 or shuffles < 1:
        raise ValueError("seed is at least 0 and shuffles at least 1")
    scores: list[float] = []
    if groups.undefined is None:
        for shuffle in range(shuffles):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(shuffle,)))
            found = cluster(shuffled_votes(matrix, rng), seed)
            if found.undefined is None:
                scores.append(found.silhouette)
    nan = float("nan")
    reached = sum(score >= groups.silhouette for score in scores)
    return ChanceSilhouette(
        observed=groups.silhouette,
        mean=float(np.mean(scores)) if scores else nan,
        standard_deviation=float(np.std(scores, ddof=1)) if len(scores) > 1 else nan,
        highest=max(scores, default=nan),
        p_value=(1 + reached) / (1 + len(scores)) if scores else nan,
        n_shuffles=shuffles,
        n_undefined=shuffles - len(scores) if groups.undefined is None else 0,
        seed=seed,
        undefined=groups.undefined or (None if scores else "no shuffle had groups"),
    )


def shuffled_votes(matrix: VoteMatrix, rng: np.random.Generator) -> VoteMatrix:
    """Votes exchanged among those who voted on the same statement.

    Parameters
    ----------
    matrix : VoteMatrix
    rng : numpy.random.Generator

    Returns
    -------
    VoteMatrix
    """
    values = matrix.values.copy()
    for column in range(values.shape[1]):
        voted = matrix.seen[:, column]
        values[voted, column] = rng.permutation(values[voted, column])
    return VoteMatrix(matrix.participants, matrix.statements, values)
