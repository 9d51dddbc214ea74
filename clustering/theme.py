"""How figures look: one configuration for the browser, where colours are the style sheet's, and for files.

In a browser every colour is a custom property of the style sheet, so a figure follows light, dark and print without
being drawn again. In a file the same properties stand at their light values, read from the style sheet itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from django.conf import settings

N_COLOURS = 8
FILE_FONT = "Liberation Sans"
"""Comes with the renderer, so that a figure has letters on a machine without fonts."""

_ROOT = re.compile(r":root\s*\{(.*?)\}", re.DOTALL)
_PROPERTY = re.compile(r"--([\w-]+):\s*([^;]+);")
_VARIABLE = re.compile(r"var\(--([\w-]+)\)")


def theme() -> dict[str, Any]:
    """The configuration for a browser; the page adds its own font, whose widths it measures."""
    small = {"labelColor": "var(--muted)", "labelFontSize": 12}
    words = {**small, "titleColor": "var(--ink)", "titleFontSize": 13, "titleFontWeight": 600}
    lines = {
        "domainColor": "var(--edge)",
        "tickColor": "var(--edge)",
        "gridColor": "var(--line)",
        "gridOpacity": 0.6,
    }
    return {
        "background": "transparent",
        "axis": {**words, **lines, "labelLimit": 320, "titlePadding": 8},
        "axisQuantitative": {"tickCount": 6},
        "legend": {**words, "labelLimit": 240, "symbolSize": 80, "symbolBaseFillColor": "var(--muted)"},
        "header": words,
        "title": {"color": "var(--ink)", "subtitleColor": "var(--muted)"},
        "text": {"color": "var(--ink)"},
        "rule": {"color": "var(--edge)"},
        "view": {"stroke": "var(--line)"},
        "mark": {"color": "var(--chart-1)"},
        "style": {
            "halo": {"stroke": "var(--paper)", "strokeWidth": 3},
            "aside": {"color": "var(--muted)"},
            "chosen": {"stroke": "var(--ink)", "strokeWidth": 2},
        },
        "range": {
            "category": [f"var(--chart-{number})" for number in range(1, N_COLOURS + 1)],
            "ramp": {"scheme": "blues"},
            "heatmap": {"scheme": "blues"},
        },
    }


def theme_of_files() -> dict[str, Any]:
    """The same configuration with colours instead of properties, on white, in the font that the renderer brings."""
    in_colour: dict[str, Any] = in_colours(theme())
    for part in ("axis", "legend", "header"):
        in_colour[part] |= {"labelFont": FILE_FONT, "titleFont": FILE_FONT}
    in_colour["title"] |= {"font": FILE_FONT, "subtitleFont": FILE_FONT}
    in_colour["text"] |= {"font": FILE_FONT}
    return in_colour | {"font": FILE_FONT, "background": "#ffffff", "padding": 8}


@lru_cache(maxsize=1)
def light_colours() -> dict[str, str]:
    """The style sheet's properties as they stand on a light page.

    Raises
    ------
    ValueError
        If the style sheet declares none.
    """
    sheet = (settings.BASE_DIR / "static" / "app.css").read_text(encoding="utf-8")
    root = _ROOT.search(sheet)
    if root is None:
        raise ValueError("the style sheet declares no custom properties on :root")
    return {name: value.strip() for name, value in _PROPERTY.findall(root.group(1))}


def in_colours(value: Any) -> Any:
    """A specification or configuration with light colours where it names properties of the style sheet."""
    if isinstance(value, dict):
        return {key: in_colours(item) for key, item in value.items()}
    if isinstance(value, list):
        return [in_colours(item) for item in value]
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: light_colours()[match.group(1)], value)
    return value
