"""Agreement on sets of labels: two sets that overlap agree in part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.stats.codes import Judgements
from annotation.stats.scales import FloatArray, Scale

__all__ = ["METHOD_VERSION", "MOST_SETS", "jaccard", "masi", "set_judgements", "set_weights", "written"]

METHOD_VERSION = "1"

#: Different sets that are compared with each other.
MOST_SETS = 60

Labels = frozenset[str]


def jaccard(first: Labels, second: Labels) -> float:
    """Jaccard's similarity: the share of what is common; two empty sets are equal."""
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def masi(first: Labels, second: Labels) -> float:
    """Passonneau's MASI similarity: Jaccard's times 1 for equal sets, 2/3 for a subset, 1/3 for an overlap, else 0.

    References
    ----------
    .. [1] R. Passonneau, Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation,
       LREC 2006.
    """
    if first == second:
        return 1.0
    if first <= second or second <= first:
        return jaccard(first, second) * 2 / 3
    return jaccard(first, second) / 3 if first & second else 0.0


def written(labels: Labels, order: Sequence[str]) -> str:
    """A set as one label: its members in declared order."""
    return " + ".join(label for label in order if label in labels) or "(none)"


def set_judgements(
    dimension: str,
    item: Sequence[str],
    rater: Sequence[str],
    sets: Sequence[Labels],
    order: Sequence[str],
) -> tuple[Judgements, dict[str, FloatArray]]:
    """Judgements whose labels are whole sets, and the weights ("masi", "jaccard") by which two sets agree.

    With these weights alpha is Krippendorff's with a set distance, 1 minus the similarity.

    Raises
    ------
    ValueError
        If there are more than :data:`MOST_SETS` different sets, or a rater judges an item twice.
    """
    distinct = sorted(set(sets), key=lambda labels: (len(labels), written(labels, order)))
    if len(distinct) > MOST_SETS:
        raise ValueError(f"{len(distinct)} different sets of labels; at most {MOST_SETS} are compared")
    names = [written(labels, order) for labels in distinct]
    scale = Scale(tuple(names) or ("(none)",))
    label = [written(labels, order) for labels in sets]
    return Judgements.from_columns(dimension, item, rater, label, scale), set_weights(distinct)


def set_weights(distinct: Sequence[Labels]) -> dict[str, FloatArray]:
    """Similarities of sets to each other by both measures."""
    return {
        name: np.array([[similarity(a, b) for b in distinct] for a in distinct])
        for name, similarity in (("masi", masi), ("jaccard", jaccard))
    }
