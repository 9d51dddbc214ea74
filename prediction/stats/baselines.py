"""The two baselines that need no judge: the mean of a person's other ratings, and the rating of the nearest answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import FloatArray
from prediction.stats.rounding import on_scale
from prediction.stats.table import Point

__all__ = ["METHOD_VERSION", "Guess", "mean_of_others", "most_similar"]

METHOD_VERSION = "1"

NO_OTHER = "the person rated no other answer to the question"
NO_EMBEDDING = "an answer has no direction: its embedding is zero"
# Similarities nearer than this are equal, and the earlier source wins: another machine may sum in another order.
TIE = 1e-6


@dataclass(frozen=True, slots=True)
class Guess:
    """A predicted rating, 1 to 5, or ``nan`` and why there is none."""

    value: float
    undefined: str | None


def mean_of_others(ratings: Mapping[Point, float], targets: Sequence[Point]) -> list[Guess]:
    """Mean of the person's ratings of the other answers to the question, rounded half up.

    Parameters
    ----------
    ratings : mapping of (participant, question, source) to rating, 1 to 5
    targets : sequence of (participant, question, source)
        What to predict; the rating of a target itself never counts for it.

    Returns
    -------
    list of Guess, as long as `targets`

    Notes
    -----
    Section 5 of the Overton paper.
    """
    by_person = _by_person(ratings)
    guesses = []
    for participant, question, source in targets:
        others = [value for key, value in by_person.get((participant, question), {}).items() if key != source]
        if others:
            guesses.append(Guess(float(on_scale(np.array([sum(others) / len(others)]))[0]), None))
        else:
            guesses.append(Guess(float("nan"), NO_OTHER))
    return guesses


def most_similar(
    ratings: Mapping[Point, float],
    targets: Sequence[Point],
    embeddings: Mapping[tuple[str, str], FloatArray],
) -> list[Guess]:
    """The person's rating of the answer to the same question that is nearest to the target's by cosine.

    Parameters
    ----------
    ratings : mapping of (participant, question, source) to rating, 1 to 5
    targets : sequence of (participant, question, source)
    embeddings : mapping of (question, source) to ndarray of float, shape (d,)
        Of every answer that was rated or is a target.

    Returns
    -------
    list of Guess, as long as `targets`

    Raises
    ------
    KeyError
        If an answer has no embedding.

    Notes
    -----
    Section 5 of the Overton paper. Only answers that the person rated are looked at. Of equally near ones (to 1e-6)
    the earlier source by code counts.
    """
    by_person = _by_person(ratings)
    directions = {key: _direction(vector) for key, vector in embeddings.items()}
    guesses = []
    for participant, question, source in targets:
        others = by_person.get((participant, question), {})
        names = sorted(key for key in others if key != source)
        if not names:
            guesses.append(Guess(float("nan"), NO_OTHER))
            continue
        similarities = np.array([directions[question, name] for name in names]) @ directions[question, source]
        if np.isnan(similarities).any():
            guesses.append(Guess(float("nan"), NO_EMBEDDING))
            continue
        nearest = names[int(np.argmax(similarities >= similarities.max() - TIE))]
        guesses.append(Guess(float(others[nearest]), None))
    return guesses


def _by_person(ratings: Mapping[Point, float]) -> dict[tuple[str, str], dict[str, float]]:
    by_person: dict[tuple[str, str], dict[str, float]] = {}
    for (participant, question, source), value in ratings.items():
        by_person.setdefault((participant, question), {})[source] = value
    return by_person


def _direction(vector: FloatArray) -> FloatArray:
    long = np.asarray(vector, dtype=np.float64)
    length = float(np.sqrt((long**2).sum()))
    return long / length if length > 0 else np.full(long.shape, np.nan)
