"""Draw a specification into a file. The worker alone does this; nothing is fetched from anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.html import escape

from clustering.theme import in_colours, theme_of_files

VEGA_LITE = "6.4"
"""The version of the vendored scripts, so that a file shows what the page shows."""
PIXELS = 2.0
"""Pixels of a PNG for one of the drawing: sharp in print at the width of a column."""
LINE_LENGTH = 44
_ID = re.compile(r'\bid="([^"]+)"')
_USE = re.compile(r'(url\(#|href="#)([^)"]+)')


def rendered(spec: dict[str, Any], form: str) -> bytes:
    """The drawing as SVG, PNG or PDF on white paper, in the font that the renderer brings.

    Raises
    ------
    ValueError
        If there is no such format, or the drawing is no drawing.
    """
    import vl_convert

    options: dict[str, Any] = {"vl_version": VEGA_LITE, "config": theme_of_files(), "allowed_base_urls": []}
    on_paper = in_colours(with_room(spec))
    if form == "svg":
        return counted_ids(str(vl_convert.vegalite_to_svg(on_paper, **options))).encode("utf-8")
    if form == "png":
        return bytes(vl_convert.vegalite_to_png(on_paper, scale=PIXELS, **options))
    if form == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(on_paper, **options))
    raise ValueError(f"no figure comes as {form!r}")


def with_room(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification with longer lines, since a file is as wide as it needs to be."""
    params = [
        {**param, "value": LINE_LENGTH} if param.get("name") == "line_length" else param
        for param in spec.get("params", [])
    ]
    return {**spec, "params": params} if params else spec


def counted_ids(svg: str) -> str:
    """The drawing with ids in the order of their appearance: the renderer goes on counting from drawing to drawing."""
    names = {name: f"i{place}" for place, name in enumerate(dict.fromkeys(_ID.findall(svg)), 1)}
    return _with_ids(svg, names)


def _with_ids(svg: str, names: Mapping[str, str]) -> str:
    named = _ID.sub(lambda found: f'id="{names[found.group(1)]}"', svg)
    return _USE.sub(lambda found: found.group(1) + names.get(found.group(2), found.group(2)), named)


def inline(svg: str, *, prefix: str, label: str) -> str:
    """The drawing to stand inside a page: ids of its own, named to a screen reader, no wider than the page."""
    own = _with_ids(svg, {name: f"{prefix}-{name}" for name in _ID.findall(svg)})
    return own.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)
