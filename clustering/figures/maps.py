"""People and statements of a question in two dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
from django.utils.translation import gettext as _

from clustering.figures.parts import Row, colour_of_groups, data, shape_of_groups, square
from clustering.stats.hulls import convex_hull

SIDE = 420
MOST_LABELS = 12
"""Statements whose number stands at their arrow: the longest ones."""
LABEL_ROOM = 0.045
"""Height of a number as a share of the drawing."""


def opinion_map(people: Sequence[Row], groups: Sequence[str]) -> alt.LayerChart:
    """Participants in two dimensions, coloured and shaped by group, with the hull of each group and its letter.

    Both axes have one scale, since it is the distance between people that means something.

    Parameters
    ----------
    people : rows with ``x``, ``y``, ``group`` (its label, empty for people in no group) and ``votes`` (votes cast)
    groups : labels of the groups, largest first
    """
    grouped = [row for row in people if row["group"]]
    x_domain, y_domain = square([row["x"] for row in people], [row["y"] for row in people])
    x = _axis("x", _("First dimension"), x_domain)
    y = _axis("y", _("Second dimension"), y_domain)
    colour = colour_of_groups(groups)
    outlines = _outlines(grouped, groups)
    edges = alt.Chart(data(outlines)).encode(x=x, y=y, order="order:Q", detail="group:N", color=colour)
    hulls = [
        edges.mark_line(interpolate="linear-closed", filled=True, strokeWidth=0, fillOpacity=0.1),
        edges.mark_line(interpolate="linear-closed", strokeWidth=1.5, strokeOpacity=0.7),
    ]
    # An area in proportion to the votes: from zero, else one vote more would look like many. Smaller where many stand.
    most = max(row["votes"] for row in people)
    size = alt.Size(
        "votes:Q",
        scale=alt.Scale(domain=[0, most], range=[0, max(24.0, 140 * min(1.0, (150 / len(people)) ** 0.5))]),
        legend=alt.Legend(title=_("Votes cast"), values=sorted({most, most // 2, most // 4} - {0}), format="d"),
    )
    tooltip = [alt.Tooltip("group:N", title=_("Group")), alt.Tooltip("votes:Q", title=_("Votes cast"))]
    points = (
        alt.Chart(data(grouped))
        .mark_point(filled=True, opacity=0.8, strokeWidth=1)
        .encode(x=x, y=y, color=colour, shape=shape_of_groups(groups), size=size, tooltip=tooltip)
    )
    aside = (
        alt.Chart(data(row for row in people if not row["group"]))
        .mark_point(filled=False, style="aside", strokeWidth=1.2)
        .encode(x=x, y=y, size=size, tooltip=tooltip[1:])
    )
    centres = alt.Chart(data(grouped)).transform_aggregate(x="mean(x)", y="mean(y)", groupby=["group"])
    letters = centres.encode(x=x, y=y, text="group:N")
    # A letter stands on an outline in the colour of the paper, narrow enough not to hide the marks under it.
    look = {"fontSize": 18, "fontWeight": "bold", "dy": -12}
    layers = [points, letters.mark_text(**look, style="halo"), letters.mark_text(**look)]
    if len(grouped) < len(people):
        layers.insert(0, aside)
    if outlines:
        layers = [*hulls, *layers]
    return alt.layer(*layers).properties(width=SIDE, height=SIDE)


def statement_loadings(statements: Sequence[Row]) -> alt.LayerChart:
    """The direction in which agreeing with a statement moves somebody on the map, as arrows from the middle.

    Parameters
    ----------
    statements : rows with ``number`` (1 for the longest arrow), ``line`` (number and text), ``x`` and ``y``
    """
    reach = 1.15 * max(max(abs(row["x"]), abs(row["y"])) for row in statements) or 1.0
    domain, y_title = [-reach, reach], _("Second dimension")
    x = _axis("x", _("First dimension"), domain)
    y = _axis("y", y_title, domain)
    tooltip = [
        alt.Tooltip("line:N", title=_("Statement")),
        alt.Tooltip("x:Q", title=_("First dimension"), format=".2f"),
        alt.Tooltip("y:Q", title=_("Second dimension"), format=".2f"),
    ]
    base = alt.Chart(data(_apart(statements, 2 * reach * LABEL_ROOM)))
    long = alt.datum.number <= MOST_LABELS
    arrows = (
        base.transform_filter(long)
        .mark_rule(strokeWidth=1.5, opacity=0.7)
        .encode(x=x, y=y, x2=alt.datum(0), y2=alt.datum(0))
    )
    ends = base.mark_point(filled=True, size=36, opacity=0.8).encode(
        x=x, y=y, tooltip=tooltip, color=alt.condition(long, alt.value("var(--chart-2)"), alt.value("var(--muted)"))
    )
    # A number stands beyond the end of its arrow, on the side away from the middle.
    labels = base.transform_filter(long)
    right, left = labels.transform_filter("datum.x >= 0"), labels.transform_filter("datum.x < 0")
    look = {"fontSize": 13, "fontWeight": "bold", "baseline": "middle"}
    texts = [
        side.mark_text(**look, **options, **style).encode(x=x, y=_axis("label_y", y_title, domain), text="number:Q")
        for side, options in ((right, {"align": "left", "dx": 6}), (left, {"align": "right", "dx": -6}))
        for style in ({"style": "halo"}, {})
    ]
    return alt.layer(arrows, ends, *texts).properties(width=SIDE, height=SIDE)


def _axis(field: str, title: str, domain: list[float]) -> alt.X | alt.Y:
    kind = alt.X if field == "x" else alt.Y
    axis = alt.Axis(grid=False, tickCount=5)
    return kind(f"{field}:Q", title=title, axis=axis, scale=alt.Scale(domain=domain, nice=False))


def _apart(statements: Sequence[Row], room: float) -> list[dict[str, object]]:
    """The rows with a height for their number, at least `room` above the next one on the same side."""
    rows = [{**row, "label_y": row["y"]} for row in statements]
    for is_right in (True, False):
        side = [row for row in rows if row["number"] <= MOST_LABELS and (row["x"] >= 0) is is_right]
        above = math.inf
        for row in sorted(side, key=lambda row: -row["y"]):
            above = row["label_y"] = min(row["y"], above - room)
    return rows


def _outlines(people: Sequence[Row], groups: Sequence[str]) -> list[dict[str, object]]:
    """The corners of each group's hull; two people make a line, one makes none."""
    corners = []
    for group in groups:
        members = [(row["x"], row["y"]) for row in people if row["group"] == group]
        hull = convex_hull(members)
        if len(hull) > 1:
            corners += [{"group": group, "order": order, "x": x, "y": y} for order, (x, y) in enumerate(hull)]
    return corners
