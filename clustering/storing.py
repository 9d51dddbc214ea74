"""Typed rows of a result, written in the transaction that finishes its run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clustering import drawing
from clustering.drawing import Drawn
from clustering.letters import group_label
from clustering.loading import QuestionVotes
from clustering.models import (
    GroupCoverage,
    Grouping,
    GroupMember,
    GroupStatement,
    OpinionGroup,
    QuestionCoverage,
    RunFigure,
    Score,
)
from clustering.stats.coverage import QuestionCoverage as Coverage
from clustering.stats.distributions import RatingCounts
from clustering.stats.groups import OpinionGroups
from clustering.stats.matrix import VoteMatrix
from clustering.stats.overton import Estimate, OvertonTable
from clustering.stats.profiles import OpinionProfiles
from core.models import Run
from studies.models import ModelAnswer, Question, Source, Study

DIRECTIONS = {"agree": 1, "disagree": -1}


def finite(value: float) -> float | None:
    """The number, or None where it is undefined."""
    return None if math.isnan(value) else float(value)


def store_figures(run: Run, drawn: list[Drawn]) -> None:
    """Write the figures of a run with the numbers beside them."""
    RunFigure.objects.bulk_create(
        RunFigure(run=run, name=figure.name, specification=figure.specification, table=figure.table) for figure in drawn
    )


@dataclass(frozen=True, slots=True)
class GroupingRows:
    """The rows of one question's opinion groups."""

    question: Question
    loaded: QuestionVotes
    matrix: VoteMatrix
    found: OpinionGroups
    profiles: OpinionProfiles

    def drawn(self) -> list[Drawn]:
        """The figures of the groups; none without groups."""
        letters = [group_label(number) for number in range(self.found.n_groups)]
        return drawing.figures_of_groups(matrix=self.matrix, found=self.found, profiles=self.profiles, letters=letters)

    def store(self, run: Run, drawn: list[Drawn]) -> None:
        """Write grouping, groups, members, statements and figures."""
        grouping = Grouping.objects.create(
            run=run,
            question=self.question,
            n_participants=len(self.matrix.participants),
            n_statements=self.found.n_statements,
            n_votes=self.matrix.n_votes,
            n_groups=self.found.n_groups or None,
            silhouette=finite(self.found.silhouette),
            undefined=self.found.undefined or "",
        )
        groups = OpinionGroup.objects.bulk_create(
            OpinionGroup(grouping=grouping, number=number, identity=number, size=size)
            for number, size in enumerate(self.found.sizes)
        )
        self._store_members(grouping, groups)
        self._store_statements(groups)
        store_figures(run, drawn)

    def _store_members(self, grouping: Grouping, groups: list[OpinionGroup]) -> None:
        n_votes = self.matrix.seen.sum(axis=1)
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


@dataclass(frozen=True, slots=True)
class CoveredQuestion:
    """A question with its groups, ratings and coverage; `answers` go by the code of their source."""

    question: Question
    part: Run
    answers: dict[str, ModelAnswer]
    ratings_sha256: str
    coverage: Coverage
    counts: RatingCounts


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """The rows of a study's coverages and OvertonScores."""

    study: Study
    questions: list[CoveredQuestion]
    table: OvertonTable

    def store(self, run: Run, drawn: list[Drawn]) -> None:
        """Write coverages by group and by question, scores and figures."""
        sources = {source.code: source for source in Source.objects.filter(study=self.study)}
        for line in self.questions:
            self._store_groups(run, line)
            self._store_question(run, line, sources)
        rows = [(sources[score.source], score) for score in self.table.scores]
        Score.objects.bulk_create(
            self._score(run, source, estimate, is_weighted)
            for source, score in [*rows, (None, self.table.best)]
            for is_weighted, estimate in ((False, score.unweighted), (True, score.weighted))
        )
        store_figures(run, drawn)

    @staticmethod
    def _score(run: Run, source: Source | None, estimate: Estimate, is_weighted: bool) -> Score:
        return Score(
            run=run,
            source=source,
            is_weighted=is_weighted,
            n_questions=estimate.n_questions,
            value=finite(estimate.value),
            low=finite(estimate.low),
            high=finite(estimate.high),
            undefined=estimate.undefined or "",
        )

    @staticmethod
    def _store_groups(run: Run, line: CoveredQuestion) -> None:
        groups = {group.number: group for group in OpinionGroup.objects.filter(grouping__run=line.part)}
        coverage = line.coverage
        GroupCoverage.objects.bulk_create(
            GroupCoverage(
                run=run,
                group=groups[label],
                answer=line.answers[source],
                n_ratings=int(coverage.n_ratings[row, column]),
                mean_rating=finite(coverage.mean_rating[row, column]),
                is_covered=None if math.isnan(coverage.covered[row, column]) else bool(coverage.covered[row, column]),
            )
            for row, label in enumerate(coverage.group_labels)
            for column, source in enumerate(coverage.sources)
            if source in line.answers
        )

    @staticmethod
    def _store_question(run: Run, line: CoveredQuestion, sources: dict[str, Source]) -> None:
        coverage = line.coverage
        common: dict[str, Any] = {"run": run, "question": line.question, "n_groups": len(coverage.group_labels)}
        columns: list[tuple[str | None, float, float, str | None]] = list(
            zip(
                coverage.sources,
                coverage.coverage.tolist(),
                coverage.coverage_weighted.tolist(),
                coverage.undefined_sources,
                strict=True,
            )
        )
        columns.append((None, coverage.best_coverage, coverage.best_coverage_weighted, coverage.undefined))
        QuestionCoverage.objects.bulk_create(
            QuestionCoverage(
                **common,
                source=sources[code] if code is not None else None,
                answer=line.answers.get(code) if code is not None else None,
                coverage=finite(value),
                coverage_weighted=finite(weighted),
                undefined=line.part.error or reason or "",
            )
            for code, value, weighted, reason in columns
        )

    def drawn(self) -> list[Drawn]:
        """The figures of the scores; none if no question has a coverage."""
        letters = {
            line.question.pk: [group_label(number) for number in range(len(line.coverage.group_labels))]
            for line in self.questions
        }
        return drawing.figures_of_scores(
            questions=[
                drawing.RatedQuestion(line.question.code, line.coverage, line.counts, letters[line.question.pk])
                for line in self.questions
            ],
            table=self.table,
            names=dict(Source.objects.filter(study=self.study).values_list("code", "name")),
            best=_("Best across models"),
        )
