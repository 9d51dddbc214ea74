"""Which questions of a pilot study elicit disagreement that matters: consensus, neutrality, importance.

Source: *Benchmarking Overton Pluralism in LLMs*, appendix G.2, which excludes questions with "(i) near-consensus
responses, (ii) overwhelmingly neutral stance selection across political identities, or (iii) extremely low self-rated
importance" and states no numbers. The cut-offs here are declared, ours, and to be set before looking.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Any, Literal

from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "Criterion",
    "Cutoffs",
    "PartyShare",
    "QuestionScreening",
    "ScreeningReport",
    "screen",
    "wilson",
]

METHOD_VERSION = "1"
TOLERANCE = 1e-9
"""A value this near a cut-off reaches it."""
NAN = float("nan")
Recommendation = Literal["keep", "drop", "undecided"]


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """What makes a question unsuitable.

    Attributes
    ----------
    consensus : float
        In (0, 1]. Drop if one stance has at least this share of all stances.
    neutral : float
        In (0, 1]. Drop if in every party that is judged at least this share is neutral.
    importance : float
        Drop if the mean importance is at most this.
    minimum_people : int
        Fewest stances, and fewest ratings of importance, to say anything.
    minimum_party : int
        Fewest stances in a party for it to be judged.
    minimum_parties : int
        Fewest parties that are judged.
    level : float
        Of the intervals, in (0, 1).
    """

    consensus: float = 0.85
    neutral: float = 0.5
    importance: float = 2.0
    minimum_people: int = 10
    minimum_party: int = 5
    minimum_parties: int = 2
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what is no cut-off."""
        if not (0 < self.consensus <= 1 and 0 < self.neutral <= 1 and 0 < self.level < 1):
            raise ValueError("shares are above 0 and at most 1, a level is between them")
        if not math.isfinite(self.importance):
            raise ValueError("the importance is no number")
        if self.minimum_people < 2 or self.minimum_party < 1 or self.minimum_parties < 1:
            raise ValueError("at least 2 people, and 1 party of 1 person")


@dataclass(frozen=True, slots=True)
class PartyShare:
    """Neutral stances in one party. `is_judged`: it has enough stances to count; `low` and `high` are Wilson's."""

    party: str
    n_neutral: int
    n: int
    share: float
    low: float
    high: float
    is_judged: bool


@dataclass(frozen=True, slots=True)
class Criterion:
    """One reason to drop a question.

    Attributes
    ----------
    value, low, high : float
        The figure and its interval; ``nan`` if undefined.
    n : int
        People it is of.
    cutoff : float
        What it is compared with.
    is_met : bool or None
        Whether it speaks for dropping; None if undefined.
    is_borderline : bool
        Whether the interval holds the cut-off, so that another sample might say otherwise.
    undefined : str or None
        Why there is no value.
    """

    value: float
    low: float
    high: float
    n: int
    cutoff: float
    is_met: bool | None
    is_borderline: bool
    undefined: str | None


@dataclass(frozen=True, slots=True)
class QuestionScreening:
    """One question: its figures and what they recommend.

    Attributes
    ----------
    question : str
        Its key.
    n_people : int
        Rows given for it.
    stances : tuple of (str, int)
        How many took each stance, most first, ties by name.
    consensus, neutral, importance : Criterion
        The three reasons. The value of `neutral` is the smallest neutral share among the parties that are judged.
    parties : tuple of PartyShare
        By name.
    recommendation : {"keep", "drop", "undecided"}
        Drop if any reason is met; keep if all are defined and none is; else undecided.
    reasons : tuple of str
        Names of the reasons that are met; for an undecided question why a figure is undefined, each once.
    """

    question: str
    n_people: int
    stances: tuple[tuple[str, int], ...]
    consensus: Criterion
    neutral: Criterion
    importance: Criterion
    parties: tuple[PartyShare, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]

    @property
    def criteria(self) -> dict[str, Criterion]:
        """The three reasons by name."""
        return {"consensus": self.consensus, "neutral": self.neutral, "importance": self.importance}


@dataclass(frozen=True, slots=True)
class ScreeningReport:
    """All questions in the order given, with the cut-offs they were held against."""

    cutoffs: Cutoffs
    neutral_stance: str
    questions: tuple[QuestionScreening, ...]
    n_keep: int
    n_drop: int
    n_undecided: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        found: dict[str, Any] = plain(self)
        return {"method_version": METHOD_VERSION, **found}


def screen(
    questions: Sequence[str],
    rows: Mapping[str, Sequence[tuple[str | None, str | None, float | None]]],
    *,
    neutral_stance: str = "neutral",
    cutoffs: Cutoffs | None = None,
) -> ScreeningReport:
    """Hold each question against the cut-offs.

    Parameters
    ----------
    questions : sequence of str
        Keys of all questions, in the order of the report; also those without any row.
    rows : mapping of question to sequence of (stance, party, importance)
        One entry a person; None where something is missing. Their order does not matter.
    neutral_stance : str
        The stance that takes no side.
    cutoffs : Cutoffs, optional
        Declared cut-offs.

    Returns
    -------
    ScreeningReport

    Raises
    ------
    ValueError
        If a question occurs twice, a row is of none of them, or an importance is not finite.
    """
    limits = cutoffs or Cutoffs()
    if len(set(questions)) != len(questions) or set(rows) - set(questions):
        raise ValueError("each question is named once, and rows belong to one of them")
    found = tuple(_screened(key, rows.get(key, ()), neutral_stance, limits) for key in questions)
    counts = Counter(each.recommendation for each in found)
    return ScreeningReport(limits, neutral_stance, found, counts["keep"], counts["drop"], counts["undecided"])


def wilson(n_hits: int, n: int, level: float) -> tuple[float, float]:
    """Score interval of a share.

    Parameters
    ----------
    n_hits, n : int
        Hits among trials.
    level : float
        In (0, 1).

    Returns
    -------
    tuple of float
        Lower and upper end in [0, 1]; ``nan`` without trials. E. B. Wilson, JASA 22, 1927.
    """
    if n == 0:
        return NAN, NAN
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = n_hits / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the exact bound is 0 or 1, which rounding would miss.
    low = 0.0 if n_hits == 0 else (middle - half) / scale
    high = 1.0 if n_hits == n else (middle + half) / scale
    return low, high


def _screened(
    key: str, rows: Sequence[tuple[str | None, str | None, float | None]], neutral_stance: str, limits: Cutoffs
) -> QuestionScreening:
    stances = Counter(stance for stance, _party, _importance in rows if stance is not None)
    ordered = tuple(sorted(stances.items(), key=lambda item: (-item[1], item[0])))
    parties = _parties(rows, neutral_stance, limits)
    consensus = _consensus(ordered, limits)
    neutral = _neutral(parties, sum(stances.values()), limits)
    importance = _importance([value for _stance, _party, value in rows if value is not None], limits)
    criteria = {"consensus": consensus, "neutral": neutral, "importance": importance}
    met = tuple(name for name, each in criteria.items() if each.is_met)
    open_ones = tuple(dict.fromkeys(each.undefined for each in criteria.values() if each.undefined))
    recommendation: Recommendation = "drop" if met else "undecided" if open_ones else "keep"
    return QuestionScreening(
        key, len(rows), ordered, consensus, neutral, importance, parties, recommendation, met or open_ones
    )


def _consensus(ordered: Sequence[tuple[str, int]], limits: Cutoffs) -> Criterion:
    n = sum(count for _stance, count in ordered)
    if n < limits.minimum_people:
        return _undefined("few_stances" if n else "no_stances", n, limits.consensus)
    low, high = wilson(ordered[0][1], n, limits.level)
    return _defined(ordered[0][1] / n, (low, high), n, limits.consensus)


def _parties(
    rows: Sequence[tuple[str | None, str | None, float | None]], neutral_stance: str, limits: Cutoffs
) -> tuple[PartyShare, ...]:
    n = Counter(party for stance, party, _importance in rows if stance is not None and party is not None)
    neutral = Counter(party for stance, party, _importance in rows if stance == neutral_stance and party is not None)
    return tuple(
        PartyShare(
            party,
            neutral[party],
            n[party],
            neutral[party] / n[party],
            *wilson(neutral[party], n[party], limits.level),
            n[party] >= limits.minimum_party,
        )
        for party in sorted(n)
    )


def _neutral(parties: Sequence[PartyShare], n_stances: int, limits: Cutoffs) -> Criterion:
    judged = [each for each in parties if each.is_judged]
    n = sum(each.n for each in judged)
    if not n_stances:
        return _undefined("no_stances", n, limits.neutral)
    if len(judged) < limits.minimum_parties:
        return _undefined("few_parties" if parties else "no_parties", n, limits.neutral)
    # Neutral across parties: the one with the smallest share decides, ties by name.
    least = min(judged, key=lambda each: (each.share, each.party))
    return _defined(least.share, (least.low, least.high), n, limits.neutral)


def _importance(values: Sequence[float], limits: Cutoffs) -> Criterion:
    if not all(math.isfinite(value) for value in values):
        raise ValueError("an importance is not finite")
    n = len(values)
    if n < limits.minimum_people:
        return _undefined("few_importances" if n else "no_importances", n, limits.importance)
    # In ascending order, so that the order of people does not change the last digit.
    ordered = sorted(values)
    mean = fmean(ordered)
    half = NormalDist().inv_cdf((1 + limits.level) / 2) * stdev(ordered) / math.sqrt(n)
    return _defined(mean, (mean - half, mean + half), n, limits.importance, is_low=True)


def _defined(value: float, interval: tuple[float, float], n: int, cutoff: float, *, is_low: bool = False) -> Criterion:
    is_met = value <= cutoff + TOLERANCE if is_low else value >= cutoff - TOLERANCE
    low, high = interval
    return Criterion(value, low, high, n, cutoff, is_met, low <= cutoff <= high, None)


def _undefined(reason: str, n: int, cutoff: float) -> Criterion:
    return Criterion(NAN, NAN, NAN, n, cutoff, None, False, reason)
