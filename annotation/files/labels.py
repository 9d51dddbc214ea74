"""Which labels a dimension has, in which order and on which level, and what looks like a slip."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation.files.options import RatingsOptions
from annotation.files.reading import CANNOT_JUDGE_TEXT, NOT_APPLICABLE_TEXT
from annotation.stats.scales import Level, Scale
from core.errors import shown

MOST_LABELS = 60
"""Labels of a scale: coefficients look at every pair of them."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NO_VALUE = frozenset({"nan", "na", "n/a", "#n/a", "<na>", "null"})
"""Texts that programs write where there is no value."""


def specials(options: RatingsOptions) -> dict[str, int]:
    """Which labels say that something cannot be judged or does not apply."""
    from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE

    return {
        options.cannot_judge or CANNOT_JUDGE_TEXT: CANNOT_JUDGE,
        options.not_applicable or NOT_APPLICABLE_TEXT: NOT_APPLICABLE,
    }


def scale_of(observed: Sequence[str], options: RatingsOptions) -> tuple[Scale, list[str]]:
    """The scale that labels form, and notes about it.

    Declared labels stand in their declared order. Without a declaration numbers stand by value and other labels have
    no order.

    Raises
    ------
    ValueError
        If the labels do not fit the level that was asked for; the message is for a person.
    """
    labels = list(options.labels) or sorted(observed)
    numbers = [float(label) for label in labels] if all(map(_NUMBER.fullmatch, labels)) and labels else None
    notes: list[str] = []
    if numbers is not None:
        if len(set(numbers)) < len(numbers):
            raise ValueError(_("Some labels are one number written in two ways, such as 1 and 1.0. Write them alike."))
        if not options.labels:
            labels = [label for _number, label in sorted(zip(numbers, labels, strict=True))]
            numbers.sort()
    if len(labels) > MOST_LABELS:
        message = _("There are %(n)d different labels; agreement on labels is computed for up to %(limit)d.")
        remedy = _("Join values into classes.")
        raise ValueError(f"{message % {'n': len(labels), 'limit': MOST_LABELS}} {remedy}")
    level = _level(labels, numbers, options, notes)
    values = tuple(numbers) if numbers is not None else None
    return Scale(tuple(labels), level, values), notes


def _level(labels: Sequence[str], numbers: list[float] | None, options: RatingsOptions, notes: list[str]) -> Level:
    if options.level is not None:
        if options.level in ("interval", "ratio") and numbers is None:
            raise ValueError(_("The level %(level)s needs labels that are numbers.") % {"level": options.level})
        if options.level == "ratio" and numbers is not None and min(numbers) < 0:
            raise ValueError(_("The level ratio needs numbers that are not negative."))
        level: Level = options.level  # type: ignore[assignment]  # one of LEVELS, which the command checks
        if level != "nominal" and numbers is None and not options.labels:
            raise ValueError(_("The order of these labels is not known. Give them in their order by --labels."))
        return level
    if numbers is not None and numbers == sorted(numbers):
        return "ratio" if min(numbers) >= 0 else "interval"
    if options.labels:
        return "ordinal"
    if len(labels) > 2:
        notes.append(_("Labels are taken as without order, since none was declared. Give their order by --labels."))
    return "nominal"


def slips(labels: Sequence[str]) -> list[str]:
    """Warnings of labels that differ only in case or blanks, which count as different labels."""
    by_form: dict[str, list[str]] = {}
    for label in labels:
        by_form.setdefault(" ".join(label.split()).casefold(), []).append(label)
    return [
        _("These count as different labels: %(labels)s.") % {"labels": ", ".join(map(shown, sorted(same)))}
        for same in by_form.values()
        if len(same) > 1
    ]
