"""How good the opinion groups are: what the search tried, and how stable its answer is."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
from django.utils.translation import gettext as _

from clustering.figures.parts import Row, data, on_shade, shaded

WIDTH, HEIGHT = 440, 280


def silhouette_grid(fits: Sequence[Row]) -> alt.LayerChart:
    """The silhouette of every fit by the number of its groups; equal fits are one larger mark, the chosen is ringed.

    Parameters
    ----------
    fits : rows with ``n_groups``, ``silhouette``, ``n_fits`` and ``is_chosen``
    """
    base = alt.Chart(data(fits)).encode(
        x=alt.X(
            "n_groups:Q",
            title=_("Number of groups"),
            axis=alt.Axis(format="d", tickMinStep=1, grid=False),
            scale=alt.Scale(zero=False, padding=16),
        ),
        y=alt.Y("silhouette:Q", title=_("Mean silhouette"), scale=alt.Scale(zero=False, padding=12)),
        tooltip=[
            alt.Tooltip("n_groups:Q", title=_("Groups")),
            alt.Tooltip("silhouette:Q", title=_("Silhouette"), format=".3f"),
            alt.Tooltip("n_fits:Q", title=_("Fits")),
        ],
    )
    most = max(row["n_fits"] for row in fits)
    size = alt.Size(
        "n_fits:Q",
        scale=alt.Scale(domain=[0, most], range=[12, 220]),
        legend=alt.Legend(title=_("Fits"), values=sorted({1, most}), format="d"),
    )
    marks = base.mark_point(filled=True, opacity=0.55).encode(size=size)
    chosen = base.transform_filter("datum.is_chosen")
    ring = chosen.mark_point(filled=False, size=420, style="chosen", opacity=1)
    word = chosen.mark_text(align="left", dx=16, fontSize=13, fontWeight="bold").encode(text=alt.value(_("chosen")))
    return alt.layer(marks, ring, word).properties(width=WIDTH, height=HEIGHT)


def co_membership(cells: Sequence[Row], groups: Sequence[str]) -> alt.LayerChart:
    """How often two people of two groups are put together when people are drawn anew, as a mean over the pairs.

    Parameters
    ----------
    cells : rows with ``group``, ``other`` (labels), ``share`` in [0, 1] or None, ``n_pairs``
    groups : labels of the groups, largest first
    """
    axis = alt.Axis(labelAngle=0, ticks=False, domain=False)
    base = (
        alt.Chart(data(cells))
        .transform_filter("isValid(datum.share)")
        .encode(
            x=alt.X("group:N", sort=list(groups), title=_("Group"), axis=axis),
            y=alt.Y("other:N", sort=list(groups), title=_("Group"), axis=axis),
        )
    )
    shades = base.mark_rect(stroke="var(--paper)").encode(
        color=shaded("share", _("Together")),
        tooltip=[
            alt.Tooltip("group:N", title=_("Group")),
            alt.Tooltip("other:N", title=_("Other group")),
            alt.Tooltip("share:Q", title=_("Together"), format=".0%"),
            alt.Tooltip("n_pairs:Q", title=_("Pairs")),
        ],
    )
    numbers = base.mark_text(fontSize=13).encode(text=alt.Text("share:Q", format=".0%"), color=on_shade("share"))
    side = max(160, min(360, 64 * len(groups)))
    return alt.layer(shades, numbers).properties(width=side, height=side)


def seed_agreement(cells: Sequence[Row]) -> alt.LayerChart:
    """Adjusted Rand index of the groups of every two seeds: 1 is the same grouping, 0 no more than chance.

    Parameters
    ----------
    cells : rows with ``seed``, ``other_seed`` and ``adjusted_rand`` (at most 1)
    """
    axis = alt.Axis(labelAngle=0, ticks=False, domain=False)
    base = alt.Chart(data(cells)).encode(
        x=alt.X("seed:O", title=_("Seed"), axis=axis), y=alt.Y("other_seed:O", title=_("Seed"), axis=axis)
    )
    shades = base.mark_rect(stroke="var(--paper)").encode(
        color=shaded("adjusted_rand", _("Adjusted Rand index"), share=False),
        tooltip=[
            alt.Tooltip("seed:O", title=_("Seed")),
            alt.Tooltip("other_seed:O", title=_("Other seed")),
            alt.Tooltip("adjusted_rand:Q", title=_("Adjusted Rand index"), format=".3f"),
        ],
    )
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("adjusted_rand:Q", format=".2f"), color=on_shade("adjusted_rand")
    )
    side = max(160, min(360, 44 * len({row["seed"] for row in cells})))
    return alt.layer(shades, numbers).properties(width=side, height=side)
