"""A number with its interval, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["REASONS", "Estimate", "Interval", "undefined"]

#: Why a statistic is undefined. The list is closed: whoever adds a reason adds its words.
REASONS: Mapping[str, str] = {
    "no_items": "no item was judged",
    "no_pairable_items": "no item was judged by two raters or more",
    "single_category": "everybody used one label, so agreement by chance would be perfect as well",
    "one_rater": "fewer than two raters judged an item together",
    "zero_variance": "all values are equal",
    "too_few_clusters": "fewer than two units to resample",
    "too_many_undefined": "more than one in twenty replicates is undefined",
    "not_numeric": "the labels stand for no numbers",
    "incomplete": "not every rater judged every item",
    "unequal_raters": "items were judged by different numbers of raters",
    "not_paired": "there are not exactly two raters",
    "raters_unknown": "which rater gave which label is not known",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """Ends of an interval, or why there is none.

    Attributes
    ----------
    low, high : float
        ``nan`` with a reason.
    method : str
        How it was made, such as "Gwet t" or "bootstrap over items, percentile".
    reason : str or None
        Key of :data:`REASONS`.
    n_undefined : int
        Replicates without a value, of a bootstrap.
    """

    low: float
    high: float
    method: str
    reason: str | None = None
    n_undefined: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        return {
            "low": _plain(self.low),
            "high": _plain(self.high),
            "method": self.method,
            "reason": self.reason,
            "n_undefined": self.n_undefined,
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """The value of one statistic.

    Attributes
    ----------
    name : str
        Such as ``gwet_ac1`` or ``cohen_kappa[linear]``.
    value : float
        ``nan`` with a reason; never a fallback.
    reason : str or None
        Key of :data:`REASONS`.
    se : float
        Standard error; ``nan`` where none is known.
    chance : float
        Agreement expected by chance; ``nan`` where the statistic has none.
    analytic, bootstrap : Interval or None
    se_bootstrap : float
        Spread of the replicates.
    se_null : float
        Standard error if there were no agreement beyond chance: for a test of 0, not for an interval.
    """

    name: str
    value: float
    reason: str | None = None
    se: float = math.nan
    chance: float = math.nan
    analytic: Interval | None = None
    bootstrap: Interval | None = None
    se_bootstrap: float = math.nan
    se_null: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        return {
            "name": self.name,
            "value": _plain(self.value),
            "reason": self.reason,
            "se": _plain(self.se),
            "chance": _plain(self.chance),
            "analytic": self.analytic.to_dict() if self.analytic else None,
            "bootstrap": self.bootstrap.to_dict() if self.bootstrap else None,
            "se_bootstrap": _plain(self.se_bootstrap),
            "se_null": _plain(self.se_null),
        }


def undefined(name: str, reason: str) -> Estimate:
    """A statistic without a value."""
    if reason not in REASONS:
        raise ValueError(f"{reason!r} is not in the list of reasons")
    return Estimate(name, math.nan, reason)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
