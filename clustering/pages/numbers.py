"""Numbers for people, and tables of them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from clustering.models import Score
from clustering.showing.tables import MISSING


def number(value: float | None, digits: int = 3) -> str:
    """A number for people, or a dash where it is undefined."""
    return MISSING if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A share as a whole percentage, or a dash where it is undefined."""
    return MISSING if value is None else _("%(share)d %%") % {"share": round(100 * value)}


def interval(score: Score | None) -> str:
    """The interval of a score, or a dash."""
    return MISSING if score is None or score.low is None else f"{number(score.low)} to {number(score.high)}"


def table(columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    """A table of numbers with the names of its rows in the first column."""
    return {"columns": [{"label": name, "numeric": index > 0} for index, name in enumerate(columns)], "rows": rows}
