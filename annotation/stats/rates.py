"""Shares with Wilson intervals, and the difference of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from annotation.stats.estimates import Interval
from annotation.stats.scales import FloatArray, IntArray

__all__ = ["METHOD_VERSION", "Difference", "Rate", "difference_of_rates", "wilson"]

METHOD_VERSION = "1"

_LEAST_EXPECTED = 5.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n`, with its interval; ``nan`` with the reason "no_items" if `n` is 0."""

    hits: int
    n: int
    value: float
    interval: Interval
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        value = self.value if np.isfinite(self.value) else None
        return {
            "hits": self.hits, "n": self.n, "value": value, "reason": self.reason, "interval": self.interval.to_dict(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """First share minus second, with a bootstrap interval over units and a test that the shares are equal.

    Attributes
    ----------
    first, second : Rate
    value : float
    interval : Interval
    p_value : float
    test : str
        "Fisher exact" where an expected count is below 5, else "chi-square".
    reason : str or None
    """

    first: Rate
    second: Rate
    value: float
    interval: Interval
    p_value: float
    test: str
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "value": self.value if np.isfinite(self.value) else None,
            "interval": self.interval.to_dict(),
            "p_value": self.p_value if np.isfinite(self.p_value) else None,
            "test": self.test,
            "reason": self.reason,
        }


def wilson(hits: int, n: int, *, level: float = 0.95) -> Rate:
    """A share with Wilson's score interval.

    References
    ----------
    .. [1] E. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
       Statistical Association 22, 1927.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    nan = float("nan")
    if n == 0:
        return Rate(0, 0, nan, Interval(nan, nan, "Wilson", "no_items"), "no_items")
    z = float(stats.norm.ppf((1 + level) / 2))
    share = hits / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return Rate(hits, n, share, Interval(max(0.0, float(middle - reach)), min(1.0, float(middle + reach)), "Wilson"))


def difference_of_rates(
    hits: tuple[IntArray, IntArray],
    n: tuple[IntArray, IntArray],
    *,
    replicates: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    unit: str = "items",
) -> Difference:
    """Difference of two strata's shares, whose units are resampled within their stratum.

    Parameters
    ----------
    hits, n : pair of ndarray of int, each of shape (n_units of the stratum,)
        Hits and judgements of each unit.
    """
    first, second = (wilson(int(h.sum()), int(m.sum()), level=level) for h, m in zip(hits, n, strict=True))
    nan, method = float("nan"), f"bootstrap over {unit}, percentile"
    if first.reason or second.reason:
        return Difference(first, second, nan, Interval(nan, nan, method, "no_items"), nan, "none", "no_items")
    value = first.value - second.value
    p_value, test = _test_of_equality(first, second)
    if min(len(each) for each in n) < 2:
        return Difference(first, second, value, Interval(nan, nan, method, "too_few_clusters"), p_value, test)
    rng = np.random.default_rng(seed)
    drawn, other = (_drawn_rates(h, m, replicates, rng) for h, m in zip(hits, n, strict=True))
    low, high = np.nanquantile(drawn - other, [(1 - level) / 2, (1 + level) / 2])
    return Difference(first, second, value, Interval(float(low), float(high), method), p_value, test)


def _drawn_rates(hits: IntArray, n: IntArray, replicates: int, rng: np.random.Generator) -> FloatArray:
    times = rng.multinomial(len(n), np.full(len(n), 1 / len(n)), size=replicates)
    whole = times @ n
    return np.asarray(np.divide(times @ hits, whole, out=np.full(replicates, np.nan), where=whole > 0))


def _test_of_equality(first: Rate, second: Rate) -> tuple[float, str]:
    table = np.array([[first.hits, first.n - first.hits], [second.hits, second.n - second.hits]])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if (expected == 0).any() or expected.min() < _LEAST_EXPECTED:
        return float(stats.fisher_exact(table).pvalue), "Fisher exact"
    return float(stats.chi2_contingency(table, correction=False).pvalue), "chi-square"
