"""Rubrics as pages show them: Markdown without HTML and pictures of its own, headings below those of the page."""

from __future__ import annotations

from functools import lru_cache

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

KEPT = 64
"""How many rendered rubrics a process keeps in memory."""

# HTML in the source is shown as text; addresses such as javascript: are refused by the parser.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])
DEEPEST = 6


@lru_cache(maxsize=KEPT)
def rendered(text: str) -> SafeString:
    """HTML of the Markdown `text`, with its headings one level down."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(DEEPEST, int(token.tag[1:]) + 1)}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "noopener noreferrer nofollow")
    return SafeString(_PARSER.renderer.render(tokens, _PARSER.options, {}))
