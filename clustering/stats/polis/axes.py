"""The map of Pol.is from votes alone: axes from a Gram matrix, places from the votes cast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clustering.stats.matrix import BoolArray, FloatArray, IntArray
from clustering.stats.polis.gram import leading_axes
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.projection import N_AXES, caution_about, signed

__all__ = ["METHOD_VERSION", "Axes", "find_axes", "places_of_people"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """Axes of the map.

    Attributes
    ----------
    means : ndarray of float, shape (n_statements,)
        Mean vote in [-1, 1] that is subtracted; ``nan`` for a statement that does not count (unvoted, or
        taken out), 0 for one that counts as passed by everybody.
    components : ndarray of float, shape (2, n_statements)
        Unit loadings; 0 where a statement does not count, and all 0 on an axis without variation.
    explained : ndarray of float, shape (2,)
        Share in [0, 1] of the variance of the imputed matrix; ``nan`` if undefined.
    caution : str or None
        Set if the data do not determine the axes.
    undefined : str or None
        Why there are no axes.
    """

    means: FloatArray
    components: FloatArray
    explained: FloatArray
    caution: str | None
    undefined: str | None


def find_axes(votes: SparseVotes, hidden: BoolArray, *, zeroed: bool) -> Axes:
    r"""First two principal components of the votes, missing ones at their statement's mean.

    Parameters
    ----------
    votes : SparseVotes
    hidden : ndarray of bool, shape (n_statements,)
        Statements that do not shape the map.
    zeroed : bool
        Whether a hidden statement counts as passed by everybody (as in Pol.is) or as not there.

    Returns
    -------
    Axes

    Notes
    -----
    The imputed and centred matrix X is :math:`v_{ij}-m_j` where a vote was cast and exactly 0 elsewhere,
    hence as sparse as the votes. Its first two right singular vectors come from the smaller of
    :math:`X^TX` and :math:`XX^T` (:mod:`clustering.stats.polis.gram`). Signs follow
    :func:`clustering.stats.projection.project`.
    """
    n_statements = len(votes.statements)
    counts = votes.votes_on()
    counted = (counts > 0) & ~hidden
    means = np.full(n_statements, np.nan)
    sums = np.bincount(votes.columns, weights=votes.values, minlength=n_statements)
    means[counted] = sums[counted] / counts[counted]
    if zeroed:
        means[(counts > 0) & hidden] = 0.0
    components, explained = np.zeros((N_AXES, n_statements)), np.full(N_AXES, np.nan)
    if not counted.any():
        return Axes(means, components, explained, None, "no votes")
    used = counted[votes.columns]
    rows, columns = votes.rows[used], votes.columns[used]
    centred = votes.values[used] - means[columns]
    # Only columns and rows that count enter, so that the others cannot even change the rounding.
    row_of, column_of = _places(rows, len(votes.participants)), np.cumsum(counted) - 1
    shape = (int(row_of[-1]) + 1, int(counted.sum()))
    found = leading_axes(row_of[rows], column_of[columns], centred, shape)
    if found is None:
        return Axes(means, components, explained, None, "on every statement all votes are the same")
    singular, loadings, total = found
    explained[:] = 0.0
    for axis in range(min(N_AXES, len(singular))):
        if singular[axis] > 0.0:
            components[axis, counted] = signed(loadings[axis])
            explained[axis] = singular[axis] ** 2 / total
    return Axes(means, components, explained, caution_about(singular), None)


def places_of_people(votes: SparseVotes, axes: Axes, hidden: BoolArray, *, zeroed: bool) -> FloatArray:
    r"""Places of participants from the votes they cast.

    Parameters
    ----------
    votes : SparseVotes
    axes : Axes
    hidden : ndarray of bool, shape (n_statements,)
    zeroed : bool
        As for :func:`find_axes`.

    Returns
    -------
    ndarray of float, shape (n_participants, 2)
        ``nan`` for a participant without a vote that counts, and for everybody without axes.

    Notes
    -----
    :math:`p_i = \sqrt{C/c_i}\sum_j (v_{ij}-m_j)\,a_j` over the votes cast, as in
    :func:`clustering.stats.projection.participant_coordinates`; C statements count. Zeroed statements are
    among C, and among the :math:`c_i` of everybody [1]_. Votes are summed in the order of statements, so
    people who voted alike stand at exactly the same place.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/pca.clj (sparsity-aware-project-ptpts).
    """
    n_people = len(votes.participants)
    counts = ~np.isnan(axes.means)
    used = (counts & ~hidden)[votes.columns]
    rows, columns = votes.rows[used], votes.columns[used]
    n_cast = np.bincount(rows, minlength=n_people)
    n_passed = int((counts & hidden).sum()) if zeroed else 0
    scale = np.sqrt(int(counts.sum()) / np.maximum(n_cast + n_passed, 1))
    centred = votes.values[used] - axes.means[columns]
    sums = [np.bincount(rows, weights=centred * axis[columns], minlength=n_people) for axis in axes.components]
    places: FloatArray = scale[:, None] * np.stack(sums, axis=1)
    placed = votes.votes_each() > 0 if zeroed else n_cast > 0
    places[~placed if axes.undefined is None else slice(None)] = np.nan
    return places


def _places(rows: NDArray[np.int32], n_people: int) -> IntArray:
    """New number of each participant when those without an entry are left out."""
    present = np.zeros(n_people, dtype=bool)
    present[rows] = True
    return np.cumsum(present) - 1
