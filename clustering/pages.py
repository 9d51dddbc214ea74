"""From results to what a page prints: rounding, labels and words happen here and nowhere below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from clustering import selectors
from clustering.inclusion import step_in_words
from clustering.models import QuestionCoverage, Score
from clustering.selectors import GroupProfile, QuestionResult, group_label
from clustering.words import in_words
from core.models import Run
from studies.models import Enrolment, Study

SCORE_COLUMNS = ("source", "variant", "n_questions", "overton_score", "low", "high", "undefined")
MOST_STATEMENTS = 5
MISSING = "\N{EN DASH}"


def number(value: float | None, digits: int = 3) -> str:
    """A number for people, or a dash where it is undefined."""
    return MISSING if value is None else f"{value:.{digits}f}"


def interval(score: Score | None) -> str:
    """The interval of a score, or a dash."""
    return MISSING if score is None or score.low is None else f"{number(score.low)} to {number(score.high)}"


def score_rows(run: Run) -> Iterator[tuple[object, ...]]:
    """Scores unrounded, one row per source and variant, in the order of SCORE_COLUMNS."""
    for line in selectors.score_lines(run):
        source = line.source.code if line.source else "best-across-models"
        for variant, score in (("unweighted", line.unweighted), ("weighted", line.weighted)):
            if score is not None:
                yield source, variant, score.n_questions, score.value, score.low, score.high, score.undefined


def scores_context(study: Study, run: Run) -> dict[str, Any]:
    """The OvertonScore table and chart, and the questions with their groups."""
    lines = selectors.score_lines(run)
    results = selectors.question_results(run)
    return {
        "scores": _score_table(lines, run.parameters["level"]),
        "undefined_scores": [
            (_source_name(line), in_words(score.undefined))
            for line in lines
            for score in (line.unweighted,)
            if score is not None and score.undefined
        ],
        "figures": _score_figures(study, run, results),
        "questions": [_question_line(study, result) for result in results],
        "flow": _flow(run),
        **origin_notes(study, run),
    }


def flow_in_words(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A flow of n with its steps in words."""
    return [{"step": step_in_words(row), "n": row["n"]} for row in rows]


def _flow(run: Run) -> list[dict[str, Any]]:
    lines = (run.result or {}).get("flow", [])
    return [{"question": line["question"], "rows": flow_in_words(line["rows"])} for line in lines]


def origin_notes(study: Study, run: Run) -> dict[str, bool]:
    """What a reader must know about the people behind the numbers."""
    origins = run.parameters["inclusion"]["origins"]
    return {
        "simulated": Enrolment.Origin.SIMULATED.value in origins,
        "withdrawn_data": selectors.contains_withdrawn_data(run, study),
    }


def _source_name(line: selectors.ScoreLine) -> str:
    return line.source.name if line.source else _("Best across models")


def _score_table(lines: list[selectors.ScoreLine], level: float) -> dict[str, Any]:
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
            _source_name(line),
            number(line.unweighted.value if line.unweighted else None),
            interval(line.unweighted),
            number(line.weighted.value if line.weighted else None),
            interval(line.weighted),
            line.unweighted.n_questions if line.unweighted else 0,
        ]
        for line in lines
    ]
    return _table(columns, rows)


def _table(columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    """A table of numbers with the names of its rows in the first column."""
    return {"columns": [{"label": name, "numeric": index > 0} for index, name in enumerate(columns)], "rows": rows}


def _score_figures(study: Study, run: Run, results: list[QuestionResult]) -> list[dict[str, Any]]:
    texts = {
        "scores": (
            _("OvertonScore of each source"),
            _(
                "Marks show which share of the opinion groups feels represented, on average over the questions; "
                "lines are bootstrap intervals over questions. Weighted counts each group by its size."
            ),
            None,
        ),
        "coverage": (
            _("Coverage by question and source"),
            _("Each cell is the share of a question's opinion groups that the source's answer represents."),
            _coverage_by_question(results),
        ),
    }
    figures = []
    for name, (title, description, table) in texts.items():
        if spec := selectors.figure_of(run, name):
            figures.append(
                {
                    "id": f"figure-{name}",
                    "spec_id": f"figure-{name}-spec",
                    "title": title,
                    "description": description,
                    "spec": spec,
                    "table": table,
                    "downloads": _downloads(study, run) if name == "scores" else [],
                }
            )
    return figures


def _coverage_by_question(results: list[QuestionResult]) -> dict[str, Any]:
    names: dict[int, str] = {row.source_id: row.source.name for one in results for row in one.coverages if row.source}
    rows = []
    for result in results:
        cells = {row.source_id: number(row.coverage, 2) for row in result.coverages}
        rows.append([result.question.code, *(cells.get(source, MISSING) for source in names)])
    return _table([_("Question"), *names.values()], rows)


def _downloads(study: Study, run: Run) -> list[dict[str, str]]:
    return [
        {"url": reverse("clustering:scores-csv", args=[study.slug, run.public_id]), "label": _("Scores (CSV)")},
        {"url": reverse("clustering:result-json", args=[study.slug, run.public_id]), "label": _("Whole result (JSON)")},
    ]


def _question_line(study: Study, result: QuestionResult) -> dict[str, Any]:
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


def question_context(study: Study, result: QuestionResult) -> dict[str, Any]:
    """Map, groups and coverage of one question."""
    return {
        "question": result.question,
        "grouping": result.grouping,
        "silhouette": number(result.grouping.silhouette if result.grouping else None, 2),
        "undefined": in_words(result.grouping.undefined)
        if result.grouping
        else (result.part.error if result.part else ""),
        "groups": [_group(profile) for profile in result.groups],
        "map": _map_figure(result),
        "coverage": _coverage_table(result),
        "undefined_coverage": [
            (_covered_name(row), in_words(row.undefined)) for row in result.coverages if row.undefined
        ],
        "flow": flow_in_words(((result.part.result or {}) if result.part else {}).get("flow", [])),
    }


def _group(profile: GroupProfile) -> dict[str, Any]:
    words = {1: _("agrees"), -1: _("disagrees")}
    return {
        "label": profile.label,
        "size": profile.group.size,
        "statements": [
            {
                "text": row.statement.text,
                "direction": words.get(row.direction or 0, ""),
                "n_agree": row.n_agree,
                "n_disagree": row.n_disagree,
                "n_neutral": row.n_neutral,
                "n": row.n_agree + row.n_disagree + row.n_neutral,
            }
            for row in profile.statements[:MOST_STATEMENTS]
        ],
    }


def _map_figure(result: QuestionResult) -> dict[str, Any] | None:
    if result.figure is None:
        return None
    columns = [{"label": _("Group"), "numeric": False}, {"label": _("Participants"), "numeric": True}]
    return {
        "id": "opinion-map",
        "spec_id": "opinion-map-spec",
        "title": _("Opinion map"),
        "description": _(
            "Each mark is a participant; those who vote alike are near each other. Colour and shape show the opinion "
            "group, a letter stands over its centre, the size of a mark shows how many votes somebody cast. "
            "The axes have no unit."
        ),
        "spec": result.figure,
        "table": {"columns": columns, "rows": [[profile.label, profile.group.size] for profile in result.groups]},
        "downloads": [],
    }


def _covered_name(row: QuestionCoverage) -> str:
    return row.source.name if row.source else _("Best across models")


def _coverage_table(result: QuestionResult) -> dict[str, Any]:
    labels = [profile.label for profile in result.groups]
    columns = [_("Answer"), _("Coverage"), _("Weighted coverage")]
    columns += [_("Group %(label)s") % {"label": label} for label in labels]
    by_answer: dict[int | None, dict[str, str]] = {}
    for profile in result.groups:
        for cell in profile.coverages:
            mark = "✓ " if cell.is_covered else ""  # before the numbers, so that those stand below each other
            text = f"{mark}{number(cell.mean_rating, 2)} ({cell.n_ratings})"
            by_answer.setdefault(cell.answer_id, {})[profile.label] = text
    rows = [
        [
            _covered_name(row),
            number(row.coverage, 2),
            number(row.coverage_weighted, 2),
            *(by_answer.get(row.answer_id, {}).get(label, MISSING) for label in labels),
        ]
        for row in sorted(result.coverages, key=lambda row: row.source is None)  # the best across models last
    ]
    return _table(columns, rows)


def run_context(study: Study, run: Run) -> dict[str, Any]:
    """What identifies a run and what it took in."""
    return {
        "settings": sorted(_flat(run.parameters)),
        "versions": sorted(run.versions.items()),
        "flow": _flow(run),
        "parts": [
            {"part": part, "question": part.subject_id, "label": group_label(index)}
            for index, part in enumerate(run.parts.defer("result").order_by("id"))
        ],
        "downloads": _downloads(study, run) if run.result is not None else [],
    }


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield name, MISSING if shown is None else str(shown)
