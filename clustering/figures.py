"""Figures of a run: plain rows in, an Altair chart out. Computed by the worker and stored as a specification.

No row holds a text or a name of a person: the pages show texts beside the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

WIDTH = 560
# Eight shapes beside eight colours, so that groups can be told apart in grey print and by colour-blind readers.
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]

Row = Mapping[str, Any]


def opinion_map(people: Sequence[Row], groups: Sequence[str]) -> alt.LayerChart:
    """Participants in two dimensions, coloured and shaped by group, the group's letter at its centre.

    Parameters
    ----------
    people : rows with ``x``, ``y``, ``group`` (its label) and ``votes`` (number of votes cast)
    groups : labels of the groups, largest first
    """
    data = alt.Data(values=[dict(row) for row in people])
    many = len(groups) > len(SHAPES)
    x = alt.X("x:Q", title="First dimension of the votes", axis=alt.Axis(grid=False, tickCount=5))
    y = alt.Y("y:Q", title="Second dimension of the votes", axis=alt.Axis(grid=False, tickCount=5))
    colour = alt.Color(
        "group:N",
        sort=list(groups),
        scale=alt.Scale(domain=list(groups), scheme="tableau20") if many else alt.Scale(domain=list(groups)),
        legend=alt.Legend(title="Group", columns=2 if many else 1),
    )
    points = (
        alt.Chart(data)
        .mark_point(filled=True, opacity=0.75, strokeWidth=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=alt.Shape("group:N", sort=list(groups), scale=alt.Scale(domain=list(groups), range=SHAPES)),
            size=alt.Size("votes:Q", scale=alt.Scale(range=[40, 160], zero=False), legend=None),
            tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("votes:Q", title="Votes cast")],
        )
    )
    letters = (
        alt.Chart(data)
        .transform_aggregate(x="mean(x)", y="mean(y)", groupby=["group"])
        .mark_text(fontSize=20, fontWeight="bold")
        .encode(x=x, y=y, text="group:N")
    )
    return alt.layer(points, letters).properties(width=WIDTH, height=420)


def score_bars(scores: Sequence[Row], sources: Sequence[str]) -> alt.LayerChart:
    """OvertonScores with intervals, weighted beside unweighted, sources in the order given.

    Parameters
    ----------
    scores : rows with ``source``, ``variant`` (unweighted or weighted), ``value``, ``low``, ``high``
    sources : names in display order
    """
    data = alt.Data(values=[dict(row) for row in scores])
    height = alt.Step(15)
    y = alt.Y("source:N", sort=list(sources), title=None, axis=alt.Axis(labelLimit=240))
    offset = alt.YOffset("variant:N", sort=["unweighted", "weighted"])
    colour = alt.Color("variant:N", sort=["unweighted", "weighted"], legend=alt.Legend(title=None, orient="top"))
    scale = alt.Scale(domain=[0, 1])
    tooltip = [
        alt.Tooltip("source:N", title="Source"),
        alt.Tooltip("variant:N", title="Variant"),
        alt.Tooltip("value:Q", title="OvertonScore", format=".3f"),
        alt.Tooltip("low:Q", title="from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
    ]
    bars = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="OvertonScore (share of groups represented)", scale=scale),
            y=y,
            yOffset=offset,
            color=colour,
            tooltip=tooltip,
        )
    )
    whiskers = (
        alt.Chart(data)
        .transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5)
        .encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, yOffset=offset)
    )
    return alt.layer(bars, whiskers).properties(width=WIDTH - 180, height=height)


def coverage_matrix(cells: Sequence[Row], questions: Sequence[str], sources: Sequence[str]) -> alt.LayerChart:
    """Coverage of each question by each source: a number in a shaded cell; undefined cells stay empty.

    Parameters
    ----------
    cells : rows with ``question``, ``source``, ``coverage`` in [0, 1] or None
    questions, sources : labels in display order
    """
    data = alt.Data(values=[dict(row) for row in cells])
    x = alt.X("source:N", sort=list(sources), title=None, axis=alt.Axis(labelAngle=-40, labelLimit=180))
    y = alt.Y("question:N", sort=list(questions), title=None, axis=alt.Axis(labelLimit=180))
    shade = alt.Color(
        "coverage:Q", scale=alt.Scale(domain=[0, 1], scheme="blues"), legend=alt.Legend(title="Coverage", format=".1f")
    )
    cells_shaded = (
        alt.Chart(data)
        .transform_filter("isValid(datum.coverage)")
        .mark_rect()
        .encode(x=x, y=y, color=shade, tooltip=["question:N", "source:N", alt.Tooltip("coverage:Q", format=".2f")])
    )
    numbers = (
        alt.Chart(data)
        .transform_filter("isValid(datum.coverage)")
        .mark_text(fontSize=11)
        .encode(
            x=x,
            y=y,
            text=alt.Text("coverage:Q", format=".2f"),
            color=alt.condition("datum.coverage > 0.55", alt.value("white"), alt.value("#111")),
        )
    )
    return alt.layer(cells_shaded, numbers).properties(width=alt.Step(46), height=alt.Step(30))


def specification(chart: alt.LayerChart) -> dict[str, Any]:
    """The chart as Vega-Lite JSON, deterministic for equal input."""
    spec: dict[str, Any] = chart.to_dict()
    # The page's own theme decides about colours and fonts; Altair's default theme would fix the size as well.
    spec.pop("config", None)
    return spec
