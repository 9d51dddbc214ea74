"""The page of a question: its map, its groups in brief, and which answers represent them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from clustering.models import Grouping, QuestionCoverage
from clustering.pages.figures import figures_of, statement_texts
from clustering.pages.groups import group_context
from clustering.pages.numbers import number, table
from clustering.pages.runs import flow_in_words
from clustering.pages.trust import trust_context
from clustering.portraits import Portrait, portraits, ungrouped
from clustering.selectors import QuestionResult
from clustering.showing.tables import MISSING
from clustering.words import in_words
from core.models import Run
from studies.models import Study

OF_GROUPS = ("opinion_map", "loadings", "agreement", "silhouettes", "together", "seeds")


def question_context(
    study: Study, run: Run, result: QuestionResult, *, hidden: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Everything about one question in a run of scores; groups with a `hidden` letter are judged by no figure."""
    grouping, part = result.grouping, result.part
    found = portraits(study, grouping) if grouping else []
    texts = statement_texts(result.question.pk)
    return {
        "question": result.question,
        "grouping": grouping,
        "silhouette": number(grouping.silhouette if grouping else None, 2),
        "undefined": in_words(grouping.undefined) if grouping else (part.error if part else ""),
        "groups": [group_context(study, result.question, run, portrait) for portrait in found],
        "ungrouped": _people_in_no_group(grouping, part) if grouping else None,
        "figures": figures_of(study, part, *OF_GROUPS, texts=texts) if part else [],
        "rating_figures": figures_of(study, run, f"ratings-{_place_in(run, result)}", texts=texts),
        "coverage": coverage_table(result, found),
        "undefined_coverage": [
            (_covered_name(row), in_words(row.undefined)) for row in result.coverages if row.undefined
        ],
        "flow": flow_in_words(((part.result or {}) if part else {}).get("flow", [])),
        **trust_context(part, found, texts, hidden=hidden),
    }


def _place_in(run: Run, result: QuestionResult) -> int:
    """The number of a question in the run, which its figures carry."""
    codes = [line["question"] for line in (run.result or {}).get("questions", [])]
    return codes.index(result.question.code) + 1 if result.question.code in codes else 0


def _people_in_no_group(grouping: Grouping, part: Run | None) -> dict[str, Any]:
    """How many people are in no group, and the reasons."""
    groups = ((part.result or {}) if part else {}).get("groups") or {}
    reasons: dict[str, int] = {}
    for exclusion in groups.get("exclusions", []):
        reason = in_words(exclusion.get("reason"))
        reasons[reason] = reasons.get(reason, 0) + 1
    return {"n": ungrouped(grouping), "reasons": sorted(reasons.items())}


def _covered_name(row: QuestionCoverage) -> str:
    return row.source.name if row.source else _("Best across models")


def coverage_table(
    result: QuestionResult, found: list[Portrait], *, hidden: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Which answers represent which groups; a column a group but for the `hidden` letters."""
    letters = {portrait.group.pk: portrait.letter for portrait in found if portrait.letter not in hidden}
    columns = [_("Answer"), _("Coverage"), _("Weighted coverage")]
    columns += [_("Group %(label)s") % {"label": letter} for letter in letters.values()]
    by_answer: dict[int | None, dict[int, str]] = {}
    for profile in result.groups:
        for cell in profile.coverages:
            mark = "✓ " if cell.is_covered else ""  # before the numbers, so that those stand below each other
            text = f"{mark}{number(cell.mean_rating, 2)} ({cell.n_ratings})"
            by_answer.setdefault(cell.answer_id, {})[profile.group.pk] = text
    rows = [
        [
            _covered_name(row),
            number(row.coverage, 2),
            number(row.coverage_weighted, 2),
            *(by_answer.get(row.answer_id, {}).get(group, MISSING) for group in letters),
        ]
        for row in sorted(result.coverages, key=lambda row: row.source is None)  # the best across models last
    ]
    return table(columns, rows)
