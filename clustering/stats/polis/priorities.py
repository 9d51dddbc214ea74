"""Comment priorities: how much it would tell to show a statement next."""

from __future__ import annotations

import numpy as np

from clustering.stats.matrix import BoolArray, FloatArray, IntArray

__all__ = ["META_PRIORITY", "METHOD_VERSION", "statement_priorities"]

METHOD_VERSION = "1"

META_PRIORITY = 49.0


def statement_priorities(
    agree: IntArray, neutral: IntArray, seen: IntArray, extremity: FloatArray, meta: BoolArray
) -> FloatArray:
    r"""Pol.is' priority of each statement.

    Parameters
    ----------
    agree, neutral, seen : ndarray of int, shape (n_statements,)
        Votes of grouped participants, summed over groups; `seen` counts all of them.
    extremity : ndarray of float, shape (n_statements,)
        Length of the statement's place on the map; ``nan`` (a statement that is not on it) counts as 0,
        which is Pol.is' rule for a new statement.
    meta : ndarray of bool, shape (n_statements,)
        Statements about the people themselves.

    Returns
    -------
    ndarray of float, shape (n_statements,)
        Positive weights for a draw; 49 for a meta statement.

    Notes
    -----
    With A, P, S the three counts and E the extremity [1]_:

    .. math:: \left[\left(1-\frac{P+1}{S+2}\right)(E+1)\,\frac{A+1}{S+2}\,(1+8\cdot 2^{-S/5})\right]^2

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/conversation.clj (importance-metric, priority-metric).
    """
    importance = (
        (1.0 - (neutral + 1.0) / (seen + 2.0)) * (np.nan_to_num(extremity) + 1.0) * (agree + 1.0) / (seen + 2.0)
    )
    priority = (importance * (1.0 + 8.0 * 2.0 ** (-seen / 5.0))) ** 2
    return np.where(meta, META_PRIORITY, priority)
