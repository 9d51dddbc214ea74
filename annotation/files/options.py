"""What a person may say about a ratings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from annotation.stats.scales import Level

LONG, WIDE, COUNTS, TABLE = FORMATS = ("long", "wide", "counts", "table")
LEVELS: tuple[str, ...] = get_args(Level)


@dataclass(frozen=True, slots=True)
class RatingsOptions:
    """What is told rather than found out. Empty or None: find out, or there is none.

    Attributes
    ----------
    format : str or None
        One of `FORMATS`.
    labels : tuple of str
        All labels in their order, lowest first.
    cannot_judge, not_applicable : str or None
        The label that says so.
    missing : tuple of str
        Further texts that stand for no judgement, beside the empty cell.
    strata, unit : str or None
        Columns of items.
    level : str or None
        One of `LEVELS`.
    raters : tuple of str
        Only these.
    models : tuple of str
        Raters that are language models.
    matches : tuple of str
        Labels that count as a match in the strict summary.
    n : int or None
        How many items stand behind a table of shares.
    """

    format: str | None = None
    labels: tuple[str, ...] = ()
    cannot_judge: str | None = None
    not_applicable: str | None = None
    missing: tuple[str, ...] = ()
    strata: str | None = None
    unit: str | None = None
    level: str | None = None
    raters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    n: int | None = None
