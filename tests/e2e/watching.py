"""Browsers that report what a person would not see: errors of scripts, broken policies, requests to other hosts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

AXE = (Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.effectiveDirective} refused ${event.blockedURI} ${event.sample}`);
});
"""
# The browser's own line for an answer that says no, which our pages give on purpose; and that of htmx.
REFUSED = re.compile(
    r"(?:Failed to load resource: the server responded with a status of|Response Status Error Code) (\d+) .*"
)
# What the browser and htmx say of themselves while there is no network.
OUTAGE = re.compile(
    r"Failed to load resource: net::ERR_(INTERNET_DISCONNECTED|CONNECTION_RESET)|htmx:(sendError|afterRequest)"
)


@dataclass
class Watch:
    """What went wrong in one browser. `allowed` are the statuses of answers that may say no."""

    context: BrowserContext
    host: str
    allowed: set[int] = field(default_factory=lambda: {409, 422})
    found: list[str] = field(default_factory=list)
    expects_outage: bool = False
    under_way: int = 0

    def __post_init__(self) -> None:
        self.context.add_init_script(REPORT_VIOLATIONS)
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.found.append(f"script: {error.error}"))
        self.context.on("request", self._request)
        for ended in ("requestfinished", "requestfailed"):
            self.context.on(ended, self._ended)  # type: ignore[call-overload]

    def _console(self, message: ConsoleMessage) -> None:
        refused = REFUSED.fullmatch(message.text)
        if message.type != "error" and "Content Security Policy" not in message.text:
            return
        if refused and int(refused[1]) in self.allowed:
            return
        if self.expects_outage and OUTAGE.match(message.text):
            return
        self.found.append(f"console: {message.text}")

    def _ended(self, _request: Request) -> None:
        self.under_way -= 1

    def _request(self, request: Request) -> None:
        self.under_way += 1
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != self.host:
            self.found.append(f"left the host: {request.url}")

    def close(self) -> list[str]:
        """Close the window when nothing is under way any more; what was found until then.

        Pages that are closed send their drafts, which must not reach the server after the test.
        """
        for page in self.context.pages:
            for _look in range(20):
                if not self.under_way:
                    break
                page.wait_for_timeout(100)
        found = list(self.found)
        self.context.set_offline(True)
        self.context.close()
        return found


def axe_findings(tab: Page, scope: str = "html") -> list[str]:
    """What axe-core says against the page, or the part `scope` of it, by the rules of WCAG 2.2 AA."""
    if not tab.evaluate("() => 'axe' in window"):
        tab.evaluate(AXE)  # by the debugger, so the page's policy does not stand in the way
    result: dict[str, Any] = tab.evaluate(
        "([scope, rules]) => axe.run(scope, { runOnly: rules, resultTypes: ['violations'] })", [scope, RULES]
    )
    return [
        f"{found['id']} at {node['target']}: {node['failureSummary']}"
        for found in result["violations"]
        for node in found["nodes"]
    ]


def sideways(tab: Page) -> int:
    """How many pixels of the page are beyond its width."""
    script = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(tab.evaluate(script))
