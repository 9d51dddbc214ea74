"""The rater model of Dawid and Skene: true labels and the error rates of raters, estimated together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.stats.scales import FloatArray, IntArray, Scale

__all__ = ["METHOD_VERSION", "RaterModel", "dawid_skene"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class RaterModel:
    """What the model says of items and raters.

    Attributes
    ----------
    labels : tuple of str
    posterior : ndarray, shape (n_items, q)
        Probability of each label; rows sum to 1. ``nan`` for an item without a judgement.
    most_likely : ndarray of int, shape (n_items,)
        The label of the greatest probability, ties to the first declared; -1 without a judgement.
    prevalence : ndarray, shape (q,)
        Share of items with each label.
    error_rates : ndarray, shape (n_raters, q, q)
        Probability that a rater says l (last axis) of an item whose label is k.
    log_likelihood : float
    n_iterations : int
    converged : bool
    undefined : str or None
    """

    labels: tuple[str, ...]
    posterior: FloatArray
    most_likely: IntArray
    prevalence: FloatArray
    error_rates: FloatArray
    log_likelihood: float
    n_iterations: int
    converged: bool
    undefined: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy of what describes raters; the items' labels are read from the arrays."""
        if self.undefined:
            return {"undefined": self.undefined, "method_version": METHOD_VERSION}
        return {
            "labels": list(self.labels),
            "prevalence": self.prevalence.tolist(),
            "error_rates": self.error_rates.tolist(),
            "log_likelihood": self.log_likelihood,
            "n_iterations": self.n_iterations,
            "converged": self.converged,
            "undefined": None,
            "method_version": METHOD_VERSION,
        }


def dawid_skene(
    item: IntArray,
    rater: IntArray,
    code: IntArray,
    scale: Scale,
    *,
    n_items: int,
    n_raters: int,
    often: IntArray | None = None,
    tolerance: float = 1e-10,
    most_iterations: int = 1000,
) -> RaterModel:
    r"""Maximum-likelihood estimate by expectation and maximisation, begun at the shares of labels.

    Parameters
    ----------
    item, rater, code : ndarray of int, shape (n_ratings,)
        A rater may judge an item several times (as in the published example).
    scale : Scale
    n_items, n_raters : int
    often : ndarray of int, shape (n_items,), optional
        How many items each one stands for, since items with equal answers are alike; one each without.
    tolerance : float, default 1e-10
        Ends when the log-likelihood grows by less than this share of itself.
    most_iterations : int, default 1000

    Returns
    -------
    RaterModel
        Deterministic: the start is given by the data. The optimum is local.

    References
    ----------
    .. [1] A. Dawid, A. Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm,
       Applied Statistics 28, 1979.
    """
    size = scale.size
    nothing = np.full((n_items, size), np.nan)
    if not len(code):
        nowhere = np.full(n_items, -1, np.int64)
        nan = np.full(size, np.nan)
        return RaterModel(
            scale.labels, nothing, nowhere, nan, np.full((n_raters, size, size), np.nan), float("nan"), 0, False,
            "no item was judged",
        )  # fmt: skip
    # One cell of a table for each item, rater and label: repeated judgements count as often as they were made.
    counts = np.bincount(item * size + code, minlength=n_items * size).reshape(n_items, size).astype(np.float64)
    judged = counts.sum(axis=1) > 0
    posterior = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    place = rater * size + code
    weight = np.ones(n_items) if often is None else often.astype(np.float64)
    before, likelihood, converged, n_iterations = -np.inf, -np.inf, False, 0
    while not converged and n_iterations < most_iterations:
        n_iterations += 1
        prevalence = weight[judged] @ posterior[judged] / weight[judged].sum()
        rates = _error_rates(posterior * weight[:, None], item, place, n_raters, size)
        posterior, likelihood = _expected(rates, prevalence, item, rater, code, weight * judged)
        converged = likelihood - before <= tolerance * abs(likelihood)
        before = likelihood
    most_likely = np.where(judged, posterior.argmax(axis=1), -1)
    posterior[~judged] = np.nan
    return RaterModel(scale.labels, posterior, most_likely, prevalence, rates, likelihood, n_iterations, converged)


def _error_rates(posterior: FloatArray, item: IntArray, place: IntArray, n_raters: int, size: int) -> FloatArray:
    """What each rater says of items of each label; ``nan`` for labels of which the rater judged no item."""
    said = np.zeros((size, n_raters * size))
    for label in range(size):
        said[label] = np.bincount(place, weights=posterior[item, label], minlength=n_raters * size)
    rates = said.reshape(size, n_raters, size).transpose(1, 0, 2)
    whole = rates.sum(axis=2, keepdims=True)
    result: FloatArray = np.full_like(rates, np.nan)
    np.divide(rates, whole, out=result, where=whole > 0)
    return result


def _expected(
    rates: FloatArray,
    prevalence: FloatArray,
    item: IntArray,
    rater: IntArray,
    code: IntArray,
    weight: FloatArray,
) -> tuple[FloatArray, float]:
    with np.errstate(divide="ignore"):
        log_rates, log_prevalence = np.log(np.nan_to_num(rates)), np.log(prevalence)
    n_items = len(weight)
    joint = np.tile(log_prevalence, (n_items, 1))
    for label in range(len(prevalence)):
        joint[:, label] += np.bincount(item, weights=log_rates[rater, label, code], minlength=n_items)
    top = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - top)
    whole = shares.sum(axis=1, keepdims=True)
    return shares / whole, float(weight @ (top + np.log(whole))[:, 0])
