"""Which units are drawn in a bootstrap, within which strata, and what the sums over them are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotation.stats.bootstrap import by_unit, replicate_sums
from annotation.stats.scales import FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "Block",
    "Resampling",
    "blocks",
    "distinct_rows",
]

METHOD_VERSION = "1"

_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """How intervals are made.

    Attributes
    ----------
    unit : ndarray of int, shape (n_items,), or None
        Which unit each item belongs to; every item is its own without.
    unit_name : str
        Such as "items", "pairs" or "references".
    strata : ndarray of int, shape (n_items,), or None
        From 0 without gaps. Units are drawn within strata if every unit lies in one; else over all.
    stratum_names : tuple of str
        One for each stratum.
    replicates : int
        0 for no bootstrap.
    seed : int
    level : float
    """

    unit: IntArray | None = None
    unit_name: str = "items"
    strata: IntArray | None = None
    stratum_names: tuple[str, ...] = ()
    replicates: int = 1000
    seed: int = 0
    level: float = 0.95

    @property
    def is_nested(self) -> bool:
        """Whether every unit lies in one stratum, so that drawing within strata draws whole units."""
        if self.unit is None or self.strata is None:
            return True
        pairs = np.unique(self.unit * (int(self.strata.max(initial=0)) + 1) + self.strata)
        return len(pairs) == len(np.unique(self.unit))

    def named(self, stratum: int) -> str:
        """The name of a stratum."""
        return self.stratum_names[stratum] if self.stratum_names else str(stratum)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Sums over the items of one stratum, or of all.

    Attributes
    ----------
    stratum : str or None
        None for all items.
    inside : ndarray of bool, shape (n_items,)
    times : ndarray of int, shape (n_rows,)
        How many of its items have each row.
    kinds : ndarray, shape (n_kinds, n_features)
        Features of each kind of unit, for leaving one out.
    often : ndarray of int, shape (n_kinds,)
        How many units are of each kind.
    added : ndarray, shape (1 + replicates, n_features)
        Sums over the data, then over each replicate.
    """

    stratum: str | None
    inside: IntArray
    times: IntArray
    kinds: FloatArray
    often: IntArray
    added: FloatArray


def distinct_rows(table: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct rows of a table of small integers from -3, and which of them each row is."""
    lowest = int(table.min(initial=0))
    base = int(table.max(initial=0)) - lowest + 1
    if base ** table.shape[1] < _LARGEST_KEY:
        keys = np.zeros(len(table), np.int64)
        for column in table.T:
            keys *= base
            keys += column
            keys -= lowest
        if base ** table.shape[1] <= max(4 * len(table), 1 << 16):
            return _by_counting(table, keys, base ** table.shape[1])
        _, first, index = np.unique(keys, return_index=True, return_inverse=True)
        return np.asarray(table[first], np.int64), index.reshape(-1)
    whole = np.ascontiguousarray(table).view(np.dtype((np.void, table.itemsize * table.shape[1])))
    _, first, index = np.unique(whole.reshape(-1), return_index=True, return_inverse=True)
    return np.asarray(table[first], np.int64), index.reshape(-1)


def _by_counting(table: IntArray, keys: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """As :func:`distinct_rows` for keys so small that none need be sorted."""
    first = np.full(most, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    present = first >= 0
    number = np.cumsum(present) - 1
    return np.asarray(table[first[present]], np.int64), number[keys]


def blocks(features: FloatArray, row: IntArray, resampling: Resampling) -> Iterator[Block]:
    """Sums for each stratum in turn, and last for all items.

    Parameters
    ----------
    features : ndarray, shape (n_rows, n_features)
        Of each distinct row of judgements.
    row : ndarray of int, shape (n_items,)
        Which row each item has.
    resampling : Resampling

    Notes
    -----
    The same seed draws the same units whatever the features are, so that all coefficients, sets of raters and policies
    see the same replicates. The replicate of all items adds those of its strata.
    """
    everything = np.ones(len(row), bool)
    if resampling.strata is None:
        yield _block(None, everything, features, row, resampling, 0)
        return
    n_strata = int(resampling.strata.max(initial=-1)) + 1
    is_nested = resampling.is_nested
    whole = np.zeros((1 + resampling.replicates, features.shape[1]))
    parts = []
    for stratum in range(n_strata):
        inside = resampling.strata == stratum
        block = _block(resampling.named(stratum), inside, features, row, resampling, stratum)
        yield block
        if is_nested:
            whole += block.added
            parts.append((block.kinds, block.often))
    times = np.bincount(row, minlength=len(features))
    if is_nested and parts:
        kinds, often = (np.concatenate(each) for each in zip(*parts, strict=True))
        yield Block(None, everything, times, kinds, often, whole)
    else:
        yield _block(None, everything, features, row, resampling, n_strata)


def _block(
    stratum: str | None, inside: IntArray, features: FloatArray, row: IntArray, resampling: Resampling, number: int
) -> Block:
    times = np.bincount(row[inside], minlength=len(features))
    if resampling.unit is None:
        there = np.flatnonzero(times)
        kinds, often = features[there], times[there]
    else:
        _, unit = np.unique(resampling.unit[inside], return_inverse=True)
        n_units = int(unit.max(initial=-1)) + 1
        kinds = by_unit(features[row[inside]], unit, n_units)
        often = np.ones(n_units, np.int64)
    added = np.empty((1 + resampling.replicates, features.shape[1]))
    added[0] = often @ kinds
    if resampling.replicates:
        rng = np.random.default_rng([resampling.seed, number])
        same = np.zeros(len(often), np.int64)
        added[1:] = replicate_sums(kinds, often, same, replicates=resampling.replicates, rng=rng)
    return Block(stratum, inside, times, kinds, often, added)
