"""How scores go along with any other score of the same models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.association import Correlation, kendall, pearson, spearman
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "ExternalRow", "external_correlation"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ExternalRow:
    """Correlation of the scores with one external score.

    Attributes
    ----------
    name : str
        Of the external score.
    score : str
        Which of our scores, for instance "adjusted, weighted".
    sources : tuple of str
        Models that have both.
    pearson, spearman, kendall : Correlation
        Kendall's is tau-b; ties have mid-ranks.
    """

    name: str
    score: str
    sources: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def external_correlation(
    scores: Mapping[str, float], external: Mapping[str, float], *, name: str, score: str = ""
) -> ExternalRow:
    """Pearson's, Spearman's and Kendall's correlation of two scores per model.

    Parameters
    ----------
    scores, external : mapping of model to number
        Models that lack either, or have ``nan``, do not count.
    name, score : str
        Names of the two, carried along.

    Returns
    -------
    ExternalRow

    Notes
    -----
    Appendix B of the Overton paper, table 13. The number of models is small: look at the pairs. The sign goes
    with the sign of the external score: for a slant below 0, a negative correlation with the signed score
    is a positive one with its size.
    """
    sources = tuple(
        source
        for source in sorted(set(scores) & set(external))
        if not np.isnan([scores[source], external[source]]).any()
    )
    left, right = (np.array([side[source] for source in sources], dtype=np.float64) for side in (scores, external))
    return ExternalRow(name, score, sources, pearson(left, right), spearman(left, right), kendall(left, right))
