"""How groups vote on statements and rate answers."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from django.utils.translation import gettext as _

from clustering.figures.parts import Row, by_place, data, line_length, shaded, wrapped

WIDTH = 440


def agreement_heat_map(cells: Sequence[Row], groups: Sequence[str]) -> alt.LayerChart:
    """Share of a group's votes on a statement that agree: a number in a shaded cell, paler where few voted.

    Parameters
    ----------
    cells : rows with ``line`` (number and text of the statement), ``place`` (its row), ``group``, ``agree`` in [0, 1],
        ``n_agree``, ``n_disagree``, ``n_neutral``, ``n_votes`` and ``is_weak`` (too few votes to rely on); cells
        without a vote are left out
    groups : labels of the groups, largest first
    """
    head = alt.Axis(title=_("Group"), orient="top", labelAngle=0, ticks=False, domain=False)
    rows = alt.Axis(title=None, labelExpr=wrapped(2), labelLimit=420, ticks=False, domain=False)
    base = alt.Chart(data(cells)).encode(
        x=alt.X("group:N", sort=list(groups), scale=alt.Scale(domain=list(groups)), axis=head),
        y=alt.Y("line:N", sort=by_place(), axis=rows),
    )
    tooltip = [
        alt.Tooltip("line:N", title=_("Statement")),
        alt.Tooltip("group:N", title=_("Group")),
        alt.Tooltip("agree:Q", title=_("Agree"), format=".0%"),
        alt.Tooltip("n_agree:Q", title=_("agree")),
        alt.Tooltip("n_disagree:Q", title=_("disagree")),
        alt.Tooltip("n_neutral:Q", title=_("neutral")),
    ]
    paler = alt.condition("datum.is_weak", alt.value(0.45), alt.value(1.0))
    # White under a pale cell, so that its number can be read on a dark page too.
    ground = base.mark_rect(color="#fff")
    shades = base.mark_rect(stroke="var(--paper)").encode(
        color=shaded("agree", _("Share that agrees")), opacity=paler, tooltip=tooltip
    )
    # A pale cell is always light enough for a dark number.
    ink = alt.condition("datum.agree > 0.55 && !datum.is_weak", alt.value("#fff"), alt.value("#111"))
    numbers = (
        base.transform_calculate(shown="format(datum.agree * 100, '.0f') + (datum.is_weak ? '*' : '')")
        .mark_text(fontSize=12)
        .encode(text="shown:N", color=ink)
    )
    return alt.layer(ground, shades, numbers).add_params(line_length()).properties(width=WIDTH, height=alt.Step(34))


def rating_distributions(cells: Sequence[Row], sources: Sequence[str], groups: Sequence[str]) -> alt.LayerChart:
    """How each group rated each answer: the shares of 1 to 5 as one bar, with the mean and the number of ratings.

    Parameters
    ----------
    cells : rows with ``source``, ``group``, ``rating`` (1-5), ``share`` of the group's ratings, ``n`` of that rating,
        ``n_ratings`` of the group, ``mean``, ``start`` and ``end`` of the piece in [0, 1]
    sources, groups : names and labels in display order
    """
    base = alt.Chart(data(cells)).encode(
        y=alt.Y("source:N", sort=list(sources), title=None, axis=alt.Axis(labelExpr=wrapped(3), ticks=False)),
        yOffset=alt.YOffset("group:N", sort=list(groups), scale=alt.Scale(paddingOuter=0.25, paddingInner=0.15)),
    )
    # From pale to dark by a step that shows in grey print as well.
    steps = alt.Scale(domain=[1, 2, 3, 4, 5], range=["#e3ecf5", "#bcd3e8", "#86b1d7", "#3f7fba", "#0b3d70"])
    pieces = base.mark_bar(stroke="var(--paper)", strokeWidth=0.5).encode(
        x=alt.X("start:Q", title=_("Share of ratings"), axis=alt.Axis(format=".0%", grid=False)),
        x2="end:Q",
        color=alt.Color("rating:O", scale=steps, legend=alt.Legend(title=_("Rating"), orient="top", columns=3)),
        tooltip=[
            alt.Tooltip("source:N", title=_("Source")),
            alt.Tooltip("group:N", title=_("Group")),
            alt.Tooltip("rating:O", title=_("Rating")),
            alt.Tooltip("share:Q", title=_("Share"), format=".0%"),
            alt.Tooltip("n:Q", title=_("Ratings")),
        ],
    )
    # A narrow page has room for the letter alone; the table holds the rest.
    ends = (
        base.transform_filter("datum.rating == 5")
        .transform_calculate(
            shown="line_length < 20 ? datum.group"
            " : datum.group + ': ' + format(datum.mean, '.1f') + ' (n = ' + datum.n_ratings + ')'",
        )
        .mark_text(align="left", dx=6, fontSize=11, baseline="middle")
        .encode(x=alt.datum(1.0), text="shown:N")
    )
    return alt.layer(pieces, ends).add_params(line_length()).properties(width=WIDTH, height=alt.Step(15))
