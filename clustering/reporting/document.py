"""The study report: one HTML file that needs nothing else, for reading, printing and archiving."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from clustering import selectors
from clustering.models import RunFigure
from clustering.pages.figures import statement_texts
from clustering.pages.groups import group_context
from clustering.pages.numbers import number
from clustering.pages.questions import coverage_table, question_context
from clustering.pages.runs import flat, flow_of, origin_notes
from clustering.pages.scores import question_line, score_table, source_name
from clustering.pages.statistics import statistics_context
from clustering.portraits import FEW_PEOPLE, Portrait, portraits, ungrouped
from clustering.reporting.rendering import inline, rendered
from clustering.reporting.selectors import OUTSIDE
from clustering.selectors import QuestionResult
from clustering.showing.about import FIGURES, about
from clustering.showing.tables import in_words
from clustering.showing.texts import table_without_groups, with_texts, without_groups
from clustering.words import in_words as reason_in_words
from core.models import Run
from studies.models import Study

STYLE = Path(__file__).with_name("report.css")
OF_STUDY = ("scores", "coverage", "thresholds")
OF_QUESTION = ("opinion_map", "loadings", "agreement", "silhouettes", "together", "seeds")
# What all people say together, by figure and column: less what the shown groups say, it is what a hidden one says.
TOTALS = {("loadings", "mean_vote"), ("loadings", "n_votes")}

Tell = Callable[[int, int, str], None]


def written(study: Study, run: Run, *, audience: str, now: datetime, tell: Tell) -> str:
    """The report about a finished run of scores.

    For others than the team (`audience` outside) nothing is shown of groups of fewer than FEW_PEOPLE people.
    """
    results = list(_results(run))
    questions = []
    for done, result in enumerate(results):
        tell(done, len(results) + 1, result.question.code)
        questions.append(_question(study, run, result, done + 1, audience))
    tell(len(results), len(results) + 1, _("OvertonScore"))
    lines = selectors.score_lines(run)
    context = {
        "study": study,
        "version": study.current_version,
        "run": run,
        "parts": [(result.question.code, result.part) for result in results],
        "now": now,
        "is_outside": audience == OUTSIDE,
        "fewest": FEW_PEOPLE,
        "scores": score_table(lines, run.parameters["level"]),
        "undefined_scores": [
            (source_name(line), reason_in_words(line.unweighted.undefined))
            for line in lines
            if line.unweighted is not None and line.unweighted.undefined
        ],
        "figures": [_figure(row, "study", {}, frozenset()) for row in _rows(run, OF_STUDY)],
        "statistics": statistics_context(study, run),
        "questions": questions,
        "lines": [question_line(study, result) for result in selectors.question_results(run)],
        "flow": flow_of(run),
        "settings": sorted(flat(run.parameters)),
        "versions": sorted(run.versions.items()),
        "methods": methods_paragraph(run, results),
        "definitions": list(FIGURES.values()),
        **origin_notes(study, run),
    }
    body = mark_safe(render_to_string("clustering/report.html", context))  # noqa: S308  a template, which escapes
    return _page(study, body)


def _page(study: Study, body: SafeString) -> str:
    """The whole file. Its style stands inside, since it must need no other file."""
    style = mark_safe(STYLE.read_text(encoding="utf-8"))  # noqa: S308  our own style sheet
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return format_html(
        '<!doctype html>\n<html lang="{}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{}</title>\n'
        "<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        translation.get_language() or "en",
        policy,
        _("Report: %(title)s") % {"title": study.title},
        style,
        body,
    )


def _results(run: Run) -> Iterator[QuestionResult]:
    """The results of each question, in the order of the run."""
    for line in selectors.question_results(run):
        result = selectors.question_result(run, line.question)
        if result is not None:
            yield result


def _rows(run: Run, names: tuple[str, ...]) -> list[RunFigure]:
    found = {row.name: row for row in RunFigure.objects.filter(run=run, name__in=names)}
    return [found[name] for name in names if name in found]


def _question(study: Study, run: Run, result: QuestionResult, place: int, audience: str) -> dict[str, Any]:
    """One chapter: the page's contents, figures drawn, and without small groups if it is for others."""
    found = portraits(study, result.grouping) if result.grouping else []
    hidden = _hidden(found, result) if audience == OUTSIDE else frozenset()
    texts = statement_texts(result.question.pk)
    rows = [*(_rows(result.part, OF_QUESTION) if result.part else []), *_rows(run, (f"ratings-{place}",))]
    shown = [portrait for portrait in found if portrait.letter not in hidden]
    return {
        **question_context(study, run, result, hidden=hidden),
        "anchor": f"question-{place}",
        "place": place,
        "groups": [
            group_context(study, result.question, run, portrait, beside_others=not hidden) for portrait in shown
        ],
        "n_hidden": len(found) - len(shown),
        "coverage": coverage_table(result, found, hidden=hidden),
        "figures": [_figure(row, f"q{place}", texts, hidden) for row in rows],
    }


def _hidden(found: list[Portrait], result: QuestionResult) -> frozenset[str]:
    """The letters of groups too small to show; people in no group go by none, and are hidden when they are few."""
    small = {portrait.letter for portrait in found if portrait.is_small}
    if result.grouping and 0 < ungrouped(result.grouping) < FEW_PEOPLE:
        small.add("")
    return frozenset(small)


def _figure(row: RunFigure, prefix: str, texts: Mapping[str, str], hidden: frozenset[str]) -> dict[str, Any]:
    """A figure with its drawing inside."""
    words = about(row.name)
    spec = with_texts(without_groups(row.specification, hidden), texts)
    svg = rendered(spec, "svg").decode("utf-8")
    drawing = inline(svg, prefix=f"{prefix}-{row.name}", label=str(words.title))
    return {
        "title": words.title,
        "description": words.description,
        "note": words.note(row.table.get("notes", {})),
        "svg": mark_safe(drawing),  # noqa: S308  made by the renderer, which escapes texts
        "table": in_words(_table_to_show(row, hidden), texts) if row.table else None,
    }


def _table_to_show(row: RunFigure, hidden: frozenset[str]) -> dict[str, Any]:
    """The numbers without hidden groups, and without totals from which shown groups could be taken away."""
    table = table_without_groups(row.table, hidden)
    if not hidden:
        return table
    kept = [place for place, key in enumerate(table["columns"]) if (row.name, key) not in TOTALS]
    rows = [[line[place] for place in kept] for line in table["rows"]]
    return {**table, "columns": [table["columns"][place] for place in kept], "rows": rows}


def methods_paragraph(run: Run, results: list[QuestionResult]) -> str:
    """What was done, as the methods section of a paper would say it."""
    settings = run.parameters
    groupings = [result.grouping for result in results if result.grouping and result.grouping.n_groups]
    facts = {
        "questions": len(results),
        "grouped": len(groupings),
        "votes": sum(grouping.n_votes for grouping in groupings),
        "groups": sum(grouping.n_groups or 0 for grouping in groupings),
        "method": settings.get("method", "dynamic"),
        "space": settings.get("space", "projection"),
        "threshold": f"{settings['threshold']:g}",
        "level": f"{100 * settings['level']:g}",
        "replicates": settings["replicates"],
        "seed": run.seed,
        "silhouettes": _between([grouping.silhouette for grouping in groupings]),
    }
    rule = (
        _("the mean rating of its members who rated the answer reached %(threshold)s")
        if settings["rule"] == "mean"
        else _("more than half of its members who rated the answer gave it at least %(threshold)s")
    )
    sentences = [
        _(
            "Opinion groups were found for each of %(questions)d questions from %(votes)d votes (agree, disagree, "
            "neutral) on statements by the %(method)s clusterer in the space %(space)s with seed %(seed)d; missing "
            "votes were not taken as neutral."
        ),
        _("%(grouped)d questions had groups, %(groups)d in all, with mean silhouettes of %(silhouettes)s."),
        _("An answer was taken to represent a group if ") + rule + ".",
        _(
            "Coverage is the share of a question's groups that an answer represents, and the OvertonScore of a source "
            "is its mean over questions, with each group counting alike and, beside it, by its size. Intervals are "
            "%(level)s %% bootstrap intervals over questions with %(replicates)d replicates."
        ),
    ]
    return " ".join(sentence % facts for sentence in sentences)


def _between(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return _("no value")
    return _("%(low)s to %(high)s") % {"low": number(min(known), 2), "high": number(max(known), 2)}
