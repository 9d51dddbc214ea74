"""The page of a study's results: scores, figures, and the questions with their groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from clustering import selectors
from clustering.pages.figures import figures_of
from clustering.pages.numbers import interval, number, table
from clustering.pages.runs import flow_of, origin_notes
from clustering.selectors import QuestionResult, ScoreLine
from clustering.words import in_words
from core.models import Run
from studies.models import Study

SCORE_COLUMNS = ("source", "variant", "n_questions", "overton_score", "low", "high", "undefined")


def score_rows(run: Run) -> Iterator[tuple[object, ...]]:
    """Scores unrounded, one row per source and variant, in the order of SCORE_COLUMNS."""
    for line in selectors.score_lines(run):
        source = line.source.code if line.source else "best-across-models"
        for variant, score in (("unweighted", line.unweighted), ("weighted", line.weighted)):
            if score is not None:
                yield source, variant, score.n_questions, score.value, score.low, score.high, score.undefined


def scores_context(study: Study, run: Run) -> dict[str, Any]:
    """The OvertonScore table and figures, and the questions with their groups."""
    lines = selectors.score_lines(run)
    results = selectors.question_results(run)
    return {
        "scores": score_table(lines, run.parameters["level"]),
        "undefined_scores": [
            (source_name(line), in_words(score.undefined))
            for line in lines
            for score in (line.unweighted,)
            if score is not None and score.undefined
        ],
        "figures": figures_of(study, run, "scores", "coverage", "thresholds"),
        "questions": [question_line(study, result) for result in results],
        "n_groups": sum((result.grouping.n_groups or 0) for result in results if result.grouping),
        "flow": flow_of(run),
        "threshold": f"{run.parameters['threshold']:g}",
        "rule": run.parameters["rule"],
        **origin_notes(study, run),
    }


def source_name(line: ScoreLine) -> str:
    """The name of a line of the table."""
    return line.source.name if line.source else _("Best across models")


def score_table(lines: list[ScoreLine], level: float) -> dict[str, Any]:
    """The scores with intervals, unweighted and weighted."""
    percent = {"level": f"{100 * level:g}"}
    columns = [
        _("Source"),
        _("OvertonScore"),
        _("%(level)s %% interval") % percent,
        _("Weighted score"),
        _("%(level)s %% interval, weighted") % percent,
        _("Questions"),
    ]
    rows = [
        [
            source_name(line),
            number(line.unweighted.value if line.unweighted else None),
            interval(line.unweighted),
            number(line.weighted.value if line.weighted else None),
            interval(line.weighted),
            line.unweighted.n_questions if line.unweighted else 0,
        ]
        for line in lines
    ]
    return table(columns, rows)


def question_line(study: Study, result: QuestionResult) -> dict[str, Any]:
    """One line of the list of questions."""
    grouping = result.grouping
    reason = in_words(grouping.undefined) if grouping else (result.part.error if result.part else "")
    return {
        "question": result.question,
        "url": reverse("clustering:question", args=[study.slug, result.question.code]),
        "n_participants": grouping.n_participants if grouping else 0,
        "n_votes": grouping.n_votes if grouping else 0,
        "n_groups": grouping.n_groups if grouping else None,
        "silhouette": number(grouping.silhouette if grouping else None, 2),
        "undefined": reason,
    }
