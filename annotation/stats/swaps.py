"""Whether a judge says the same of an item when its two sides change places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.stats.rates import Rate, wilson

__all__ = ["METHOD_VERSION", "SwapConsistency", "consistency"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class SwapConsistency:
    """How often two looks at one item agree.

    Attributes
    ----------
    n_items : items looked at both ways
    n_pairs : those of them with a label both times; the others say nothing about consistency
    same : share of pairs with one label, with Wilson's interval; undefined ("no_items") without pairs
    """

    n_items: int
    n_pairs: int
    same: Rate

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return {"n_items": self.n_items, "n_pairs": self.n_pairs, "same": self.same.to_dict()}


def consistency(first: Sequence[str | None], second: Sequence[str | None], *, level: float = 0.95) -> SwapConsistency:
    """Compare the labels of two looks, both in terms of the texts in their stored order.

    Parameters
    ----------
    first, second : sequence of str or None, of one length
        The label of each item as first asked and with its sides exchanged; None where there is none.

    Raises
    ------
    ValueError
        If the lengths differ.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return SwapConsistency(len(first), len(pairs), wilson(sum(a == b for a, b in pairs), len(pairs), level=level))
