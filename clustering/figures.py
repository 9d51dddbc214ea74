"""Figures of a run: plain rows in, an Altair chart out. Computed by the worker and stored as a specification.

No row holds a text or a name of a person: the pages show texts beside the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

WIDTH = 440
SIDE = 420
# Long names go on several lines and end after 75 characters. How many fit on a line, the page may say.
LINE = alt.param(name="line_length", value=26)
WRAPPED = (
    r"split(trim(replace(truncate(datum.label, 75), regexp('(.{1,' + line_length + '})(\\s+|$)', 'g'), '$1\n')), '\n')"
)
# Eight shapes beside eight colours, so that groups can be told apart in grey print and by colour-blind readers.
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]

Row = Mapping[str, Any]


def opinion_map(people: Sequence[Row], groups: Sequence[str]) -> alt.LayerChart:
    """Participants in two dimensions, coloured and shaped by group, the group's letter over its centre.

    Both axes have one scale, since it is the distance between people that means something.

    Parameters
    ----------
    people : rows with ``x``, ``y``, ``group`` (its label) and ``votes`` (number of votes cast)
    groups : labels of the groups, largest first
    """
    data = alt.Data(values=[dict(row) for row in people])
    many = len(groups) > len(SHAPES)
    x_domain, y_domain = _square([row["x"] for row in people], [row["y"] for row in people])
    axis = alt.Axis(grid=False, tickCount=5)
    x = alt.X("x:Q", title="First dimension of the votes", axis=axis, scale=alt.Scale(domain=x_domain, nice=False))
    y = alt.Y("y:Q", title="Second dimension of the votes", axis=axis, scale=alt.Scale(domain=y_domain, nice=False))
    colour = alt.Color(
        "group:N",
        sort=list(groups),
        scale=alt.Scale(domain=list(groups), scheme="tableau20") if many else alt.Scale(domain=list(groups)),
        legend=alt.Legend(title="Group", columns=2 if many else 1),
    )
    # An area in proportion to the votes: from zero, else one vote more would look like many. Smaller where many stand.
    most = max(row["votes"] for row in people)
    size = alt.Size(
        "votes:Q",
        scale=alt.Scale(domain=[0, most], range=[0, max(24.0, 140 * min(1.0, (150 / len(people)) ** 0.5))]),
        legend=alt.Legend(title="Votes cast", values=sorted({most, most // 2, most // 4} - {0}), format="d"),
    )
    points = (
        alt.Chart(data)
        .mark_point(filled=True, opacity=0.8, strokeWidth=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=alt.Shape("group:N", sort=list(groups), scale=alt.Scale(domain=list(groups), range=SHAPES)),
            size=size,
            tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("votes:Q", title="Votes cast")],
        )
    )
    centres = alt.Chart(data).transform_aggregate(x="mean(x)", y="mean(y)", groupby=["group"])
    letters = centres.encode(x=x, y=y, text="group:N")
    # A letter stands on an outline in the colour of the paper, narrow enough not to hide the marks under it.
    look = {"fontSize": 18, "fontWeight": "bold", "dy": -12}
    return alt.layer(points, letters.mark_text(**look, style="halo"), letters.mark_text(**look)).properties(
        width=SIDE, height=SIDE
    )


def _square(xs: Sequence[float], ys: Sequence[float]) -> tuple[list[float], list[float]]:
    """Domains of equal length for both axes, with a little room around everybody."""
    reach = max(max(xs) - min(xs), max(ys) - min(ys)) * 0.55 or 1.0
    middles = [(max(values) + min(values)) / 2 for values in (xs, ys)]
    x_domain, y_domain = ([middle - reach, middle + reach] for middle in middles)
    return x_domain, y_domain


def score_intervals(scores: Sequence[Row], sources: Sequence[str]) -> alt.LayerChart:
    """OvertonScores as marks on their intervals, weighted below unweighted, sources in the order given.

    Parameters
    ----------
    scores : rows with ``source``, ``variant`` (unweighted or weighted), ``value``, ``low``, ``high``
    sources : names in display order
    """
    variants = ["unweighted", "weighted"]
    legend = alt.Legend(title=None, orient="top", direction="vertical")  # one for colour and shape
    base = alt.Chart(alt.Data(values=[dict(row) for row in scores])).encode(
        y=alt.Y("source:N", sort=list(sources), title=None, axis=alt.Axis(labelExpr=WRAPPED, grid=True)),
        yOffset=alt.YOffset("variant:N", sort=variants, scale=alt.Scale(paddingOuter=0.4)),
        color=alt.Color("variant:N", sort=variants, scale=alt.Scale(domain=variants), legend=legend),
        tooltip=[
            alt.Tooltip("source:N", title="Source"),
            alt.Tooltip("variant:N", title="Variant"),
            alt.Tooltip("value:Q", title="OvertonScore", format=".3f"),
            alt.Tooltip("low:Q", title="from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    intervals = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    )
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title="OvertonScore", scale=scale),
        shape=alt.Shape(
            "variant:N", sort=variants, scale=alt.Scale(domain=variants, range=["circle", "diamond"]), legend=legend
        ),
    )
    return alt.layer(intervals, marks).add_params(LINE).properties(width=WIDTH, height=alt.Step(17))


def coverage_matrix(cells: Sequence[Row], questions: Sequence[str], sources: Sequence[str]) -> alt.LayerChart:
    """Coverage of each question by each source: a number in a shaded cell; undefined cells stay empty.

    Parameters
    ----------
    cells : rows with ``question``, ``source``, ``coverage`` in [0, 1] or None
    questions, sources : labels in display order
    """
    data = alt.Data(values=[dict(row) for row in cells])
    x = alt.X("source:N", sort=list(sources), title=None, axis=alt.Axis(labelAngle=-40, labelLimit=240))
    y = alt.Y("question:N", sort=list(questions), title=None, axis=alt.Axis(labelLimit=180))
    legend = alt.Legend(title="Coverage", format=".1f", orient="top")
    shade = alt.Color("coverage:Q", scale=alt.Scale(domain=[0, 1], scheme="blues"), legend=legend)
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
