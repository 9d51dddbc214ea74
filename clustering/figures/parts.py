"""What figures share: rows as data, scales of groups, words that wrap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

Row = Mapping[str, Any]

# Eight shapes beside eight colours, so that groups can be told apart in grey print and by colour-blind readers.
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
# Long names go on several lines and end after `lines` of them. How many letters fit on a line, the page may say.
LINE_LENGTH = 26
# A number on a cell is dark on a light cell and light on a dark one; the ramp is the same on a dark page.
ON_LIGHT, ON_DARK = "#111", "#fff"
LIGHT_UNTIL = 0.55


def data(rows: Iterable[Row]) -> alt.Data:
    """Rows inside the specification, so that a figure is whole without another file."""
    return alt.Data(values=[dict(row) for row in rows])


def line_length() -> alt.VariableParameter:
    """The parameter that a page sets to the letters it has room for."""
    return alt.param(name="line_length", value=LINE_LENGTH)


def wrapped(lines: int) -> str:
    """Expression that breaks a label into lines, at most `lines` of them."""
    # Words do not fill a line to its end: without some room the last one would not fit.
    cut = f"truncate(datum.label, line_length * {lines} - 4 * {lines - 1})"
    broken = rf"split(trim(replace({cut}, regexp('(.{{1,' + line_length + '}})(\\s+|$)', 'g'), '$1\n')), '\n')"
    return f"slice({broken}, 0, {lines})"


def colour_of_groups(groups: Sequence[str], *, legend: bool = True) -> alt.Color:
    """The colour of a group; more groups than the palette has colours take a longer one."""
    many = len(groups) > len(SHAPES)
    scale = alt.Scale(domain=list(groups), scheme="tableau20") if many else alt.Scale(domain=list(groups))
    title = alt.Legend(title=_("Group"), columns=2 if many else 1) if legend else None
    return alt.Color("group:N", sort=list(groups), scale=scale, legend=title)


def shape_of_groups(groups: Sequence[str]) -> alt.Shape:
    """The shape of a group, for those who do not see its colour."""
    return alt.Shape("group:N", sort=list(groups), scale=alt.Scale(domain=list(groups), range=SHAPES))


def shaded(field: str, title: str, *, share: bool = True) -> alt.Color:
    """The shade of a cell, from nothing to everything; the number stands on it for grey print."""
    legend = alt.Legend(title=title, format=".0%" if share else ".1f", orient="top", gradientLength=160)
    return alt.Color(f"{field}:Q", scale=alt.Scale(domain=[0, 1], scheme="blues"), legend=legend)


def on_shade(field: str) -> Any:
    """The colour of a number on a shaded cell."""
    return alt.condition(f"datum.{field} > {LIGHT_UNTIL}", alt.value(ON_DARK), alt.value(ON_LIGHT))


def by_place(field: str = "place") -> alt.EncodingSortField:
    """The order in which rows were given."""
    return alt.EncodingSortField(field=field, op="min", order="ascending")


def square(xs: Sequence[float], ys: Sequence[float]) -> tuple[list[float], list[float]]:
    """Domains of equal length for both axes, with a little room around everybody."""
    reach = max(max(xs) - min(xs), max(ys) - min(ys)) * 0.55 or 1.0
    middles = [(max(values) + min(values)) / 2 for values in (xs, ys)]
    x_domain, y_domain = ([middle - reach, middle + reach] for middle in middles)
    return x_domain, y_domain


def unweighted() -> str:
    """What the variant is called in which every group counts alike."""
    return _("unweighted")


def weighted() -> str:
    """What the variant is called in which a group counts by its size."""
    return _("weighted")


def specification(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """The chart as Vega-Lite JSON, deterministic for equal input."""
    spec: dict[str, Any] = chart.to_dict()
    # The theme of the page or of the file decides about colours and fonts; Altair's would fix the size as well.
    spec.pop("config", None)
    return spec
