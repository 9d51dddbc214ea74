"""OvertonScores, coverage, and how they move with the threshold."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from django.utils.translation import gettext as _

from clustering.figures.parts import SHAPES, Row, data, line_length, on_shade, shaded, unweighted, weighted, wrapped

WIDTH = 440


def score_intervals(scores: Sequence[Row], sources: Sequence[str]) -> alt.LayerChart:
    """OvertonScores as marks on their intervals, weighted below unweighted, sources in the order given.

    Parameters
    ----------
    scores : rows with ``source``, ``variant`` (the words of unweighted or weighted), ``value``, ``low``, ``high``
    sources : names in display order
    """
    variants = [unweighted(), weighted()]
    legend = alt.Legend(title=None, orient="top", direction="vertical")  # one for colour and shape
    base = alt.Chart(data(scores)).encode(
        y=alt.Y("source:N", sort=list(sources), title=None, axis=alt.Axis(labelExpr=wrapped(3), grid=True)),
        yOffset=alt.YOffset("variant:N", sort=variants, scale=alt.Scale(paddingOuter=0.4)),
        color=alt.Color("variant:N", sort=variants, scale=alt.Scale(domain=variants), legend=legend),
        tooltip=[
            alt.Tooltip("source:N", title=_("Source")),
            alt.Tooltip("variant:N", title=_("Variant")),
            alt.Tooltip("value:Q", title=_("OvertonScore"), format=".3f"),
            alt.Tooltip("low:Q", title=_("from"), format=".3f"),
            alt.Tooltip("high:Q", title=_("to"), format=".3f"),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    intervals = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    )
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", title=_("OvertonScore"), scale=scale),
        shape=alt.Shape(
            "variant:N", sort=variants, scale=alt.Scale(domain=variants, range=["circle", "diamond"]), legend=legend
        ),
    )
    return alt.layer(intervals, marks).add_params(line_length()).properties(width=WIDTH, height=alt.Step(17))


def coverage_matrix(cells: Sequence[Row], questions: Sequence[str], sources: Sequence[str]) -> alt.LayerChart:
    """Coverage of each question by each source: a number in a shaded cell; undefined cells stay empty.

    Parameters
    ----------
    cells : rows with ``question``, ``source``, ``coverage`` in [0, 1] or None, ``n_groups``
    questions, sources : labels in display order
    """
    base = (
        alt.Chart(data(cells))
        .transform_filter("isValid(datum.coverage)")
        .encode(
            x=alt.X("source:N", sort=list(sources), title=None, axis=alt.Axis(labelAngle=-40, labelLimit=240)),
            y=alt.Y("question:N", sort=list(questions), title=None, axis=alt.Axis(labelLimit=180)),
        )
    )
    shades = base.mark_rect(stroke="var(--paper)").encode(
        color=shaded("coverage", _("Coverage"), share=False),
        tooltip=[
            alt.Tooltip("question:N", title=_("Question")),
            alt.Tooltip("source:N", title=_("Source")),
            alt.Tooltip("coverage:Q", title=_("Coverage"), format=".2f"),
            alt.Tooltip("n_groups:Q", title=_("Groups")),
        ],
    )
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text("coverage:Q", format=".2f"), color=on_shade("coverage"))
    return alt.layer(shades, numbers).properties(width=alt.Step(46), height=alt.Step(30))


def threshold_sensitivity(scores: Sequence[Row], sources: Sequence[str], threshold: float) -> alt.LayerChart:
    """The OvertonScore of each source by the threshold from which an answer represents somebody.

    Parameters
    ----------
    scores : rows with ``threshold``, ``source``, ``value``
    sources : names in display order
    threshold : the one that the scores are reported at
    """
    many = len(sources) > len(SHAPES)
    scale = alt.Scale(domain=list(sources), scheme="tableau20") if many else alt.Scale(domain=list(sources))
    legend = alt.Legend(title=None, columns=1, symbolStrokeWidth=2)
    base = alt.Chart(data(scores)).encode(
        x=alt.X(
            "threshold:Q",
            title=_("Threshold"),
            scale=alt.Scale(zero=False, nice=False),
            axis=alt.Axis(values=sorted({row["threshold"] for row in scores}), format=".1f", grid=False),
        ),
        y=alt.Y("value:Q", title=_("OvertonScore"), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("source:N", sort=list(sources), scale=scale, legend=legend),
        tooltip=[
            alt.Tooltip("source:N", title=_("Source")),
            alt.Tooltip("threshold:Q", title=_("Threshold"), format=".1f"),
            alt.Tooltip("value:Q", title=_("OvertonScore"), format=".3f"),
        ],
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=alt.Shape(
            "source:N", sort=list(sources), scale=alt.Scale(domain=list(sources), range=SHAPES), legend=legend
        )
    )
    here = alt.Chart(data([{"threshold": threshold}])).mark_rule(strokeDash=[4, 4]).encode(x="threshold:Q")
    return alt.layer(here, base.mark_line(strokeWidth=1.5), marks).properties(width=WIDTH, height=320)
