"""Permutation ANOVA: do groups differ in how well they are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "SCHEMES", "Anova", "Scheme", "eta_squared", "permutation_anova"]

METHOD_VERSION = "1"

Scheme = Literal["rows", "blocks", "within"]
SCHEMES: tuple[Scheme, ...] = ("rows", "blocks", "within")
# Cells of permuted numbers held at once: some 16 MB.
CELLS_AT_ONCE = 2_000_000
# Sums of the same numbers in another order differ in their last digits; this far below still counts as reached.
RELATIVE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Anova:
    """One-way analysis of variance with a p value by permutation.

    Attributes
    ----------
    f : float
        F statistic over rows, at least 0.
    p : float
        Share of the permutations, the observed one among them, whose F is at least as large; in (0, 1].
    eta_squared : float
        Share in [0, 1] of the variation of rows that lies between groups.
    groups : tuple of str
        In ascending order.
    sizes : tuple of int
        Rows of each group.
    means : tuple of float
        Mean value of each group.
    n_rows, n_blocks : int
        Rows, and participants (rows if none were given), that have a label.
    n_missing : int
        Rows without a label, left out.
    scheme : {"rows", "blocks", "within"}
    permutations, seed : int
    undefined : str or None
    """

    f: float
    p: float
    eta_squared: float
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    means: tuple[float, ...]
    n_rows: int
    n_blocks: int
    n_missing: int
    scheme: Scheme
    permutations: int
    seed: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def eta_squared(f: float, *, n_groups: int, n_rows: int) -> float:
    """Effect size that belongs to an F statistic: F df_b / (F df_b + df_w)."""
    between = f * (n_groups - 1)
    return between / (between + n_rows - n_groups)


def permutation_anova(
    values: Sequence[float] | FloatArray,
    labels: Sequence[str | None],
    *,
    seed: int,
    participants: Sequence[str] | None = None,
    scheme: Scheme = "rows",
    permutations: int = 5000,
) -> Anova:
    r"""One-way ANOVA of `values` by `labels`, with a p value by permutation.

    Parameters
    ----------
    values : array of float, shape (n_rows,)
        For instance absolute errors.
    labels : sequence of (str or None), length n_rows
        The group of each row; rows without one are left out and counted.
    seed : int
        At least 0.
    participants : sequence of str, length n_rows, optional
        Whose row it is; needed by the schemes "blocks" and "within".
    scheme : {"rows", "blocks", "within"}, default "rows"
        What is exchanged: "rows" permutes the values over all rows, as in the paper; "blocks" permutes the labels of
        participants, all rows of one going together; "within" permutes the values among the rows of each participant.
    permutations : int, default 5000

    Returns
    -------
    Anova

    Raises
    ------
    ValueError
        If lengths differ, a value is not finite, an option is out of range, or by the scheme "blocks" a participant
        has two labels.

    Notes
    -----
    Section 6.2 of the Overton paper [1]_. With :math:`G` groups of :math:`n_g` rows, :math:`N` in all,

    .. math:: F = \frac{SS_b/(G-1)}{SS_w/(N-G)}, \qquad \eta^2 = \frac{SS_b}{SS_b+SS_w}.

    The total is the same in every permutation, so F grows with :math:`SS_b` alone, and only that is computed.
    :math:`p = (1 + \#\{F^* \ge F\})/(1 + B)`: the observed arrangement is one of the possible ones [2]_.

    Several rows come from one person, and a person's errors are alike. Permuting rows takes them as independent and
    makes p too small for what differs between people (sex, party); "blocks" keeps each person whole. What differs
    within a person (the model that is rated) is tested by "within", which keeps each person's level.

    References
    ----------
    .. [1] Benchmarking Overton Pluralism in LLMs, section 6.2 and table 2.
    .. [2] B. Phipson, G. K. Smyth, Permutation p-values should never be zero, Stat. Appl. Genet. Mol. Biol. 9(1), 2010.
    """
    rows = _Rows.of(values, labels, participants, scheme)
    if seed < 0 or permutations < 1:
        raise ValueError("seed is at least 0 and there is at least 1 permutation")
    sizes = np.bincount(rows.labels, minlength=len(rows.groups))
    sums = np.bincount(rows.labels, weights=rows.values, minlength=len(rows.groups))
    n, n_groups = len(rows.values), len(rows.groups)
    centred = rows.values - rows.values.mean() if n else rows.values
    total = float(centred @ centred)
    observed = _between(np.bincount(rows.labels, weights=centred, minlength=n_groups)[None, :], sizes[None, :])[0]
    # What is left of a difference of equal sums is rounding, not variation.
    within = max(total - float(observed), 0.0)
    within = 0.0 if within <= 1e-12 * total else within
    undefined = _undefined(rows, n, n_groups, total, within)
    nan = float("nan")
    f = nan if undefined else (observed / (n_groups - 1)) / (within / (n - n_groups))
    p = nan if undefined else _p(rows, centred, float(observed), seed=seed, permutations=permutations)
    return Anova(
        f=float(f),
        p=p,
        eta_squared=nan if undefined else float(observed / total),
        groups=rows.groups,
        sizes=tuple(sizes.tolist()),
        means=tuple((sums / sizes).tolist()) if n else (),
        n_rows=n,
        n_blocks=len(set(rows.blocks.tolist())),
        n_missing=rows.n_missing,
        scheme=scheme,
        permutations=permutations,
        seed=seed,
        undefined=undefined,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows with a label, in order of participant, then label and value, so that their order makes no difference."""

    values: FloatArray
    labels: IntArray
    groups: tuple[str, ...]
    blocks: IntArray
    n_missing: int
    scheme: Scheme

    @classmethod
    def of(
        cls,
        values: Sequence[float] | FloatArray,
        labels: Sequence[str | None],
        participants: Sequence[str] | None,
        scheme: Scheme,
    ) -> _Rows:
        numbers = np.asarray(values, dtype=np.float64)
        if scheme not in SCHEMES or (participants is None and scheme != "rows"):
            raise ValueError(f"unknown scheme {scheme!r}, or it needs participants")
        owners = [str(index) for index in range(len(labels))] if participants is None else list(participants)
        if not len(numbers) == len(labels) == len(owners) or not np.isfinite(numbers).all():
            raise ValueError("values, labels and participants have one length, and values are finite")
        named = [(owner, label, value) for owner, label, value in zip(owners, labels, numbers, strict=True) if label]
        if participants is not None:
            named.sort()
        else:
            named.sort(key=lambda row: row[1:])
        groups = tuple(sorted({label for _owner, label, _value in named}))
        place = {group: index for index, group in enumerate(groups)}
        block = {owner: index for index, owner in enumerate(dict.fromkeys(owner for owner, *_rest in named))}
        found = cls(
            values=np.array([value for *_keys, value in named], dtype=np.float64),
            labels=np.array([place[label] for _owner, label, _value in named], dtype=np.int64),
            groups=groups,
            blocks=np.array([block[owner] for owner, *_rest in named], dtype=np.int64),
            n_missing=len(labels) - len(named),
            scheme=scheme,
        )
        if scheme == "blocks" and len(set(zip(found.blocks.tolist(), found.labels.tolist(), strict=True))) > len(block):
            raise ValueError("a participant has two labels, which blocks cannot exchange")
        return found


def _undefined(rows: _Rows, n: int, n_groups: int, total: float, within: float) -> str | None:
    if n_groups < 2:
        return "fewer than two groups have a row"
    if n <= n_groups:
        return "no group has more than one row"
    if total == 0.0:
        return "all values are equal"
    if within == 0.0:
        return "values do not vary within groups"
    if rows.scheme == "blocks" and len(set(rows.blocks.tolist())) <= n_groups:
        return "every participant is a group of their own"
    if rows.scheme == "within" and not _is_exchangeable(rows):
        return "no participant has rows in two groups"
    return None


def _is_exchangeable(rows: _Rows) -> bool:
    pairs = set(zip(rows.blocks.tolist(), rows.labels.tolist(), strict=True))
    return len(pairs) > len({block for block, _label in pairs})


def _between(sums: FloatArray | IntArray, sizes: FloatArray | IntArray) -> FloatArray:
    """Sum of squares between groups, of sums of centred values (rows are arrangements)."""
    return np.asarray((sums**2 / sizes).sum(axis=1), dtype=np.float64)


def _p(rows: _Rows, centred: FloatArray, observed: float, *, seed: int, permutations: int) -> float:
    draw = {"rows": _rows_permuted, "blocks": _blocks_permuted, "within": _within_permuted}[rows.scheme]
    rng = np.random.default_rng(seed)
    at_once = max(1, CELLS_AT_ONCE // len(centred))
    threshold = observed * (1 - RELATIVE_TOLERANCE)
    reached = 0
    for start in range(0, permutations, at_once):
        between = draw(rows, centred, rng, min(at_once, permutations - start))
        reached += int((between >= threshold).sum())
    return (1 + reached) / (1 + permutations)


def _rows_permuted(rows: _Rows, centred: FloatArray, rng: np.random.Generator, n: int) -> FloatArray:
    """The values in any order, cut into groups of the sizes there are."""
    sizes = np.bincount(rows.labels)
    shuffled = rng.permuted(np.broadcast_to(centred, (n, len(centred))), axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return _between(np.add.reduceat(shuffled, starts, axis=1), sizes[None, :])


def _blocks_permuted(rows: _Rows, centred: FloatArray, rng: np.random.Generator, n: int) -> FloatArray:
    """Participants in any order, cut into groups of as many participants as there are: sizes in rows vary."""
    n_blocks = int(rows.blocks.max()) + 1
    sums = np.bincount(rows.blocks, weights=centred)
    counts = np.bincount(rows.blocks)
    label_of = np.zeros(n_blocks, dtype=np.int64)
    label_of[rows.blocks] = rows.labels
    starts = np.concatenate([[0], np.cumsum(np.bincount(label_of))[:-1]])
    order = rng.permuted(np.broadcast_to(np.arange(n_blocks), (n, n_blocks)), axis=1)
    return _between(np.add.reduceat(sums[order], starts, axis=1), np.add.reduceat(counts[order], starts, axis=1))


def _within_permuted(rows: _Rows, centred: FloatArray, rng: np.random.Generator, n: int) -> FloatArray:
    """Each participant's values in any order among that participant's rows, which keep their labels."""
    # Sorting (participant, random key) shuffles every participant at once; rows come in order of participant.
    keys = rows.blocks[None, :] + rng.random((n, len(centred)))
    shuffled = centred[np.argsort(keys, axis=1)]
    n_groups = len(rows.groups)
    places = rows.labels[None, :] + n_groups * np.arange(n)[:, None]
    sums = np.bincount(places.ravel(), weights=shuffled.ravel(), minlength=n * n_groups).reshape(n, n_groups)
    return _between(sums, np.bincount(rows.labels)[None, :])
