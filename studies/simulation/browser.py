"""One person's browser without JavaScript: a connection that is kept, cookies, redirects, and the patience to retry.

Written on `http.client`, because a general client costs more per request than the pages it would fetch.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode, urljoin, urlsplit

REDIRECTS = 5
"""How many redirects one request may lead through; more is a loop."""
PAUSE_S = 0.1
# A repeat of a post is answered like the first, so a lost connection may simply be tried again.
_LOST = (ConnectionError, TimeoutError, http.client.HTTPException)

Fields = Sequence[tuple[str, str]]


class Unreachable(Exception):
    """The server did not answer within the browser's patience."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer after all redirects."""

    status: int
    address: str
    text: str


@dataclass(slots=True)
class Cookies:
    """Cookies by name, with the path they belong to."""

    kept: dict[str, tuple[str, str]] = field(default_factory=dict)

    def take(self, header: str) -> None:
        """Keep, replace or drop the cookie of one `Set-Cookie` header."""
        pair, *attributes = (part.strip() for part in header.split(";"))
        name, _, value = pair.partition("=")
        said = dict(_attribute(each) for each in attributes)
        if said.get("max-age") == "0":
            self.kept.pop(name, None)
        else:
            self.kept[name] = (value.strip('"'), said.get("path") or "/")

    def header(self, path: str) -> str:
        """The `Cookie` header of a request for `path`; empty if no cookie belongs to it."""
        return "; ".join(f"{name}={value}" for name, (value, root) in self.kept.items() if path.startswith(root))

    def value(self, name: str) -> str:
        """The value of the cookie, empty if there is none."""
        return self.kept.get(name, ("", ""))[0]


class Browser:
    """Gets and posts as one person's browser does.

    Parameters
    ----------
    base_url
        Where the platform is; other hosts are not visited.
    patience_s
        How long a server that does not answer is tried again before :class:`Unreachable` is raised.
    htmx
        Ask for fragments, as a browser with JavaScript does.
    """

    def __init__(self, base_url: str, *, patience_s: float = 30.0, htmx: bool = False) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{base_url!r} is not the address of a server: write http://host:port")
        self.base_url = base_url.rstrip("/")
        self.patience_s = patience_s
        self.htmx = htmx
        self.cookies = Cookies()
        self.n_requests = 0
        self._parts = parts
        self._connection: http.client.HTTPConnection | None = None

    def get(self, address: str) -> Response:
        """Fetch a page."""
        return self._visit("GET", address, None)

    def post(self, address: str, fields: Fields) -> Response:
        """Send a form."""
        return self._visit("POST", address, urlencode(list(fields)).encode("ascii"))

    def twin(self) -> Browser:
        """A second tab: the same cookies over a connection of its own."""
        other = Browser(self.base_url, patience_s=self.patience_s, htmx=self.htmx)
        other.cookies = self.cookies
        return other

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _visit(self, method: str, address: str, body: bytes | None) -> Response:
        for _redirect in range(REDIRECTS):
            address = urljoin(self.base_url + "/", address)
            if urlsplit(address).netloc != self._parts.netloc:
                raise Unreachable("a redirect led away from the platform")
            status, headers, text = self._asked(method, address, body)
            if status not in {301, 302, 303}:
                return Response(status, address, text)
            method, body, address = "GET", None, urljoin(address, headers.get("Location", ""))
        raise Unreachable(f"{REDIRECTS} redirects in a row")

    def _asked(self, method: str, address: str, body: bytes | None) -> tuple[int, http.client.HTTPMessage, str]:
        """One request, tried again while the patience lasts."""
        lost: Exception | None = None
        for _attempt in self._attempts():
            try:
                return self._request(method, address, body)
            except _LOST as error:
                lost = error
                self.close()
        raise Unreachable(f"no answer within {self.patience_s:g} s ({type(lost).__name__})") from lost

    def _attempts(self) -> Iterator[None]:
        """The first attempt, a second one at once (a kept connection may just have been ended), then with pauses."""
        ends = time.monotonic() + self.patience_s
        yield
        yield
        while time.monotonic() < ends:
            time.sleep(PAUSE_S)
            yield

    def _request(self, method: str, address: str, body: bytes | None) -> tuple[int, http.client.HTTPMessage, str]:
        parts = urlsplit(address)
        if self._connection is None:
            kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = kind(self._parts.netloc, timeout=max(self.patience_s, 1.0))
        target = quote(parts.path, safe="/%:@~!$&'()*+,;=") + (f"?{parts.query}" if parts.query else "")
        self._connection.request(
            method, target, body=body, headers=self._headers(parts.path, has_body=body is not None)
        )
        answer = self._connection.getresponse()
        text = answer.read().decode("utf-8")
        self.n_requests += 1
        for header in answer.headers.get_all("Set-Cookie") or ():
            self.cookies.take(header)
        return answer.status, answer.headers, text

    def _headers(self, path: str, *, has_body: bool) -> dict[str, str]:
        headers = {"Accept": "text/html"}
        if cookies := self.cookies.header(path):
            headers["Cookie"] = cookies
        if has_body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Referer"] = self.base_url + path
            if self.htmx:
                headers["HX-Request"] = "true"
        return headers


def _attribute(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip()
