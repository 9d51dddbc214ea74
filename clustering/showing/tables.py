"""The numbers beside a figure as a table for people, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MISSING = "\N{EN DASH}"
LABELS: dict[str, Promise | str] = {
    "adjusted_rand": gettext_lazy("Adjusted Rand index"),
    "agree": gettext_lazy("Share that agrees"),
    "coverage": gettext_lazy("Coverage"),
    "group": gettext_lazy("Group"),
    "high": gettext_lazy("Interval to"),
    "is_chosen": gettext_lazy("Chosen"),
    "low": gettext_lazy("Interval from"),
    "mean": gettext_lazy("Mean rating"),
    "mean_vote": gettext_lazy("Mean vote"),
    "n_agree": gettext_lazy("Agree"),
    "n_disagree": gettext_lazy("Disagree"),
    "n_fits": gettext_lazy("Fits"),
    "n_groups": gettext_lazy("Groups"),
    "n_neutral": gettext_lazy("Neutral"),
    "n_pairs": gettext_lazy("Pairs"),
    "n_people": gettext_lazy("Participants"),
    "n_questions": gettext_lazy("Questions"),
    "n_ratings": gettext_lazy("Ratings of the group"),
    "n_votes": gettext_lazy("Votes"),
    "number": gettext_lazy("Number"),
    "other": gettext_lazy("Other group"),
    "other_seed": gettext_lazy("Other seed"),
    "question": gettext_lazy("Question"),
    **{f"rating_{value}": gettext_lazy("Rated %d") % value for value in range(1, 6)},
    "seed": gettext_lazy("Seed"),
    "share": gettext_lazy("Share"),
    "silhouette": gettext_lazy("Mean silhouette"),
    "source": gettext_lazy("Source"),
    "statement": gettext_lazy("Statement"),
    "threshold": gettext_lazy("Threshold"),
    "value": gettext_lazy("OvertonScore"),
    "variant": gettext_lazy("Variant"),
    "x": gettext_lazy("First dimension"),
    "y": gettext_lazy("Second dimension"),
}
WORDS = {"group", "other", "question", "source", "statement", "variant", "is_chosen"}
"""Columns that hold no number."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A long table that people read as a cross table: which column goes down, which across, what stands in a cell."""

    down: str
    across: str
    head: Promise | str
    cell: Callable[[Mapping[str, Any]], str]


def _rounded(key: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: MISSING if row[key] is None else f"{row[key]:.2f}"


def _votes_of(row: Mapping[str, Any]) -> str:
    votes = "/".join(str(row[name]) for name in ("n_agree", "n_disagree", "n_neutral"))
    return f"{row['agree']:.2f} ({votes})"


def _pairs_of(row: Mapping[str, Any]) -> str:
    return MISSING if row["share"] is None else f"{row['share']:.2f} ({row['n_pairs']})"


CROSSED: dict[tuple[str, ...], Crossing] = {
    ("statement", "group", "agree"): Crossing(
        "statement", "group", gettext_lazy("%(value)s: agree (for/against/neutral)"), _votes_of
    ),
    ("question", "source", "coverage"): Crossing("question", "source", "%(value)s", _rounded("coverage")),
    ("threshold", "source", "value"): Crossing("source", "threshold", "%(value).1f", _rounded("value")),
    ("group", "other", "share"): Crossing("group", "other", gettext_lazy("%(value)s (pairs)"), _pairs_of),
    ("seed", "other_seed", "adjusted_rand"): Crossing(
        "seed", "other_seed", gettext_lazy("Seed %(value)s"), _rounded("adjusted_rand")
    ),
}
"""By the first columns of a table."""


def in_words(table: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """The table for `components/_table.html`: labels, rounded numbers, statements by their text.

    `texts` are those of the statements by code; one that has none, since it was erased, keeps its code.
    """
    keys = table["columns"]
    if (crossing := CROSSED.get(tuple(keys[:3]))) is not None:
        return _crossed(table, crossing, texts)
    columns = [{"label": LABELS[key], "numeric": key not in WORDS} for key in keys]
    rows = [[_cell(key, value, texts) for key, value in zip(keys, row, strict=True)] for row in table["rows"]]
    return {"columns": columns, "rows": rows}


def _crossed(table: Mapping[str, Any], crossing: Crossing, texts: Mapping[str, str]) -> dict[str, Any]:
    """One line for each value of one column, with a column for each value of another, in the order they come."""
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    heads = list(dict.fromkeys(row[crossing.across] for row in rows))
    if crossing.across == "group":  # a statement may come first that only later groups voted on
        heads.sort(key=lambda letter: (len(letter), letter))
    elif crossing.across == "other_seed":  # the first line has none of itself
        heads.sort()
    cells: dict[Any, dict[Any, str]] = {}
    for row in rows:
        cells.setdefault(row[crossing.down], {})[row[crossing.across]] = crossing.cell(row)
    columns = [{"label": LABELS[crossing.down], "numeric": False}]
    columns += [{"label": crossing.head % {"value": value}, "numeric": True} for value in heads]
    return {
        "columns": columns,
        "rows": [
            [_cell(crossing.down, value, texts), *(found.get(key, MISSING) for key in heads)]
            for value, found in cells.items()
        ],
    }


def _cell(key: str, value: Any, texts: Mapping[str, str]) -> Any:
    if key == "statement":
        return texts.get(value, value)
    if key == "group" and not value:
        return _("none")
    if isinstance(value, bool):
        return "✓" if value else ""
    if key == "threshold":
        return f"{value:.1f}"
    if isinstance(value, float):
        return f"{value:.3f}"
    return MISSING if value is None else value


def as_csv(table: Mapping[str, Any]) -> str:
    """The table with its keys, unrounded; what is undefined is empty, statements go by their code."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table["columns"])
    writer.writerows(table["rows"])
    return text.getvalue()
