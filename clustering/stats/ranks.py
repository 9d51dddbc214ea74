"""Ranks of sources with their uncertainty: rank intervals and the chance of being first."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clustering.stats.association import TIED
from clustering.stats.matrix import FloatArray

__all__ = ["METHOD_VERSION", "RankRow", "rank_rows", "ranks_from_top"]

METHOD_VERSION = "1"

# Comparisons of all pairs are held in memory for this many replicates at a time.
CHUNK = 4096


@dataclass(frozen=True, slots=True)
class RankRow:
    """The rank of one source.

    Attributes
    ----------
    source : str
    rank : float
        1 for the highest score; ties (within 1e-9) share the mean of their ranks.
    low, high : float
        Interval of the rank over replicates, made of ranks that occurred.
    p_first : float
        Share of replicates in which it is first; sources tied for it share it evenly.
    n_replicates : int
        Replicates in which every source has a score.
    undefined : str or None
    interval_undefined : str or None
    """

    source: str
    rank: float
    low: float
    high: float
    p_first: float
    n_replicates: int
    undefined: str | None
    interval_undefined: str | None


def ranks_from_top(scores: FloatArray) -> FloatArray:
    """Ranks within each row, 1 for the highest; ties have the mean of their ranks.

    Parameters
    ----------
    scores : ndarray of float, shape (n_rows, n_sources)
        Finite.

    Returns
    -------
    ndarray of float, shape (n_rows, n_sources)
    """
    ranks: FloatArray = np.empty(scores.shape)
    for start in range(0, len(scores), CHUNK):
        part = scores[start : start + CHUNK]
        gap = part[:, None, :] - part[:, :, None]
        above, tied = (gap > TIED).sum(axis=2), (np.abs(gap) <= TIED).sum(axis=2)
        ranks[start : start + CHUNK] = above + (tied + 1) / 2
    return ranks


def rank_rows(
    sources: tuple[str, ...],
    scores: FloatArray,
    replicates: FloatArray,
    *,
    level: float = 0.95,
    reason: str | None = None,
) -> tuple[RankRow, ...]:
    """Ranks with intervals from bootstrap replicates.

    Parameters
    ----------
    sources : tuple of str, length n_sources
    scores : ndarray of float, shape (n_sources,)
        ``nan`` for a source without a score: it has no rank, the others are ranked among themselves.
    replicates : ndarray of float, shape (n_replicates, n_sources)
        Scores of all sources drawn together. May have no row: then there is no interval.
    level : float, default 0.95
    reason : str, optional
        Why sources have no score, if not for want of a coverage.

    Returns
    -------
    tuple of RankRow, length n_sources

    Notes
    -----
    The ends of an interval are the smallest and the largest rank between the quantiles (1 - level)/2 and
    (1 + level)/2, rounded outwards to ranks that occurred.
    """
    has = ~np.isnan(scores)
    names = [source for source, kept in zip(sources, has, strict=True) if kept]
    own = ranks_from_top(scores[has][None, :])[0]
    whole = replicates[:, has]
    whole = whole[~np.isnan(whole).any(axis=1)]
    drawn = ranks_from_top(whole)
    n = len(drawn)
    no_interval = None if n else "no replicate gives every source a score"
    tail = (1 - level) / 2
    if n and names:
        low = np.quantile(drawn, tail, axis=0, method="lower")
        high = np.quantile(drawn, 1 - tail, axis=0, method="higher")
        first = drawn == drawn.min(axis=1, keepdims=True)
        p_first = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    else:
        low = high = p_first = np.full(len(names), np.nan)
    found = {
        name: RankRow(
            source=name,
            rank=float(own[i]),
            low=float(low[i]),
            high=float(high[i]),
            p_first=float(p_first[i]),
            n_replicates=n,
            undefined=None,
            interval_undefined=no_interval,
        )
        for i, name in enumerate(names)
    }
    nan, none = math.nan, reason or "no question has a coverage"
    return tuple(found.get(source, RankRow(source, nan, nan, nan, nan, 0, none, none)) for source in sources)
