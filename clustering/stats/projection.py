"""Two dimensions of opinion: Pol.is' sparsity-scaled principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.matrix import FloatArray, VoteMatrix
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "N_AXES",
    "Projection",
    "caution_about",
    "participant_coordinates",
    "project",
    "signed",
    "statement_coordinates",
]

METHOD_VERSION = "1"

N_AXES = 2
# Loadings and singular values nearer than this (relative to the largest) count as equal: a
# thousand times the rounding of a singular value decomposition, far below any real difference.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Participants and statements of a question in two dimensions.

    Attributes
    ----------
    participants, statements : tuple of str
        Keys of rows and columns, as in the matrix.
    coordinates : ndarray of float, shape (n_participants, 2)
        Scaled scores; ``nan`` for a participant without a vote. No unit: a distance of 1 is about
        one step of the vote scale along an axis.
    statement_coordinates : ndarray of float, shape (n_statements, 2)
        Where somebody would stand whose one vote agrees with the statement; ``nan`` if unvoted.
    extremity : ndarray of float, shape (n_statements,)
        Length of the statement's coordinates, at least 0.
    means : ndarray of float, shape (n_statements,)
        Mean vote in [-1, 1] among those who voted; ``nan`` if nobody did.
    components : ndarray of float, shape (2, n_statements)
        Unit loadings; 0 on an unvoted statement, and all 0 on an axis without variation.
    explained : ndarray of float, shape (2,)
        Share in [0, 1] of the variance of the imputed matrix.
    caution : str or None
        Set if the axes are not determined by the data (equal singular values).
    undefined : str or None
        Why there are no coordinates; everything else is ``nan`` or 0 then.
    """

    participants: tuple[str, ...]
    statements: tuple[str, ...]
    coordinates: FloatArray
    statement_coordinates: FloatArray
    extremity: FloatArray
    means: FloatArray
    components: FloatArray
    explained: FloatArray
    caution: str | None
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def project(matrix: VoteMatrix) -> Projection:
    r"""Sparsity-scaled projection of a vote matrix on its first two principal components.

    Parameters
    ----------
    matrix : VoteMatrix

    Returns
    -------
    Projection
        ``undefined`` is set if there are no votes, or no statement on which votes differ.

    Notes
    -----
    Missing votes are replaced by the statement's mean for finding the axes only; a participant's
    place uses the votes cast [1]_ [2]_:

    .. math:: p_i = \sqrt{C / c_i} \sum_{j\ \mathrm{voted}} (v_{ij} - m_j)\, a_j

    with :math:`C` the statements with at least one vote, :math:`c_i` the votes of the participant,
    :math:`m_j` the mean vote and :math:`a_j` the two loadings of statement :math:`j`. The axes are
    the first two right singular vectors of the imputed, centred matrix, by a full decomposition
    instead of Pol.is' power iteration, so no start values are drawn.

    *Sign*: of each axis the loading that is largest in absolute value is positive; among loadings
    equal within 1e-9 of the largest, that of the first statement by key decides. Replacing every
    vote by its opposite therefore mirrors the map through the origin and changes no distance.

    References
    ----------
    .. [1] C. Small, M. Bjorkegren, T. Erkkilä, L. Shaw, C. Megill, Polis: Scaling deliberation by
       mapping high dimensional opinion spaces, Recerca 26(2), 2021, section 4.
    .. [2] Pol.is, math/src/polismath/math/pca.clj (sparsity-aware-project-ptpts).
    """
    voted = matrix.seen.any(axis=0)
    values = matrix.values[:, voted]
    means = np.full(len(matrix.statements), np.nan)
    components = np.zeros((N_AXES, len(matrix.statements)))
    explained = np.full(N_AXES, np.nan)
    undefined: str | None = "no votes"
    caution: str | None = None
    if values.size:
        means[voted] = np.nanmean(values, axis=0)
        undefined = "on every statement all votes are the same"
        axes = _axes(values, means[voted])
        if axes is not None:
            components[:, voted], explained, caution = axes
            undefined = None
    # Unvoted columns are left out of the product, so that they cannot even change its rounding.
    coordinates = participant_coordinates(values, means[voted], components[:, voted])
    places = statement_coordinates(means, components)
    if undefined is not None:
        coordinates = np.full_like(coordinates, np.nan)
        places = np.full_like(places, np.nan)
    return Projection(
        participants=matrix.participants,
        statements=matrix.statements,
        coordinates=coordinates,
        statement_coordinates=places,
        extremity=np.hypot(places[:, 0], places[:, 1]),
        means=means,
        components=components,
        explained=explained,
        caution=caution,
        undefined=undefined,
    )


def participant_coordinates(values: FloatArray, means: FloatArray, components: FloatArray) -> FloatArray:
    """Places of participants on given axes, from the votes they cast.

    Parameters
    ----------
    values : ndarray of float, shape (n_participants, n_statements)
        Votes, ``nan`` where missing.
    means : ndarray of float, shape (n_statements,)
        Mean votes; ``nan`` for an unvoted statement.
    components : ndarray of float, shape (n_axes, n_statements)

    Returns
    -------
    ndarray of float, shape (n_participants, n_axes)
        ``nan`` in the row of a participant without a vote.

    Notes
    -----
    The formula is in :func:`project`; the number of statements is that of those with a mean.
    """
    seen = ~np.isnan(values)
    centred = np.where(seen, values - means, 0.0)
    n_cast = seen.sum(axis=1)
    n_statements = int((~np.isnan(means)).sum())
    scale = np.sqrt(n_statements / np.maximum(n_cast, 1))
    places: FloatArray = scale[:, None] * (centred @ components.T)
    places[n_cast == 0] = np.nan
    return places


def statement_coordinates(means: FloatArray, components: FloatArray) -> FloatArray:
    r"""Places of statements: where a person would stand whose only vote agrees with it.

    Parameters
    ----------
    means : ndarray of float, shape (n_statements,)
    components : ndarray of float, shape (n_axes, n_statements)

    Returns
    -------
    ndarray of float, shape (n_statements, n_axes)
        :math:`q_j = \sqrt{C}\,(1 - m_j)\,a_j`; ``nan`` for an unvoted statement.
    """
    n_statements = int((~np.isnan(means)).sum())
    places: FloatArray = np.sqrt(n_statements) * ((1.0 - means)[:, None] * components.T)
    return places


def _axes(values: FloatArray, means: FloatArray) -> tuple[FloatArray, FloatArray, str | None] | None:
    """Signed unit loadings, shares of variance and a caution; None without any variation."""
    centred = np.where(np.isnan(values), 0.0, values - means)
    _, singular, right = np.linalg.svd(centred, full_matrices=False)
    if singular[0] <= TOLERANCE:
        return None
    components = np.zeros((N_AXES, values.shape[1]))
    shares = np.zeros(N_AXES)
    for axis in range(min(N_AXES, len(singular))):
        # Below the rounding of the decomposition an axis points anywhere: it is no dimension.
        if singular[axis] > TOLERANCE * singular[0]:
            components[axis] = signed(right[axis])
            shares[axis] = singular[axis] ** 2 / (singular**2).sum()
    return components, shares, caution_about(singular)


def signed(loadings: FloatArray) -> FloatArray:
    """Loadings with the sign that :func:`project` states.

    Parameters
    ----------
    loadings : ndarray of float, shape (n_statements,)
        Of one axis, in the order of statement keys.

    Returns
    -------
    ndarray of float, shape (n_statements,)
        The same or their opposite.
    """
    size = np.abs(loadings)
    decisive = int(np.argmax(size >= size.max() * (1.0 - TOLERANCE)))
    return loadings if loadings[decisive] > 0 else -loadings


def caution_about(singular: FloatArray) -> str | None:
    """A warning if an axis is not told apart from the next one.

    Parameters
    ----------
    singular : ndarray of float
        Singular values, largest first; one more than there are axes, if there are so many.

    Returns
    -------
    str or None
    """
    for axis in range(min(N_AXES, len(singular) - 1)):
        gap = singular[axis] - singular[axis + 1]
        if singular[axis] > TOLERANCE * singular[0] and gap <= TOLERANCE * singular[0]:
            return f"axes {axis + 1} and {axis + 2} explain equally much: their direction is arbitrary"
    return None
