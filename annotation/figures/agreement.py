"""The figures of a report: entropy, labels by item, correlation by subset, agreement by stratum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.figures.svg import ACCENT, DASHES, INK, MUTED, SERIES, colours, dot, drawing, line, rectangle, text

Document = dict[str, Any]

WIDTH = 640
LEFT = 190
ROW = 22
MOST_ITEMS = 40
N_BINS = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its title, and the table of what it shows for who does not see it."""

    name: str
    title: str
    svg: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figures_of(dimension: Document) -> list[Figure]:
    """The figures that one dimension's part of a document allows."""
    found = (_strata(dimension), _entropy(dimension), _labels(dimension), _subsets(dimension))
    return [figure for figure in found if figure is not None]


# --- Agreement by stratum --------------------------------------------------------------------------------------------


def _strata(dimension: Document) -> Figure | None:
    """Fleiss' formula and AC1 of all raters, with intervals, for all items and each stratum."""
    lines = [
        (cell, estimate)
        for cell in dimension["cells"]
        if cell["policy"] == dimension["primary_policy"] and cell["raters"]["kind"] == "all"
        for estimate in cell["estimates"]
        if estimate["name"] in ("fleiss_kappa", "scott_pi", "fleiss_kappa_gwet_generalised", "gwet_ac1")
    ]
    if not any(estimate["value"] is not None for _cell, estimate in lines):
        return None
    title = _("Agreement by stratum, with intervals")
    height = 40 + ROW * len(lines) + 30
    scale = _Axis(-0.4, 1.0)
    parts = [scale.drawn(30, height - 30)]
    rows = []
    for place, (cell, estimate) in enumerate(lines):
        y = 45.0 + ROW * place
        stratum = _("all items") if cell["stratum"] is None else cell["stratum"] or _("no stratum")
        parts.append(text(LEFT - 8, y + 4, _cut(f"{stratum}: {_short(estimate['name'])}"), anchor="end"))
        interval = _interval(estimate)
        rows.append((stratum, estimate["name"], _shown(estimate["value"]), *map(_shown, interval)))
        if estimate["value"] is None:
            parts.append(text(LEFT + 4, y + 4, _("undefined"), fill=MUTED))
            continue
        colour = SERIES[0] if estimate["name"] != "gwet_ac1" else SERIES[1]
        if interval[0] is not None and interval[1] is not None:
            parts.append(line(scale.at(interval[0]), y, scale.at(interval[1]), y, stroke=colour, width=2))
        parts.append(dot(scale.at(estimate["value"]), y, colour, f"{stratum} {_shown(estimate['value'])}"))
    header = (_("Stratum"), _("Statistic"), _("Value"), _("Low"), _("High"))
    return Figure("strata", title, drawing(WIDTH, height, title, parts), header, tuple(rows))


def _short(name: str) -> str:
    return {"gwet_ac1": "AC1", "scott_pi": "π"}.get(name, "κ (Fleiss)")


def _interval(estimate: Document) -> tuple[float | None, float | None]:
    for key in ("analytic", "bootstrap"):
        if estimate[key] is not None and estimate[key]["low"] is not None:
            return estimate[key]["low"], estimate[key]["high"]
    return None, None


# --- Entropy ---------------------------------------------------------------------------------------------------------


def _entropy(dimension: Document) -> Figure | None:
    """How many items have how much entropy."""
    items = dimension["items"]
    values = [value for value in items["entropy"] if value is not None] if items else []
    if not values:
        return None
    greatest = max(*values, 1.0)
    counts = [0] * N_BINS
    for value in values:
        counts[min(N_BINS - 1, int(value / greatest * N_BINS))] += 1
    title = _("Entropy of labels by item")
    height, top, bottom = 240, 20, 200
    step = (WIDTH - 90) / N_BINS
    parts = [line(60, bottom, WIDTH - 30, bottom, stroke=INK)]
    for place, n in enumerate(counts):
        tall = (bottom - top) * n / max(counts)
        parts.append(rectangle(60 + step * place, bottom - tall, step - 2, tall, ACCENT, f"{n}"))
    parts += [
        text(60 + share * (WIDTH - 90), bottom + 18, _shown(share * greatest), anchor="middle")
        for share in (0.0, 0.5, 1.0)
    ]
    parts += [text(52, top + 8, max(counts), anchor="end"), text(60, height - 4, _("entropy"), fill=MUTED)]
    rows = tuple(
        (f"{_shown(greatest * place / N_BINS)} – {_shown(greatest * (place + 1) / N_BINS)}", str(n))  # noqa: RUF001
        for place, n in enumerate(counts)
    )
    return Figure("entropy", title, drawing(WIDTH, height, title, parts), (_("Entropy"), _("Items")), rows)


# --- Labels by item --------------------------------------------------------------------------------------------------


def _labels(dimension: Document) -> Figure | None:
    """Shares of labels of the items that raters disagree about most."""
    items = dimension["items"]
    if not items:
        return None
    known = [place for place, value in enumerate(items["entropy"]) if value is not None]
    chosen = sorted(known, key=lambda place: (-items["entropy"][place], items["items"][place]))[:MOST_ITEMS]
    if not chosen:
        return None
    title = _("Labels of the items with the highest entropy")
    labels, fills = items["labels"], colours(len(items["labels"]))
    parts = list(_legend(labels, fills))
    height = 50 + 16 * len(chosen)
    rows = []
    for number_, place in enumerate(chosen):
        y, x = 36.0 + 16 * number_, float(LEFT)
        counts = items["counts"][place]
        parts.append(text(LEFT - 8, y + 11, _cut(items["items"][place]), anchor="end", size=11))
        for label, n, fill in zip(labels, counts, fills, strict=True):
            width = (WIDTH - LEFT - 20) * n / sum(counts)
            parts.append(rectangle(x, y, width, 13, fill, f"{label}: {n}"))
            x += width
        rows.append((items["items"][place].replace("\x1f", " · "), *map(str, counts)))
    return Figure("labels", title, drawing(WIDTH, height, title, parts), (_("Item"), *labels), tuple(rows))


def _legend(labels: list[str], fills: list[str]) -> Iterator[str]:
    x = 10.0
    for label, fill in zip(labels, fills, strict=True):
        yield rectangle(x, 8, 12, 12, fill)
        yield text(x + 16, 18, _cut(label, 18), size=11)
        x += 30 + 6.5 * min(18, len(label))


# --- Correlation by subset -------------------------------------------------------------------------------------------


def _subsets(dimension: Document) -> Figure | None:
    """Mean correlation of each class of scorers with people, on all items and each subset."""
    classes = dimension["beside"]["classes"]
    if not any(each["value"] is not None for each in classes):
        return None
    families = list(dict.fromkeys(each["family"] for each in classes))
    subsets = list(dict.fromkeys(each["subset"] for each in classes))
    by_place = {(each["family"], each["subset"]): each["value"] for each in classes}
    title = _("Correlation of scores with people, by subset of items")
    height, top, bottom = 340, 40, 210
    step = (WIDTH - 90) / max(1, len(subsets) - 1)
    parts = [line(60, y, WIDTH - 30, y) for y in (top, (top + bottom) / 2, bottom)]
    parts += [
        text(52, y + 4, label, anchor="end") for y, label in ((top, "1"), ((top + bottom) / 2, "0"), (bottom, "-1"))
    ]
    for place, subset in enumerate(subsets):
        x = 60 + step * place
        parts.append(
            f'<g transform="translate({x:.1f} {bottom + 12}) rotate(60)">{text(0, 0, _cut(subset, 24), size=11)}</g>'
        )
    for number_, family in enumerate(families):
        colour, dash = SERIES[number_ % len(SERIES)], DASHES[number_ % len(DASHES)]
        parts.append(text(60 + 140 * number_, 20, family, fill=colour))
        before = None
        for place, subset in enumerate(subsets):
            value = by_place[family, subset]
            here = None if value is None else (60 + step * place, (top + bottom) / 2 - value * (bottom - top) / 2)
            if here and before:
                parts.append(line(*before, *here, stroke=colour, width=2, dash=dash))
            if here:
                parts.append(dot(*here, colour, f"{family}, {subset}: {_shown(value)}"))
            before = here
    rows = tuple((subset, *(_shown(by_place[family, subset]) for family in families)) for subset in subsets)
    return Figure("subsets", title, drawing(WIDTH, height, title, parts), (_("Subset"), *families), rows)


class _Axis:
    """An axis from left to right."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def at(self, value: float) -> float:
        """The place of a value, at the end for one outside."""
        share = (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - 20)

    def drawn(self, top: float, bottom: float) -> str:
        """Lines and numbers."""
        parts = []
        for tenth in range(-4, 11, 2):
            x = self.at(tenth / 10)
            parts.append(line(x, top, x, bottom, stroke=INK if tenth == 0 else "#ccd4db"))
            parts.append(text(x, bottom + 16, f"{tenth / 10:.1f}", anchor="middle", fill=MUTED))
        return "".join(parts)


def _cut(words: str, most: int = 28) -> str:
    flat = words.replace("\x1f", " · ")
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
