"""Agreement by cell: one dimension, one stratum, one set of raters, one rule for what cannot be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, MISSING, NOT_APPLICABLE, SPECIAL, Codes, Judgements
from annotation.stats.coefficients import Columns, Values, Weighting, columns_of, computed, weightings
from annotation.stats.designs import Block, Resampling, blocks, distinct_rows
from annotation.stats.estimates import Estimate
from annotation.stats.estimating import Drawn, drawn_of, estimates_of
from annotation.stats.policies import Policy, policy_named
from annotation.stats.ratersets import RaterSet
from annotation.stats.scales import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "Cell", "Resampling", "agreement_cell", "agreement_cells", "pair_cell"]

METHOD_VERSION = "2"

#: Up to so many distinct rows of answers (or units) are drawn together for all sets of raters.
MOST_ROWS_TOGETHER = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """Agreement of one set of raters on one set of items.

    Attributes
    ----------
    dimension : str
    stratum : str or None
        None for all items.
    raters : RaterSet
    policy : str
        Key of :data:`annotation.stats.policies.POLICIES`.
    labels : tuple of str
        What labels there are under the policy.
    n_items, n_pairable, n_ratings, n_raters, n_units : int
        Items with a label, with two or more, labels, raters with a label, units with one.
    counts : dict of rater to list of int
        How often each rater used each label.
    cannot_judge, not_applicable : dict of rater to int
    bias_index : float
        Of a pair, on the items that both gave a label: half the sum of the differences of their shares of labels, 0
        for equal shares, 1 for none in common. With two labels it is the bias index of Byrt, Bishop and Carlin (1993).
    estimates : tuple of Estimate
    """

    dimension: str
    stratum: str | None
    raters: RaterSet
    policy: str
    labels: tuple[str, ...]
    n_items: int
    n_pairable: int
    n_ratings: int
    n_raters: int
    n_units: int
    counts: dict[str, list[int]]
    cannot_judge: dict[str, int]
    not_applicable: dict[str, int]
    bias_index: float
    estimates: tuple[Estimate, ...]

    def __getitem__(self, name: str) -> Estimate:
        """The statistic of this name."""
        return next(estimate for estimate in self.estimates if estimate.name == name)

    @property
    def cannot_judge_rate(self) -> float:
        """Share of "cannot judge" among the answers that are a label or "cannot judge"; ``nan`` without any."""
        n = sum(self.cannot_judge.values())
        whole = sum(map(sum, self.counts.values())) + (0 if self.policy == "category" else n)
        return n / whole if whole else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        rate = self.cannot_judge_rate
        return {
            "dimension": self.dimension,
            "stratum": self.stratum,
            "raters": {"kind": self.raters.kind, "name": self.raters.name, "members": list(self.counts)},
            "policy": self.policy,
            "labels": list(self.labels),
            "n_items": self.n_items,
            "n_pairable": self.n_pairable,
            "n_ratings": self.n_ratings,
            "n_raters": self.n_raters,
            "n_units": self.n_units,
            "counts": self.counts,
            "cannot_judge": self.cannot_judge,
            "cannot_judge_rate": rate if np.isfinite(rate) else None,
            "not_applicable": self.not_applicable,
            "bias_index": self.bias_index if np.isfinite(self.bias_index) else None,
            "estimates": [estimate.to_dict() for estimate in self.estimates],
        }


def agreement_cells(
    judgements: Judgements,
    sets: Sequence[RaterSet],
    policies: Sequence[Policy],
    resampling: Resampling,
    *,
    weights: Mapping[str, FloatArray] | None = None,
) -> list[Cell]:
    """Every coefficient that the scale allows, for each stratum, set of raters and policy.

    Parameters
    ----------
    judgements : Judgements
    sets : sequence of RaterSet
        Pairs are left out if items by raters do not fit a matrix.
    policies : sequence of Policy
    resampling : Resampling
    weights : mapping of str to ndarray, optional
        Agreement weights of the user by name, for the declared labels.

    Returns
    -------
    list of Cell
        Ordered by policy, stratum (all items first) and set. What is undefined has a reason.

    Notes
    -----
    Items with equal answers are exchangeable, so distinct rows of answers are drawn with multinomial multiplicities,
    and one draw serves all sets and policies. Where there are too many distinct rows each set has draws of its own,
    over rows of counts, which forget who gave which label; Conger's kappa then has a value and no bootstrap.
    """
    cells: list[Cell] = []
    for answers, row, some, knows_raters in _rows(judgements, sets, resampling):
        cells += _cells(judgements, answers, row, some, policies, resampling, weights or {}, knows_raters)
    order = {each.name: place for place, each in enumerate(policies)}
    strata = {name: place for place, name in enumerate(resampling.stratum_names)}
    place_of = {each: place for place, each in enumerate(sets)}
    cells.sort(key=lambda cell: (order[cell.policy], strata.get(cell.stratum or "", -1), place_of[cell.raters]))
    return cells


Rows = tuple[list[IntArray], IntArray, list[RaterSet], bool]


def _rows(judgements: Judgements, sets: Sequence[RaterSet], resampling: Resampling) -> Iterator[Rows]:
    """Distinct rows of answers for each set, the row of each item, for which sets, and whether raters are known."""
    if not (judgements.knows_raters and judgements.fits_a_matrix):
        for each in sets:
            if not each.is_pair:
                yield _counted(judgements.slots(_mask(each, judgements)), each)
        return
    table = judgements.matrix()
    rows, row = distinct_rows(table)
    n_units = len(rows) if resampling.unit is None else int(resampling.unit.max(initial=-1)) + 1
    if n_units <= MOST_ROWS_TOGETHER:
        yield [rows[:, each.raters] for each in sets], row, list(sets), True
        return
    for each in sets:
        if each.is_pair:
            rows, row = distinct_rows(table[:, each.raters])
            yield [rows], row, [each], True
        else:
            yield _counted(table[:, each.raters], each)


def _counted(table: IntArray, raters: RaterSet) -> Rows:
    """Rows that differ only in who gave which answer are one."""
    rows, row = distinct_rows(np.sort(table, axis=1))
    return [rows], row, [raters], False


def _mask(raters: RaterSet, judgements: Judgements) -> IntArray:
    mask = np.zeros(len(judgements.raters), bool)
    mask[list(raters.raters)] = True
    return mask


def _cells(
    judgements: Judgements,
    answers: list[IntArray],
    row: IntArray,
    sets: list[RaterSet],
    policies: Sequence[Policy],
    resampling: Resampling,
    weights: Mapping[str, FloatArray],
    knows_raters: bool,
) -> Iterator[Cell]:
    layout: dict[str, list[Columns]] = {}
    start = 0
    if not (judgements.knows_raters and judgements.fits_a_matrix):
        policies = [policy for policy in policies if not policy.is_listwise]
    for policy in policies:
        layout[policy.name] = []
        for table, each in zip(answers, sets, strict=True):
            columns = columns_of(table, each, policy, row=row, start=start, knows_raters=knows_raters)
            layout[policy.name].append(columns)
            start = columns.stop
    whole = np.concatenate([columns.features for some in layout.values() for columns in some], axis=1)
    for block in blocks(whole, row, resampling):
        used = _used(judgements, block.inside)
        for policy in policies:
            named = weightings(policy, weights if policy.scale is judgements.scale else {})
            found = list(computed(block.added, layout[policy.name], policy, named))
            drawn = drawn_of(found, resampling)
            for place, columns in enumerate(layout[policy.name]):
                yield _cell(judgements, block, policy, named, columns, place, found, drawn, used, resampling)


def _used(judgements: Judgements, inside: IntArray) -> IntArray:
    """How often each rater gave each answer inside a stratum: shape (n_raters, 3 + q)."""
    kept = inside[judgements.item]
    size = SPECIAL + judgements.scale.size
    flat = judgements.rater[kept] * size + judgements.code[kept] + SPECIAL
    return np.bincount(flat, minlength=len(judgements.raters) * size).reshape(-1, size)


def _cell(
    judgements: Judgements,
    block: Block,
    policy: Policy,
    named: Sequence[Weighting],
    columns: Columns,
    place: int,
    found: Sequence[Values],
    drawn: Drawn,
    used: IntArray,
    resampling: Resampling,
) -> Cell:
    keys = [judgements.raters[index] for index in columns.raters.raters]
    mine = used[list(columns.raters.raters)]
    by_rater = _by_rater(columns, block, policy, mine, judgements)
    total = columns.counts.sum(axis=1)
    n_raters = int((by_rater.sum(axis=1) > 0).sum())
    n_units = int(block.often[block.kinds[:, columns.start] > 0].sum())
    return Cell(
        dimension=judgements.dimension,
        stratum=block.stratum,
        raters=columns.raters,
        policy=policy.name,
        labels=policy.scale.labels,
        n_items=int(block.times[total > 0].sum()),
        n_pairable=int(block.times[total >= 2].sum()),
        n_ratings=int(block.times @ total),
        n_raters=n_raters,
        n_units=n_units,
        counts=dict(zip(keys, by_rater.tolist(), strict=True)),
        cannot_judge=dict(zip(keys, mine[:, CANNOT_JUDGE + SPECIAL].tolist(), strict=True)),
        not_applicable=dict(zip(keys, mine[:, NOT_APPLICABLE + SPECIAL].tolist(), strict=True)),
        bias_index=_bias(columns, block, policy.scale.size),
        estimates=estimates_of(
            judgements, block, policy, named, columns, place, found, drawn, n_raters, n_units, resampling
        ),
    )


def _by_rater(columns: Columns, block: Block, policy: Policy, used: IntArray, judgements: Judgements) -> IntArray:
    """How often each rater used each label of the policy: shape (n_raters, q)."""
    size = policy.scale.size
    if not policy.is_listwise:
        given = np.zeros((len(used), size), np.int64)
        for answer, label in enumerate(policy.becomes):
            if label != MISSING:
                given[:, label] += used[:, answer]
        return given
    is_complete = np.asarray((columns.labels >= 0).all(axis=1))
    complete = is_complete[columns.row] & block.inside
    kept = complete[judgements.item] & (judgements.code >= 0)
    flat = judgements.rater[kept] * size + judgements.code[kept]
    whole = np.bincount(flat, minlength=len(judgements.raters) * size).reshape(-1, size)
    return whole[list(columns.raters.raters)]


def _bias(columns: Columns, block: Block, size: int) -> float:
    if not columns.raters.is_pair:
        return float("nan")
    table = block.added[0, columns.start + 2 + size + 2 * size**2 : columns.stop].reshape(size, size)
    n = table.sum()
    return float(np.abs(table.sum(axis=1) - table.sum(axis=0)).sum() / (2 * n)) if n else float("nan")


def agreement_cell(codes: Codes, resampling: Resampling | None = None) -> Cell:
    """The cell of all raters on all items, of judgements that are all labels."""
    judgements = Judgements.of(codes)
    everybody = RaterSet("all", "all", tuple(range(len(codes.raters))))
    policy = policy_named("missing", judgements)
    return agreement_cells(judgements, [everybody], [policy], resampling or Resampling())[-1]


def pair_cell(codes: Codes, first: str, second: str, resampling: Resampling | None = None) -> Cell:
    """The cell of two raters on all items, of judgements that are all labels."""
    judgements = Judgements.of(codes)
    pair = RaterSet("pair", f"{first} & {second}", (codes.raters.index(first), codes.raters.index(second)))
    policy = policy_named("missing", judgements)
    return agreement_cells(judgements, [pair], [policy], resampling or Resampling())[-1]
