"""A few shapes of SVG, as text. Colours are attributes, so that no style sheet and no inline style is needed."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.html import escape

INK, MUTED, LINE, ACCENT, PAPER = "#17212b", "#4f5d6a", "#ccd4db", "#17588c", "#ffffff"
#: From one end of an ordered scale to the other; told apart in grey print as well.
RAMP = ("#0b3c5d", "#2f7ca8", "#8fbcd4", "#d9d9d9", "#f0b27a", "#cf6a32", "#8a2f0b")
SERIES = ("#17588c", "#b3541e", "#3f7d3a", "#7a3f8a", "#6b6b00", "#a0304f")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4")


def number(value: float) -> str:
    """A coordinate: at most two decimals, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def text(x: float, y: float, words: object, *, anchor: str = "start", size: int = 12, fill: str = INK) -> str:
    """A line of text."""
    place = f'x="{number(x)}" y="{number(y)}"'
    return f'<text {place} font-size="{size}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'


def rectangle(x: float, y: float, width: float, height: float, fill: str, title: object = "") -> str:
    """A filled rectangle, with what a pointer or a screen reader learns of it."""
    inside = f"<title>{escape(title)}</title>" if title else ""
    box = f'x="{number(x)}" y="{number(y)}" width="{number(max(0.0, width))}" height="{number(max(0.0, height))}"'
    return f'<rect {box} fill="{fill}">{inside}</rect>'


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = LINE, width: float = 1, dash: str = "") -> str:
    """A straight line."""
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line {ends} stroke="{stroke}" stroke-width="{number(width)}"{dashed}/>'


def dot(x: float, y: float, fill: str, title: object = "") -> str:
    """A point."""
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="4" fill="{fill}">{inside}</circle>'


def drawing(width: int, height: int, label: object, parts: Iterable[str]) -> str:
    """The whole drawing, named to screen readers; the font is the page's."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}" font-family="inherit">'
    )
    paper = rectangle(0, 0, width, height, PAPER)
    return f"{head}{paper}{''.join(parts)}</svg>"


def colours(n: int) -> list[str]:
    """Colours of `n` labels in order."""
    if n <= 1:
        return [RAMP[0]] * n
    return [RAMP[round(place * (len(RAMP) - 1) / (n - 1))] for place in range(n)]
