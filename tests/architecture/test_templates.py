"""Every template parses, and holds nothing that the strict policy would block or that escapes nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import engines

FOLDER = Path(__file__).resolve().parents[2] / "templates"
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html"))
COMMENT = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}", re.DOTALL)
FORBIDDEN = {
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE | re.DOTALL),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "an inline script": re.compile(r"<script\b(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")", re.IGNORECASE),
    "an event handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE | re.DOTALL),
    "an htmx handler, which needs eval": re.compile(r"\shx-on[:-]|js:|hx-vars", re.IGNORECASE),
    "a javascript address": re.compile(r"javascript:", re.IGNORECASE),
    "unescaped text": re.compile(r"\|\s*safe\b|\|\s*safeseq\b|autoescape\s+off"),
    "a request to a third party": re.compile(
        r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=\"(?:https?:)?//", re.IGNORECASE
    ),
}


def content(name: str) -> str:
    return COMMENT.sub("", (FOLDER / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_every_template_parses(name: str) -> None:
    assert engines["django"].get_template(name)


@pytest.mark.parametrize("what", FORBIDDEN)
@pytest.mark.parametrize("name", NAMES)
def test_no_template_holds(name: str, what: str) -> None:
    assert not FORBIDDEN[what].search(content(name))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('<p style="color: red">', "a style attribute"),
        ("<style>", "a style element"),
        ("<script>", "an inline script"),
        ('<script type="module">', "an inline script"),
        ('<a href="#" onclick="x()">', "an event handler"),
        ('<button hx-on:click="x()">', "an htmx handler, which needs eval"),
        ("{{ text|safe }}", "unescaped text"),
        ('<script src="https://elsewhere.example/x.js">', "a request to a third party"),
    ],
)
def test_what_is_forbidden_is_found(text: str, what: str) -> None:
    assert FORBIDDEN[what].search(text)


@pytest.mark.parametrize("text", ['<script src="/x.js" defer></script>', '<p class="style">on = 1</p>', "<option>"])
def test_what_is_harmless_is_not(text: str) -> None:
    assert not [what for what, pattern in FORBIDDEN.items() if pattern.search(text)]


def test_every_answer_to_an_error_has_a_page() -> None:
    assert {"400.html", "403.html", "403_csrf.html", "404.html", "409.html", "500.html"} <= set(NAMES)
