"""Pol.is' tests of what a group says that others do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import FloatArray, IntArray

__all__ = [
    "METHOD_VERSION",
    "Z_90",
    "Representativeness",
    "one_proportion_z",
    "representativeness",
    "two_proportion_z",
]

METHOD_VERSION = "1"

# One-sided 90 % of the standard normal, with the digits that Pol.is uses.
Z_90 = 1.2816


@dataclass(frozen=True, slots=True, eq=False)
class Representativeness:
    """Tests of every group and statement; all arrays have shape (n_groups, n_statements).

    Attributes
    ----------
    n_agree, n_disagree, n_seen : ndarray of int
    p_agree, p_disagree : ndarray of float
        Smoothed shares (n + 1) / (seen + 2) in (0, 1).
    p_agree_z, p_disagree_z : ndarray of float
        One-proportion statistics against one half.
    ratio_agree, ratio_disagree : ndarray of float
        Smoothed share in the group over that among the other groups, positive.
    ratio_agree_z, ratio_disagree_z : ndarray of float
        Two-proportion statistics, group against the other groups.
    """

    n_agree: IntArray
    n_disagree: IntArray
    n_seen: IntArray
    p_agree: FloatArray
    p_disagree: FloatArray
    p_agree_z: FloatArray
    p_disagree_z: FloatArray
    ratio_agree: FloatArray
    ratio_disagree: FloatArray
    ratio_agree_z: FloatArray
    ratio_disagree_z: FloatArray


def one_proportion_z(successes: IntArray, trials: IntArray) -> FloatArray:
    r"""Test statistic of a proportion against one half, with one success and one trial added.

    Parameters
    ----------
    successes, trials : ndarray of int, any equal shape

    Returns
    -------
    ndarray of float
        :math:`2\sqrt{n+1}\,\left(\frac{s+1}{n+1} - \frac12\right)`; about standard normal for large n.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/stats.clj (prop-test).
    """
    added = trials + 1.0
    return np.asarray(2.0 * np.sqrt(added) * ((successes + 1.0) / added - 0.5))


def two_proportion_z(
    successes: IntArray, other_successes: IntArray, trials: IntArray, other_trials: IntArray
) -> FloatArray:
    r"""Test statistic of two proportions, with one added to each of the four counts.

    Parameters
    ----------
    successes, other_successes, trials, other_trials : ndarray of int, any equal shape

    Returns
    -------
    ndarray of float
        :math:`(p_1-p_2) / \sqrt{p(1-p)(1/n_1+1/n_2)}` of the added counts, p pooled; 0 where p is 1 (both
        proportions are 1 then, so nothing sets them apart).

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/stats.clj (two-prop-test).
    """
    n1, n2 = trials + 1.0, other_trials + 1.0
    p1, p2 = (successes + 1.0) / n1, (other_successes + 1.0) / n2
    pooled = (successes + other_successes + 2.0) / (n1 + n2)
    variance = pooled * (1.0 - pooled) * (1.0 / n1 + 1.0 / n2)
    result: FloatArray = np.zeros(np.shape(pooled))
    np.divide(p1 - p2, np.sqrt(variance), out=result, where=variance > 0)
    return result


def representativeness(agree: IntArray, disagree: IntArray, seen: IntArray) -> Representativeness:
    """Tests of every group and statement.

    Parameters
    ----------
    agree, disagree, seen : ndarray of int, shape (n_groups, n_statements)
        Counts; `seen` includes neutral votes.

    Returns
    -------
    Representativeness

    Notes
    -----
    A group is compared with the members of the other groups; people in no group are in neither. The tests
    are descriptive: statements are many, groups were made from the same votes, nothing is corrected.
    """
    rest_agree, rest_disagree, rest_seen = (counts.sum(axis=0) - counts for counts in (agree, disagree, seen))

    def smoothed(part: IntArray, whole: IntArray) -> FloatArray:
        return np.asarray((part + 1.0) / (whole + 2.0))

    p_agree, p_disagree = smoothed(agree, seen), smoothed(disagree, seen)
    return Representativeness(
        n_agree=agree,
        n_disagree=disagree,
        n_seen=seen,
        p_agree=p_agree,
        p_disagree=p_disagree,
        p_agree_z=one_proportion_z(agree, seen),
        p_disagree_z=one_proportion_z(disagree, seen),
        ratio_agree=p_agree / smoothed(rest_agree, rest_seen),
        ratio_disagree=p_disagree / smoothed(rest_disagree, rest_seen),
        ratio_agree_z=two_proportion_z(agree, rest_agree, seen, rest_seen),
        ratio_disagree_z=two_proportion_z(disagree, rest_disagree, seen, rest_seen),
    )
