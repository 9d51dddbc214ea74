"""What a run hands to the next one: who was clustered, and how long the best number of groups has held."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from clustering.stats.plain import plain

__all__ = ["BUFFER", "METHOD_VERSION", "PolisState", "smooth"]

METHOD_VERSION = "1"

# So many runs in a row must agree before the number of groups changes.
BUFFER = 4


@dataclass(frozen=True, slots=True)
class PolisState:
    """State of a conversation after a run; survives JSON.

    Attributes
    ----------
    clustered : tuple of str
        Participants who were clustered, ascending: they stay in, whatever number of votes they have.
    last_best : int or None
        The number of centres with the best silhouette in the last run that had groups.
    last_best_runs : int
        Runs in a row, up to the last, with that winner.
    chosen : int or None
        The number in force.
    """

    clustered: tuple[str, ...] = ()
    last_best: int | None = None
    last_best_runs: int = 0
    chosen: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> PolisState:
        """State that :meth:`to_dict` wrote.

        Parameters
        ----------
        stored : mapping

        Returns
        -------
        PolisState

        Raises
        ------
        ValueError
            If it was written by another version, lacks a part, or holds something else.
        """
        if stored.get("method_version") != METHOD_VERSION:
            raise ValueError(f"a state of version {stored.get('method_version')!r} cannot be continued")
        missing = {"clustered", "last_best", "last_best_runs", "chosen"} - set(stored)
        if missing:
            raise ValueError(f"the state lacks {', '.join(sorted(missing))}")
        keys, runs = stored["clustered"], stored["last_best_runs"]
        numbers = (stored["last_best"], stored["chosen"])
        if (
            not isinstance(keys, list | tuple)
            or not all(isinstance(key, str) for key in keys)
            or type(runs) is not int
            or not all(number is None or type(number) is int for number in numbers)
        ):
            raise ValueError("the state holds something else than keys and whole numbers")
        return cls(tuple(keys), numbers[0], runs, numbers[1])


def smooth(
    previous: PolisState, best: int, available: Collection[int], clustered: tuple[str, ...], *, buffer: int = BUFFER
) -> PolisState:
    """Number of groups to use, changed only after the same winner in several runs in a row.

    Parameters
    ----------
    previous : PolisState
    best : int
        Winner of this run.
    available : collection of int
        Numbers that were tried and gave groups in this run.
    clustered : tuple of str
        Who was clustered in this run.
    buffer : int, default 4

    Returns
    -------
    PolisState
        With the number to use in `chosen`.

    Notes
    -----
    The first run takes its winner. Later the number in force stays until another one has won `buffer` runs
    in a row; if it is not available any more the winner of this run takes its place [1]_.

    References
    ----------
    .. [1] Pol.is, math/src/polismath/math/conversation.clj (group-k-smoother).
    """
    runs = previous.last_best_runs + 1 if previous.last_best == best else 1
    chosen = best if previous.chosen is None or runs >= buffer else previous.chosen
    if chosen not in available:
        chosen = best
    return PolisState(clustered, best, runs, chosen)
