"""Coverage of one question when its people count unequally often, many times at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.coverage import TOLERANCE, Rule
from clustering.stats.matrix import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "ResampledCoverage", "people_times", "resampled_coverage"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class ResampledCoverage:
    """Coverage in every resample.

    Attributes
    ----------
    unweighted, weighted : ndarray of float, shape (n_resamples, n_sources)
        As `coverage` and `coverage_weighted` of :class:`QuestionCoverage`; ``nan`` where nobody rated.
    best, best_weighted : ndarray of float, shape (n_resamples,)
    """

    unweighted: FloatArray
    weighted: FloatArray
    best: FloatArray
    best_weighted: FloatArray


def people_times(n_people: int, rng: np.random.Generator, n_resamples: int, n_drawn: int | None = None) -> IntArray:
    """How often each person is in each resample with replacement.

    Parameters
    ----------
    n_people : int
    rng : numpy.random.Generator
    n_resamples : int
    n_drawn : int, optional
        People in a resample; as many as there are if not given.

    Returns
    -------
    ndarray of int, shape (n_resamples, n_people)
        Rows sum to the number drawn.
    """
    size = n_people if n_drawn is None else n_drawn
    drawn = rng.integers(0, max(n_people, 1), size=(n_resamples, size if n_people else 0))
    cells = drawn + np.arange(n_resamples)[:, None] * n_people
    return np.bincount(cells.ravel(), minlength=n_resamples * n_people).reshape(n_resamples, n_people)


def resampled_coverage(
    values: FloatArray,
    groups: IntArray,
    times: IntArray | FloatArray,
    *,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> ResampledCoverage:
    """Coverage of a question's groups with every person counted as often as drawn.

    Parameters
    ----------
    values : ndarray of float, shape (n_people, n_sources)
        Ratings; ``nan`` where there is none.
    groups : ndarray of int, shape (n_people,)
        Group of each person; below 0 for none.
    times : ndarray, shape (n_resamples, n_people)
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    ResampledCoverage
        A group of which nobody was drawn, or nobody drawn rated, has no say.

    Notes
    -----
    The products are small: call it with BLAS on one thread.
    """
    rated = ~np.isnan(values)
    pieces = np.concatenate([np.nan_to_num(values), rated, rated & (values >= threshold - tolerance)], axis=1)
    n_resamples, n_sources = len(times), values.shape[1]
    labels = np.unique(groups[groups >= 0])
    sums = np.zeros((len(labels), n_resamples, 3 * n_sources))
    sizes = np.zeros((len(labels), n_resamples, 1))
    for index, label in enumerate(labels):
        members = np.flatnonzero(groups == label)
        sums[index] = times[:, members] @ pieces[members]
        sizes[index, :, 0] = times[:, members].sum(axis=1)
    total, n_ratings, reaching = np.split(sums, 3, axis=2)
    has_say = n_ratings > 0
    reached = total >= (threshold - tolerance) * n_ratings if rule == "mean" else 2 * reaching > n_ratings
    covered = has_say & reached
    any_say, any_covered = (np.asarray(part.any(axis=2, keepdims=True)) for part in (has_say, covered))
    return ResampledCoverage(
        unweighted=_share(covered, has_say),
        weighted=_share(covered * sizes, has_say * sizes),
        best=_share(any_covered, any_say)[:, 0],
        best_weighted=_share(any_covered * sizes, any_say * sizes)[:, 0],
    )


def _share(part: np.ndarray, whole: np.ndarray) -> FloatArray:
    """Ratio of the sums over groups; ``nan`` where there is nothing."""
    above, below = part.sum(axis=0, dtype=np.float64), whole.sum(axis=0, dtype=np.float64)
    share: FloatArray = np.full(below.shape, np.nan)
    np.divide(above, below, out=share, where=below > 0)
    return share
