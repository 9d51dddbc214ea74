"""The vote matrix: who voted what on which statement, in canonical order, missing kept missing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["METHOD_VERSION", "BoolArray", "FloatArray", "IntArray", "Vote", "VoteMatrix"]

METHOD_VERSION = "1"

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Vote = tuple[str, str, float]

_ALLOWED = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class VoteMatrix:
    """Votes of participants (rows) on statements (columns) of one question.

    Build it with :meth:`from_votes` or :meth:`from_arrays`, which sort; the constructor only checks.

    Attributes
    ----------
    participants : tuple of str, length n_participants
        Row keys, unique, in ascending order of code points.
    statements : tuple of str, length n_statements
        Column keys, unique, in ascending order of code points.
    values : ndarray of float, shape (n_participants, n_statements)
        1 agree, -1 disagree, 0 neutral; ``nan`` where there is no vote. Read-only.

    Raises
    ------
    ValueError
        If keys repeat or are out of order, shapes disagree, or a value is none of 1, -1, 0, nan.
    """

    participants: tuple[str, ...]
    statements: tuple[str, ...]
    values: FloatArray

    def __post_init__(self) -> None:
        """Check the invariants and freeze a private copy of the values."""
        values = np.array(self.values, dtype=np.float64)
        expected = (len(self.participants), len(self.statements))
        if values.shape != expected:
            raise ValueError(f"values have shape {values.shape}, the keys need {expected}")
        for name, keys in (("participant", self.participants), ("statement", self.statements)):
            _check_keys(name, keys)
        wrong = np.argwhere(~(np.isnan(values) | np.isin(values, _ALLOWED)))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(
                f"vote of participant {self.participants[row]!r} on statement "
                f"{self.statements[column]!r} is {values[row, column]!r}, not one of 1, -1, 0"
            )
        # -0.0 and 0.0 are one vote; adding zero leaves one byte pattern for the digest.
        values += 0.0
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @classmethod
    def from_votes(
        cls,
        votes: Iterable[Vote],
        *,
        participants: Iterable[str] = (),
        statements: Iterable[str] = (),
    ) -> VoteMatrix:
        """Matrix of single votes, given in any order.

        Parameters
        ----------
        votes : iterable of (participant, statement, value)
            The current vote of each pair; `value` is 1, -1 or 0.
        participants, statements : iterable of str, optional
            Further keys, of people and statements that may have no vote.

        Returns
        -------
        VoteMatrix
            The same for any order of `votes`.

        Raises
        ------
        ValueError
            If a pair occurs twice, or a value is none of 1, -1, 0.
        """
        cells: dict[tuple[str, str], float] = {}
        for participant, statement, value in votes:
            if (participant, statement) in cells:
                raise ValueError(
                    f"participant {participant!r} has two votes on statement {statement!r}: give the current vote only"
                )
            if value not in _ALLOWED:
                raise ValueError(
                    f"vote of participant {participant!r} on statement {statement!r} is {value!r}, not one of 1, -1, 0"
                )
            cells[participant, statement] = float(value)
        rows = tuple(sorted({pair[0] for pair in cells} | set(participants)))
        columns = tuple(sorted({pair[1] for pair in cells} | set(statements)))
        values = np.full((len(rows), len(columns)), np.nan)
        if cells:
            row_of = {key: index for index, key in enumerate(rows)}
            column_of = {key: index for index, key in enumerate(columns)}
            index = np.array([(row_of[p], column_of[s]) for p, s in cells])
            values[index[:, 0], index[:, 1]] = list(cells.values())
        return cls(rows, columns, values)

    @classmethod
    def from_arrays(cls, participants: Sequence[str], statements: Sequence[str], values: ArrayLike) -> VoteMatrix:
        """Matrix of an array whose rows and columns are given in any order.

        Parameters
        ----------
        participants : sequence of str, length n_participants
        statements : sequence of str, length n_statements
        values : array_like of shape (n_participants, n_statements)
            1, -1, 0 or ``nan``.

        Returns
        -------
        VoteMatrix
            Rows and columns sorted by key.

        Raises
        ------
        ValueError
            If keys repeat, shapes disagree or a value is not allowed.
        """
        array = np.array(values, dtype=np.float64)
        shape = (len(participants), len(statements))
        if array.size == 0:
            array = array.reshape(shape)
        if array.shape != shape:
            raise ValueError(f"values have shape {array.shape}, the keys need {shape}")
        rows = sorted(range(shape[0]), key=lambda row: participants[row])
        columns = sorted(range(shape[1]), key=lambda column: statements[column])
        return cls(
            tuple(participants[row] for row in rows),
            tuple(statements[column] for column in columns),
            array[np.ix_(rows, columns)] if array.size else array,
        )

    @property
    def seen(self) -> BoolArray:
        """Where a vote was cast, shape (n_participants, n_statements)."""
        return ~np.isnan(self.values)

    @property
    def n_votes(self) -> int:
        """Number of votes, neutral ones included."""
        return int(self.seen.sum())

    def subset(self, rows: BoolArray, columns: BoolArray) -> VoteMatrix:
        """Matrix of the rows and columns marked true, in the same order.

        Parameters
        ----------
        rows : ndarray of bool, shape (n_participants,)
        columns : ndarray of bool, shape (n_statements,)

        Returns
        -------
        VoteMatrix
        """
        return VoteMatrix(
            tuple(key for key, keep in zip(self.participants, rows, strict=True) if keep),
            tuple(key for key, keep in zip(self.statements, columns, strict=True) if keep),
            self.values[np.ix_(rows, columns)],
        )

    def own_votes(self, authors: Mapping[str, str]) -> BoolArray:
        """Where a vote was cast by the author of the statement.

        Parameters
        ----------
        authors : mapping of statement key to participant key
            Statements without an author among the participants (seeds) may be left out.

        Returns
        -------
        ndarray of bool, shape (n_participants, n_statements)
        """
        row_of = {key: index for index, key in enumerate(self.participants)}
        own = np.zeros(self.values.shape, dtype=bool)
        for column, statement in enumerate(self.statements):
            if authors.get(statement) in row_of:
                own[row_of[authors[statement]], column] = True
        return own & self.seen

    def without(self, cells: BoolArray) -> VoteMatrix:
        """Matrix with the marked votes taken out, keys unchanged.

        Parameters
        ----------
        cells : ndarray of bool, shape (n_participants, n_statements)

        Returns
        -------
        VoteMatrix
        """
        return VoteMatrix(self.participants, self.statements, np.where(cells, np.nan, self.values))

    def sha256(self) -> str:
        """SHA-256 (hexadecimal) of keys and votes: equal for equal content, whatever its order was.

        Returns
        -------
        str
            64 hexadecimal digits. A vote is hashed as one byte, missing apart from neutral.
        """
        digest = hashlib.sha256()
        keys = [list(self.participants), list(self.statements)]
        digest.update(json.dumps(keys, ensure_ascii=True, separators=(",", ":")).encode())
        codes = np.where(self.seen, np.nan_to_num(self.values), 2.0).astype(np.int8)
        digest.update(codes.tobytes())
        return digest.hexdigest()


def _check_keys(name: str, keys: tuple[str, ...]) -> None:
    for before, after in pairwise(keys):
        if before == after:
            raise ValueError(f"{name} {after!r} occurs twice")
        if before > after:
            raise ValueError(f"{name} keys are not in order at {after!r}: build by from_votes")
