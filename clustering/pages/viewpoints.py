"""Scores over participants drawn anew: how much hangs on who took part, and on which viewpoints were found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from clustering.pages.numbers import number
from clustering.pages.sections import Part, Section, captioned, reasons, section, spread, variant_in_words
from core.models import Run

BEST = "best across sources"


def viewpoints(drawn: Run | None, names: Mapping[str, str]) -> Section | None:
    """Intervals and ranks over people, over people and questions, and numbers of groups; None before such a run."""
    result: dict[str, Any] = (drawn.result or {}) if drawn else {}
    if drawn is None or "viewpoints" not in result:
        return None
    tables = _tables(result["viewpoints"], _("people drawn anew"), names)
    if nested := result.get("viewpoints_and_questions"):
        tables += _tables(nested, _("people and questions drawn anew"), names)
    tables.append(_groups(result["viewpoints"], names))
    means = _(
        "People are drawn anew %(n)d times, grouped anew and answers scored anew, so these intervals and ranks carry "
        "the uncertainty of the viewpoints too (seed %(seed)d, computed %(when)s UTC). Bias is what drawing does to "
        "the score: a draw has fewer different people and so may have fewer groups."
    ) % {
        "n": result["viewpoints"]["replicates"],
        "seed": drawn.seed,
        "when": f"{drawn.finished_at:%Y-%m-%d %H:%M}",
    }
    failed = "; ".join(f"{each['question']}: {each['reason']}" for each in result.get("failed", []))
    undefined = result["viewpoints"]["undefined"] or failed or None
    return section("viewpoints", _("Uncertainty of the viewpoints"), means, tables, undefined)


def _tables(table: Part, title: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    columns = [_("Source"), _("OvertonScore"), _("Interval"), _("Interval without bias"), _("Bias"), _("Draws")]
    columns += [_("Rank"), _("Interval of the rank"), _("Share of draws in which it is first")]
    found = []
    for variant, key in (("unweighted", "ranks"), ("weighted", "ranks_weighted")):
        ranks = {row["source"]: row for row in table[key]}
        scores = [row for row in table["scores"] if row["variant"] == variant]
        rows = [
            [
                names.get(row["source"], _("Best across models")),
                number(row["value"]),
                spread(row["low"], row["high"]),
                spread(row["centred_low"], row["centred_high"]),
                number(row["bias"]),
                row["n_replicates"],
                *_rank(ranks.get(row["source"])),
            ]
            for row in scores
        ]
        caption = f"{title}, {variant_in_words({'variant': variant})}"
        found.append(captioned(caption, columns, rows, reasons(scores, {**names, BEST: _("Best across models")})))
    return found


def _rank(row: Part | None) -> list[str]:
    if row is None:
        return [number(None)] * 3
    return [number(row["rank"], 1), spread(row["low"], row["high"], 0), number(row["p_first"], 2)]


def _groups(table: Part, names: Mapping[str, str]) -> dict[str, Any]:
    """How many groups each question has over the draws."""
    columns = [_("Question"), _("Groups"), _("Median over the draws"), _("Draws by number of groups")]
    columns += [_("Share of draws without a coverage"), _("Different people in a draw")]
    rows = [
        [
            row["question"],
            row["value"],
            number(row["median"], 1),
            ", ".join(f"{n}: {times}" for n, times in sorted(row["counts"].items(), key=lambda each: int(each[0]))),
            number(row["share_without_coverage"], 2),
            number(row["mean_distinct"], 1),
        ]
        for row in table["groups"]
    ]
    return captioned(_("Number of groups over the draws"), columns, rows)
