"""Pol.is' selection of the statements that characterise a group, and of those everybody shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from clustering.stats.matrix import BoolArray, IntArray
from clustering.stats.representativeness import Z_90, Representativeness, one_proportion_z

__all__ = [
    "METHOD_VERSION",
    "CharacteristicStatement",
    "ConsensusStatement",
    "consensus_statements",
    "representative_statements",
]

METHOD_VERSION = "1"

Direction = Literal["agree", "disagree"]


@dataclass(frozen=True, slots=True)
class CharacteristicStatement:
    """A statement that characterises a group.

    Attributes
    ----------
    statement : str
    direction : {"agree", "disagree"}
        What the group says to it more than others do.
    n_success : int
        Votes of the group in that direction.
    n_trials : int
        Votes of the group on it, neutral ones included.
    p_success : float
        Smoothed share in (0, 1).
    p_test : float
        One-proportion z against one half.
    repness : float
        Smoothed share over that of the other groups.
    repness_test : float
        Two-proportion z.
    best_agree : bool
        Whether it leads as the statement the group agrees on best.
    significant : bool
        Whether both tests exceed the one-sided 90 % point; others are the best there is.
    """

    statement: str
    direction: Direction
    n_success: int
    n_trials: int
    p_success: float
    p_test: float
    repness: float
    repness_test: float
    best_agree: bool
    significant: bool


@dataclass(frozen=True, slots=True)
class ConsensusStatement:
    """A statement on which participants at large agree, or disagree.

    Attributes
    ----------
    statement : str
    n_success : int
        Votes in the direction of the list.
    n_trials : int
        All votes, neutral ones included.
    p_success : float
        Smoothed share in (0.5, 1).
    p_test : float
        One-proportion z against one half.
    """

    statement: str
    n_success: int
    n_trials: int
    p_success: float
    p_test: float


def representative_statements(
    statements: tuple[str, ...], tests: Representativeness, group: int, *, shown: BoolArray, limit: int = 5
) -> tuple[CharacteristicStatement, ...]:
    """Statements that characterise one group, as Pol.is selects them.

    Parameters
    ----------
    statements : tuple of str, length n_statements
    tests : Representativeness
    group : int
    shown : ndarray of bool, shape (n_statements,)
        Statements that may be selected.
    limit : int, default 5

    Returns
    -------
    tuple of CharacteristicStatement
        Agreement first. At least one wherever a statement may be selected and a member voted.

    Notes
    -----
    Significant are statements whose share and whose ratio both exceed the one-sided 90 % point, in one
    direction. They are ranked by the product of both ratios and tests; the statement that the group agrees
    on best goes first whether significant or not. Without a significant one that statement stands alone,
    or else the one with the largest test of the ratio. Ties go to the earlier key [1]_. The statement agreed
    on best is always listed as agreement; Pol.is lists it as disagreement where neither ratio exceeds the other.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/repness.clj (select-rep-comments).
    """
    voted = np.flatnonzero(shown & (tests.n_seen[group] > 0))
    significant = [column for column in voted.tolist() if _is_significant(tests, group, column)]
    best = _best_agree(tests, group, voted.tolist())
    if significant:
        rest = [column for column in significant if column != best]
        rest.sort(key=lambda column: -_metric(tests, group, column))
        columns = ([] if best is None else [best]) + rest
    elif best is not None:
        columns = [best]
    else:
        strength = np.maximum(tests.ratio_agree_z, tests.ratio_disagree_z)[group, voted]
        columns = [int(voted[strength.argmax()])] if len(voted) else []
    chosen = [_finalised(statements[c], tests, group, c, best_agree=c == best) for c in columns[:limit]]
    return tuple(sorted(chosen, key=lambda item: item.direction != "agree"))


def consensus_statements(
    statements: tuple[str, ...],
    agree: IntArray,
    disagree: IntArray,
    seen: IntArray,
    *,
    shown: BoolArray,
    limit: int = 5,
) -> tuple[tuple[ConsensusStatement, ...], tuple[ConsensusStatement, ...]]:
    """Statements on which participants at large agree, and those they disagree with.

    Parameters
    ----------
    statements : tuple of str, length n_statements
    agree, disagree, seen : ndarray of int, shape (n_statements,)
        Counts over all participants.
    shown : ndarray of bool, shape (n_statements,)
    limit : int, default 5

    Returns
    -------
    tuple of two tuples of ConsensusStatement
        Smoothed share above one half and significant at one-sided 90 %, by share times test.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/repness.clj (consensus-stats, select-consensus-comments).
    """
    lists = []
    for successes in (agree, disagree):
        share = (successes + 1.0) / (seen + 2.0)
        test = one_proportion_z(successes, seen)
        columns = np.flatnonzero(shown & (share > 0.5) & (test > Z_90))
        order = columns[np.argsort(-(share * test)[columns], kind="stable")][:limit]
        lists.append(
            tuple(
                ConsensusStatement(statements[c], int(successes[c]), int(seen[c]), float(share[c]), float(test[c]))
                for c in order.tolist()
            )
        )
    return lists[0], lists[1]


def _direction(tests: Representativeness, group: int, column: int) -> Direction:
    return "agree" if tests.ratio_agree_z[group, column] > tests.ratio_disagree_z[group, column] else "disagree"


def _is_significant(tests: Representativeness, group: int, column: int) -> bool:
    at = (group, column)
    agree = tests.ratio_agree_z[at] > Z_90 and tests.p_agree_z[at] > Z_90
    disagree = tests.ratio_disagree_z[at] > Z_90 and tests.p_disagree_z[at] > Z_90
    return bool(agree or disagree)


def _metric(tests: Representativeness, group: int, column: int) -> float:
    at = (group, column)
    if _direction(tests, group, column) == "agree":
        parts = (tests.ratio_agree, tests.ratio_agree_z, tests.p_agree, tests.p_agree_z)
    else:
        parts = (tests.ratio_disagree, tests.ratio_disagree_z, tests.p_disagree, tests.p_disagree_z)
    return float(np.prod([part[at] for part in parts]))


def _best_agree(tests: Representativeness, group: int, columns: list[int]) -> int | None:
    """Column the group agrees on best, found by running comparison as Pol.is does; None if none is good."""
    best: int | None = None
    share = (tests.p_agree * tests.p_agree_z)[group]
    product = share * (tests.ratio_agree * tests.ratio_agree_z)[group]
    for column in columns:
        at = (group, column)
        if tests.n_agree[at] == 0 and tests.n_disagree[at] == 0:
            continue
        if best is None:
            rare = tests.ratio_agree[at] > 1.0 and tests.p_agree[at] > 0.5
            better = rare or tests.p_agree_z[at] > Z_90
        elif tests.ratio_agree[group, best] > 1.0:
            better = product[column] > product[best]
        else:
            better = share[column] > share[best]
        best = column if better else best
    return best


def _finalised(
    statement: str, tests: Representativeness, group: int, column: int, *, best_agree: bool
) -> CharacteristicStatement:
    at = (group, column)
    agree = best_agree or _direction(tests, group, column) == "agree"
    return CharacteristicStatement(
        statement=statement,
        direction="agree" if agree else "disagree",
        n_success=int((tests.n_agree if agree else tests.n_disagree)[at]),
        n_trials=int(tests.n_seen[at]),
        p_success=float((tests.p_agree if agree else tests.p_disagree)[at]),
        p_test=float((tests.p_agree_z if agree else tests.p_disagree_z)[at]),
        repness=float((tests.ratio_agree if agree else tests.ratio_disagree)[at]),
        repness_test=float((tests.ratio_agree_z if agree else tests.ratio_disagree_z)[at]),
        best_agree=best_agree,
        significant=_is_significant(tests, group, column),
    )
