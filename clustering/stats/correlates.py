"""What coverage goes along with: the number of groups of a question, and the size of a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.stats.association import Correlation, pearson
from clustering.stats.coverage import QuestionCoverage
from clustering.stats.matrix import FloatArray
from clustering.stats.panel import CoveragePanel, Variant
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "CorrelateRow", "CorrelateTable", "by_group_size", "by_number_of_groups", "mean_of_rows"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class CorrelateRow:
    """Correlation for one source.

    Attributes
    ----------
    source : str
    correlation : Correlation
        Pearson's.
    """

    source: str
    correlation: Correlation


@dataclass(frozen=True, slots=True)
class CorrelateTable:
    """Correlations of all sources.

    Attributes
    ----------
    of : str
        "number_of_groups" with coverage of questions, or "group_size" with mean ratings of groups.
    rows : tuple of CorrelateRow
    mean : float
        Mean of the sources' correlations; ``nan`` if none is defined.
    pooled : Correlation
        Over all pairs of all sources together: another number than the mean.
    """

    of: str
    rows: tuple[CorrelateRow, ...]
    mean: float
    pooled: Correlation

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def by_number_of_groups(panel: CoveragePanel, variant: Variant = "unweighted") -> CorrelateTable:
    """Correlation of the number of groups of a question with its coverage (appendix A.4 of the Overton paper).

    Parameters
    ----------
    panel : CoveragePanel
    variant : {"unweighted", "weighted"}, default "unweighted"

    Returns
    -------
    CorrelateTable
        Questions without a coverage do not count.
    """
    values = panel.values(variant)
    numbers = np.tile(panel.question_groups[:, None], (1, len(panel.sources)))
    return _table("number_of_groups", panel.sources, numbers, values)


def by_group_size(coverages: Sequence[QuestionCoverage]) -> CorrelateTable:
    """Correlation of the size of a group with its mean rating (appendix A.5 of the Overton paper).

    Parameters
    ----------
    coverages : sequence of QuestionCoverage

    Returns
    -------
    CorrelateTable
        Over the groups of all questions; a group in which nobody rated an answer does not count for it.
    """
    sources = tuple(sorted({source for coverage in coverages for source in coverage.sources}))
    n_groups = sum(len(coverage.group_labels) for coverage in coverages)
    ratings = np.full((n_groups, len(sources)), np.nan)
    sizes = np.zeros(n_groups)
    start = 0
    for coverage in sorted(coverages, key=lambda coverage: coverage.question):
        rows = slice(start, start := start + len(coverage.group_labels))
        sizes[rows] = coverage.group_sizes
        ratings[rows, [sources.index(source) for source in coverage.sources]] = coverage.mean_rating
    return _table("group_size", sources, np.tile(sizes[:, None], (1, len(sources))), ratings)


def mean_of_rows(rows: Sequence[CorrelateRow]) -> float:
    """Mean of the correlations that are defined.

    Parameters
    ----------
    rows : sequence of CorrelateRow

    Returns
    -------
    float
        ``nan`` if none is.
    """
    values = [row.correlation.value for row in rows if row.correlation.undefined is None]
    return float(np.mean(values)) if values else float("nan")


def _table(of: str, sources: tuple[str, ...], left: FloatArray, right: FloatArray) -> CorrelateTable:
    rows = tuple(
        CorrelateRow(source, pearson(left[:, column], right[:, column])) for column, source in enumerate(sources)
    )
    return CorrelateTable(of, rows, mean_of_rows(rows), pearson(left.ravel(), right.ravel()))
