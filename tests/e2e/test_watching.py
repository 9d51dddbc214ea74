"""The watch itself: what it must not miss."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.watching import Watch, axe_findings, sideways

pytestmark = pytest.mark.e2e


WRONG = {
    "policy: style-src-attr refused inline": "() => document.body.setAttribute('style', 'color: red')",
    "policy: script-src-attr refused inline": "() => document.body.setAttribute('onclick', 'alert(1)')",
    "policy: img-src refused http://127.0.0.1:9": "() => { new Image().src = 'http://127.0.0.1:9/x.png'; }",
    "left the host: http://127.0.0.1:9/y.png": "() => { new Image().src = 'http://127.0.0.1:9/y.png'; }",
    "script: a mistake": "() => { setTimeout(() => { throw new Error('a mistake'); }); }",
    "console: a complaint": "() => console.error('a complaint')",
    "console: Failed to load resource: the server responded with a status of 404": "() => fetch('/nothing/')",
}


def test_the_watch_tells_what_goes_wrong(window: Watch, tab: Page) -> None:
    tab.goto("/")
    assert window.found == []
    for told, act in WRONG.items():
        tab.evaluate(act)
        tab.wait_for_timeout(100)
        assert any(told in found for found in window.found), window.found
        window.found.clear()


def test_the_watch_lets_pass_what_was_announced(window: Watch, tab: Page) -> None:
    window.allowed.add(404)
    tab.goto("/nothing/")
    tab.wait_for_timeout(100)

    assert window.found == []


def test_axe_and_the_ruler_find_what_is_planted(tab: Page) -> None:
    tab.goto("/")
    assert (axe_findings(tab), sideways(tab)) == ([], 0)
    tab.evaluate("() => { document.querySelector('main').append(document.createElement('img')); }")
    tab.evaluate("() => { document.querySelector('main').style.width = '2000px'; }")

    assert axe_findings(tab)[0].startswith("image-alt")
    assert sideways(tab) > 100
