"""Grouping, groups, members, statements and figures of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering import drawing
from clustering.drawing import Drawn
from clustering.letters import group_label
from clustering.loading import QuestionVotes
from clustering.models import Grouping, GroupMember, GroupStatement, OpinionGroup
from clustering.stats.clusterers import Grouping as Found
from clustering.stats.identity import Identities
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import OpinionProfiles
from clustering.storing.parts import drawn_quickly, finite, store_figures
from core.models import Run
from studies.models import Question

DIRECTIONS = {"agree": 1, "disagree": -1}


@dataclass(frozen=True, slots=True)
class GroupingRows:
    """The rows of one question's opinion groups."""

    question: Question
    loaded: QuestionVotes
    matrix: VoteMatrix | None
    found: Found
    profiles: OpinionProfiles
    line: str
    identities: Identities

    @property
    def letters(self) -> list[str]:
        """The letter of each group, by its number."""
        identity = self.identities.of_label()
        return [group_label(identity[number]) for number in range(self.found.n_groups)]

    def drawn(self, stability: Mapping[str, Any]) -> list[Drawn]:
        """The figures of the groups; none without groups, or of more people and statements than fit into a matrix."""
        if self.matrix is None:
            return []
        with drawn_quickly():
            return drawing.figures_of_groups(
                matrix=self.matrix,
                found=self.found,
                profiles=self.profiles,
                letters=self.letters,
                stability=stability,
            )

    def store(self, run: Run, drawn: list[Drawn]) -> None:
        """Write grouping, groups, members, statements and figures."""
        n_votes = self.loaded.votes_each() if self.matrix is None else self.matrix.seen.sum(axis=1)
        grouping = Grouping.objects.create(
            run=run,
            question=self.question,
            line=self.line,
            n_participants=len(self.found.participants),
            n_statements=self.found.n_statements,
            n_votes=int(n_votes.sum()),
            n_groups=self.found.n_groups or None,
            silhouette=finite(self.found.silhouette),
            undefined=self.found.undefined or "",
            identities=self.identities.to_dict(),
        )
        identity = self.identities.of_label()
        groups = OpinionGroup.objects.bulk_create(
            OpinionGroup(grouping=grouping, number=number, identity=identity[number], size=size)
            for number, size in enumerate(self.found.sizes)
        )
        self._store_members(grouping, groups, n_votes)
        self._store_statements(groups)
        store_figures(run, drawn)

    def _store_members(self, grouping: Grouping, groups: list[OpinionGroup], n_votes: np.ndarray) -> None:
        GroupMember.objects.bulk_create(
            (
                GroupMember(
                    grouping=grouping,
                    enrolment_id=self.loaded.enrolments[code],
                    group=groups[label] if label >= 0 else None,
                    x=finite(x),
                    y=finite(y),
                    n_votes=int(n),
                )
                for code, label, (x, y), n in zip(
                    self.found.participants,
                    self.found.labels.tolist(),
                    self.found.coordinates.tolist(),
                    n_votes.tolist(),
                    strict=True,
                )
            ),
            batch_size=1000,
        )

    def _store_statements(self, groups: list[OpinionGroup]) -> None:
        counts = self.profiles.counts
        rows = []
        for group in groups:
            chosen = {
                statement.statement: (rank, statement)
                for rank, statement in enumerate(self.profiles.characteristic[group.number], 1)
            }
            for column, code in enumerate(self.profiles.statements):
                if not counts.seen[group.number, column]:
                    continue
                rank, statement = chosen.get(code, (None, None))
                rows.append(
                    GroupStatement(
                        group=group,
                        statement_id=self.loaded.statement_keys[code],
                        n_agree=int(counts.agree[group.number, column]),
                        n_disagree=int(counts.disagree[group.number, column]),
                        n_neutral=int(counts.neutral[group.number, column]),
                        rank=rank,
                        direction=DIRECTIONS[statement.direction] if statement else None,
                        repness=finite(statement.repness) if statement else None,
                        repness_test=finite(statement.repness_test) if statement else None,
                    )
                )
        GroupStatement.objects.bulk_create(rows, batch_size=1000)
