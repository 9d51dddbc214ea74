"""What labels are there, in which order, and how far apart are they."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "METHOD_VERSION",
    "BoolArray",
    "FloatArray",
    "IntArray",
    "Level",
    "Scale",
    "WeightsName",
    "agreement_weights",
    "squared_differences",
]

METHOD_VERSION = "1"

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
WeightsName = Literal["identity", "linear", "quadratic", "ordinal"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The declared labels of a dimension. What was declared counts, not what was observed.

    Attributes
    ----------
    labels : tuple of str
        In their declared order, lowest first; at least one, each once.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What differences between labels mean.
    values : tuple of float or None
        The numbers that the labels stand for; needed for "interval" and "ratio".

    Raises
    ------
    ValueError
        If labels repeat or are missing, the level is unknown, or values do not fit.
    """

    labels: tuple[str, ...]
    level: Level = "nominal"
    values: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a scale on which nothing can be measured."""
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise ValueError(f"labels are given once each, not {list(self.labels)!r}")
        if self.level not in get_args(Level):
            raise ValueError(f"level is one of {', '.join(get_args(Level))}, not {self.level!r}")
        if self.values is not None and (
            len(self.values) != len(self.labels)
            or not np.isfinite(self.values).all()
            or np.unique(self.values).size < len(self.labels)
        ):
            raise ValueError("values are one finite number for each label, none twice")
        if self.level in ("interval", "ratio") and self.values is None:
            raise ValueError(f"labels on the level {self.level!r} need values")
        if self.level == "ratio" and min(self.values or (0.0,)) < 0:
            raise ValueError("values on the level 'ratio' are not negative")

    @classmethod
    def numeric(cls, values: Sequence[float], level: Level = "interval") -> Scale:
        """A scale whose labels are numbers, in ascending order."""
        ordered = tuple(sorted(float(value) for value in values))
        return cls(tuple(f"{value:g}" for value in ordered), level, ordered)

    @property
    def size(self) -> int:
        """How many labels are declared."""
        return len(self.labels)

    def with_label(self, label: str) -> Scale:
        """The nominal scale with one label more, as when "cannot judge" counts as a category."""
        return Scale((*self.labels, label))


def agreement_weights(name: WeightsName, size: int) -> FloatArray:
    r"""Agreement weights between labels by their declared ranks.

    Parameters
    ----------
    name : {"identity", "linear", "quadratic", "ordinal"}
    size : int
        Number of declared labels, at least 1.

    Returns
    -------
    ndarray of float, shape (size, size)
        In [0, 1], 1 on the diagonal, symmetric.

    Notes
    -----
    Linear :math:`1-|k-l|/(q-1)` [1]_, quadratic :math:`1-(k-l)^2/(q-1)^2` [2]_, ordinal
    :math:`1-\binom{|k-l|+1}{2}/\binom{q}{2}` [3]_.

    References
    ----------
    .. [1] D. Cicchetti, T. Allison, A new procedure for assessing reliability of scoring EEG sleep
       recordings, American Journal of EEG Technology 11, 1971.
    .. [2] J. Fleiss, J. Cohen, The equivalence of weighted kappa and the intraclass correlation
       coefficient, Educational and Psychological Measurement 33, 1973.
    .. [3] K. Gwet, Handbook of Inter-Rater Reliability, 4th ed., 2014, section 3.5.
    """
    if name not in get_args(WeightsName):
        raise ValueError(f"weights are one of {', '.join(get_args(WeightsName))}, not {name!r}")
    ranks = np.arange(size, dtype=np.float64)
    apart = np.abs(ranks[:, None] - ranks[None, :])
    if name == "identity" or size == 1:
        return np.asarray(apart == 0, dtype=np.float64)
    widest = size - 1.0
    shape: dict[str, Callable[[FloatArray], FloatArray]] = {
        "linear": lambda d: 1 - d / widest,
        "quadratic": lambda d: 1 - (d / widest) ** 2,
        "ordinal": lambda d: 1 - (d * (d + 1)) / (size * widest),
    }
    return shape[name](apart)


def squared_differences(scale: Scale, level: Level, totals: FloatArray) -> FloatArray:
    r"""Krippendorff's :math:`\delta^2` between labels.

    Parameters
    ----------
    scale : Scale
    level : {"nominal", "ordinal", "interval", "ratio"}
    totals : ndarray of float, shape (..., size)
        How often each label occurs in pairable items; the ordinal difference depends on it.

    Returns
    -------
    ndarray of float, shape (..., size, size) or (size, size)

    Notes
    -----
    Ordinal: :math:`(\sum_{g=c}^{k} n_g-(n_c+n_k)/2)^2` over the declared order; ratio:
    :math:`((c-k)/(c+k))^2` [1]_.

    References
    ----------
    .. [1] K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section E.
    """
    if level == "ordinal":
        # The rank of a label is the middle of the places its occurrences take.
        middles = np.cumsum(totals, axis=-1) - totals / 2
        return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2)
    if level == "nominal":
        return 1.0 - np.eye(scale.size)
    if scale.values is None:
        raise ValueError(f"labels on the level {level!r} need values")
    values = np.asarray(scale.values)
    apart = values[:, None] - values[None, :]
    if level == "interval":
        return np.asarray(apart**2)
    together = values[:, None] + values[None, :]
    return np.asarray(np.divide(apart, together, out=np.zeros_like(apart), where=together > 0) ** 2)
