"""Coverages, scores and figures of a study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clustering import drawing
from clustering.drawing import Drawn
from clustering.models import GroupCoverage, OpinionGroup, QuestionCoverage, Score
from clustering.stats.coverage import QuestionCoverage as Coverage
from clustering.stats.distributions import RatingCounts
from clustering.stats.overton import Estimate
from clustering.stats.report import OvertonReport
from clustering.storing.parts import drawn_quickly, finite, store_figures
from core.models import Run
from studies.models import ModelAnswer, Question, Source, Study


@dataclass(frozen=True, slots=True)
class CoveredQuestion:
    """A question with its groups, ratings and coverage; `answers` go by the code of their source."""

    question: Question
    part: Run
    answers: dict[str, ModelAnswer]
    coverage: Coverage
    counts: RatingCounts


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """The rows of a study's coverages and OvertonScores."""

    study: Study
    questions: list[CoveredQuestion]
    report: OvertonReport

    def store(self, run: Run, drawn: list[Drawn]) -> None:
        """Write coverages by group and by question, scores and figures."""
        sources = {source.code: source for source in Source.objects.filter(study=self.study)}
        for line in self.questions:
            self._store_groups(run, line)
            self._store_question(run, line, sources)
        rows = [(sources[score.source], score) for score in self.report.scores.scores]
        Score.objects.bulk_create(
            self._score(run, source, estimate, is_weighted)
            for source, score in [*rows, (None, self.report.scores.best)]
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
        letters = _letters([line.part for line in self.questions])
        with drawn_quickly():
            return drawing.figures_of_scores(
                questions=[
                    drawing.RatedQuestion(line.question.code, line.coverage, line.counts, letters.get(line.part.pk, []))
                    for line in self.questions
                ],
                table=self.report.scores,
                names=dict(Source.objects.filter(study=self.study).values_list("code", "name")),
                best=_("Best across models"),
                sensitivity=self._sensitivity(),
            )

    def _sensitivity(self) -> list[dict[str, Any]]:
        """Unweighted scores at each threshold."""
        return [
            {"source": source, "threshold": float(row.setting), "value": float(value)}
            for table in self.report.thresholds
            if table.variant == "unweighted" and table.undefined is None
            for row in table.rows
            for source, value in zip(table.sources, row.scores.tolist(), strict=True)
        ]


def _letters(parts: list[Run]) -> dict[int, list[str]]:
    """The letters of the groups of each part, by their number."""
    letters: dict[int, list[str]] = {}
    groups = OpinionGroup.objects.filter(grouping__run__in=parts).select_related("grouping")
    for group in groups.order_by("grouping", "number"):
        letters.setdefault(group.grouping.run_id, []).append(group.letter)
    return letters
