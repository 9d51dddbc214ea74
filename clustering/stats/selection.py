"""Pol.is' selection of the statements that characterise a group, and of those everybody shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from clustering.stats.matrix import BoolArray, FloatArray, IntArray
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
    voted = shown & (tests.n_seen[group] > 0)
    best = _best_agree(tests, group, np.flatnonzero(voted).tolist())
    significant = np.flatnonzero(voted & _is_significant(tests, group))
    if len(significant):
        ranked = significant[np.argsort(-_metric(tests, group)[significant], kind="stable")].tolist()
        columns = ([] if best is None else [best]) + [column for column in ranked if column != best]
    elif best is not None:
        columns = [best]
    else:
        strength = np.where(voted, np.maximum(tests.ratio_agree_z, tests.ratio_disagree_z)[group], -np.inf)
        columns = [int(strength.argmax())] if voted.any() else []
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


def _agrees(tests: Representativeness, group: int) -> BoolArray:
    """Whether the group stands out by agreeing rather than by disagreeing, for each statement."""
    return np.asarray(tests.ratio_agree_z[group] > tests.ratio_disagree_z[group])


def _is_significant(tests: Representativeness, group: int) -> BoolArray:
    agree = (tests.ratio_agree_z[group] > Z_90) & (tests.p_agree_z[group] > Z_90)
    disagree = (tests.ratio_disagree_z[group] > Z_90) & (tests.p_disagree_z[group] > Z_90)
    return np.asarray(agree | disagree)


def _metric(tests: Representativeness, group: int) -> FloatArray:
    agree = (tests.ratio_agree * tests.ratio_agree_z * tests.p_agree * tests.p_agree_z)[group]
    disagree = (tests.ratio_disagree * tests.ratio_disagree_z * tests.p_disagree * tests.p_disagree_z)[group]
    return np.asarray(np.where(_agrees(tests, group), agree, disagree))


def _best_agree(tests: Representativeness, group: int, columns: list[int]) -> int | None:
    """Column the group agrees on best, found by running comparison as Pol.is does; None if none is good."""
    best: int | None = None
    # Lists, since single numbers are read out of them ten times as fast as out of arrays.
    share_of = tests.p_agree[group] * tests.p_agree_z[group]
    share, product = share_of.tolist(), (share_of * (tests.ratio_agree * tests.ratio_agree_z)[group]).tolist()
    rare = ((tests.ratio_agree[group] > 1.0) & (tests.p_agree[group] > 0.5)).tolist()
    likely, stands_out = (tests.p_agree_z[group] > Z_90).tolist(), (tests.ratio_agree[group] > 1.0).tolist()
    has_view = ((tests.n_agree[group] > 0) | (tests.n_disagree[group] > 0)).tolist()
    for column in columns:
        if not has_view[column]:
            continue
        if best is None:
            better = rare[column] or likely[column]
        elif stands_out[best]:
            better = product[column] > product[best]
        else:
            better = share[column] > share[best]
        best = column if better else best
    return best


def _finalised(
    statement: str, tests: Representativeness, group: int, column: int, *, best_agree: bool
) -> CharacteristicStatement:
    at = (group, column)
    agree = best_agree or bool(_agrees(tests, group)[column])
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
        significant=bool(_is_significant(tests, group)[column]),
    )
