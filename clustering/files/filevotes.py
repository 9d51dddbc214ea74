"""Current votes on one question as a file has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clustering.inclusion import Inclusion
from clustering.loading import QuestionVotes

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FileVotes:
    """Votes on one question.

    Attributes
    ----------
    file : name of the file
    kind : "polis export", "polis matrix" or "long table"
    question : its code; empty if the file does not say
    votes : (participant, statement) to 1, -1 or 0, the current vote
    statements : all of them, voted on or not
    authors : statement to participant, where the file says who wrote it
    texts : statement to text, where known
    rejected : statements that were moderated out, or are about the person
    order : participants in the order of their first vote, where times are known, else as they come in the file
    published : participant to the group that the file says
    people : participant to origin and status, where a table of participants is there; None where it does not say
    n_rows : rows with a vote
    n_changes : votes that took the place of another one
    """

    file: str
    kind: str
    question: str
    votes: Mapping[Pair, int]
    statements: Sequence[str]
    order: Sequence[str]
    authors: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    rejected: frozenset[str] = frozenset()
    published: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    n_rows: int = 0
    n_changes: int = 0

    def flow(self, rule: Inclusion, n_voters: int) -> list[dict[str, Any]]:
        """How many people remain after each step of the rule, as :func:`clustering.inclusion.flow_of_n` says it."""
        everybody = {person for person, _statement in self.votes}
        by_origin = [person for person in everybody if self._has(person, rule.origins, None)]
        by_status = [person for person in by_origin if self._has(person, rule.origins, rule.statuses)]
        return [
            {"step": "given", "takes": [], "n": len(everybody)},
            {"step": "origin", "takes": sorted(rule.origins), "n": len(by_origin)},
            {"step": "status", "takes": sorted(rule.statuses), "n": len(by_status)},
            {"step": "votes", "takes": [rule.minimum_votes], "n": n_voters},
        ]

    def _has(self, person: str, origins: Sequence[str], statuses: Sequence[str] | None) -> bool:
        """Whether the rule takes somebody in, as far as the file knows them."""
        origin, status = self.people.get(person, (None, None))
        return (origin is None or origin in origins) and (statuses is None or status is None or status in statuses)

    def loaded(self, rule: Inclusion, *, with_rejected: bool = False) -> QuestionVotes:
        """The votes as those of a study are loaded: rejected statements and whom the rule excludes left out."""
        statements = tuple(sorted(key for key in self.statements if with_rejected or key not in self.rejected))
        column_of = {key: column for column, key in enumerate(statements)}
        counts: dict[str, int] = {}
        for person, statement in self.votes:
            if statement in column_of and self._has(person, rule.origins, rule.statuses):
                counts[person] = counts.get(person, 0) + 1
        participants = tuple(sorted(person for person, n in counts.items() if n >= rule.minimum_votes))
        row_of = {key: row for row, key in enumerate(participants)}
        cells = [
            (row_of[person], column_of[statement], value)
            for (person, statement), value in self.votes.items()
            if person in row_of and statement in column_of
        ]
        cells.sort()
        rows, columns, values = np.array(cells, dtype=np.int64).reshape(-1, 3).T
        return QuestionVotes(
            participants=participants,
            statements=statements,
            rows=rows.astype(np.int32),
            columns=columns.astype(np.int32),
            values=values.astype(np.int8),
            authors={
                key: author
                for key, author in self.authors.items()
                if key in column_of and self._has(author, rule.origins, rule.statuses)
            },
            statement_keys={},
            enrolments={},
            rejected=tuple(key for key in statements if key in self.rejected),
        )
