"""A client cheap enough not to be what is measured: HTTP/1.1 over kept connections on one asyncio loop, no parser.

It knows the pages of the walk by a few expressions, while the bots of `studies.simulation` read them: it is not a test.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlencode

FORM = "application/x-www-form-urlencoded"
STEP = re.compile(rb'name="step" value="([0-9a-f-]{36})"')
CARD = re.compile(rb'name="exposure" value="([0-9a-f-]{36})"')
START_KEY = re.compile(rb'name="start" value="([0-9a-f]{32})"')
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
COOKIE = re.compile(rb"set-cookie: *([^=;\s]+)=([^;\r]*)", re.IGNORECASE)
RESPONSE = "A benchmark wrote this. It is long enough to count as a response, and it says nothing about anything."
VOTES = 12
"""Votes cast on each question before going on, where there are as many statements."""


class Broken(Exception):
    """The server did not do what the walk expects."""


@dataclass(slots=True)
class Tally:
    """What was measured in one run: the seconds of each turn."""

    turns: list[float] = field(default_factory=list)


class Connection:
    """One kept connection with its cookies."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: str = "", *, htmx: bool = False) -> tuple[int, bytes, bytes]:
        """Send one request; return status, head and body."""
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        if cookies:
            lines.append(f"Cookie: {cookies}")
        if method == "POST":
            lines += [f"Content-Type: {FORM}", f"Content-Length: {len(body)}"]
        if htmx:
            lines.append("HX-Request: true")
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode("ascii"))
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        content = await self._reader.readexactly(int(length[1])) if length else b""
        for name, value in COOKIE.findall(head):
            self.cookies[name.decode()] = value.decode()
        if b"connection: close" in head.lower():
            self.close()
        return int(head[9:12]), head, content

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def minimal_turns(port: int, person: str) -> AsyncGenerator[float, None]:
    """The minimal view: one post after the other."""
    connection = Connection(port)
    try:
        for item in count(1):
            began = time.perf_counter()
            status, _head, body = await connection.ask("POST", "/", f"person={person}&item={item}&value={item % 3 + 1}")
            if status != 200 or b"<form" not in body:
                raise Broken(f"the minimal view answered {status}")
            yield time.perf_counter() - began
    finally:
        connection.close()


async def walk_turns(port: int, slug: str, *, htmx: bool) -> AsyncGenerator[float, None]:
    """The whole walk, person after person; only turns of the walk itself are yielded, not the start page."""
    while True:
        connection = Connection(port)
        root = f"/s/{slug}/"
        try:
            page = await _start(connection, root)
            cast = 0
            while b"completion-code" not in page:
                fields, cast = _filled(page, cast)
                began = time.perf_counter()
                page = await _turn(connection, root + "page/", fields, htmx=htmx)
                yield time.perf_counter() - began
        finally:
            connection.close()


async def _start(connection: Connection, root: str) -> bytes:
    _status, _head, landing = await connection.ask("GET", root)
    key = START_KEY.search(landing)
    if key is None:
        raise Broken("the start page has no form")
    body = urlencode({"csrfmiddlewaretoken": connection.cookies["csrftoken"], "start": key[1].decode()})
    status, _head, _body = await connection.ask("POST", root + "start/", body)
    if status != 303:
        raise Broken(f"the start answered {status}")
    return (await connection.ask("GET", root + "page/"))[2]


async def _turn(connection: Connection, path: str, fields: dict[str, str], *, htmx: bool) -> bytes:
    """From sending an answer to having the next page."""
    body = urlencode({"csrfmiddlewaretoken": connection.cookies["csrftoken"], **fields})
    status, _head, page = await connection.ask("POST", path, body, htmx=htmx)
    if status == 303 and not htmx:
        status, _head, page = await connection.ask("GET", path)
    if status != 200:
        raise Broken(f"a post of {sorted(fields)} answered {status}")
    return page


def _filled(page: bytes, cast: int) -> tuple[dict[str, str], int]:
    """The fields of the next post, and the votes cast so far on the question."""
    step = STEP.search(page)
    if step is None:
        raise Broken("a page has no form")
    fields = {"step": step[1].decode(), "layout": "row 1280"}
    if b'value="accept"' in page:
        return {**fields, "decision": "accept"}, 0
    if b'name="rating"' in page:
        return {**fields, "rating": "3"}, 0
    if b'<textarea name="text"' in page:
        return {**fields, "text": RESPONSE, "stance": "neutral", "importance": "3"}, 0
    if b'class="ballot"' in page and (cast < VOTES or b'id="finish"' not in page):
        card = CARD.search(page)
        assert card is not None, "a ballot has a card"
        return {**fields, "action": "vote", "exposure": card[1].decode(), "value": "agree"}, cast + 1
    if b'id="finish"' in page:
        return {**fields, "action": "finish"}, 0
    return fields, 0


async def load(make_turns: Callable[[int], AsyncGenerator[float, None]], *, people: int, seconds: float) -> Tally:
    """Let `people` take turns for `seconds`, after a second that does not count."""
    tally = Tally()
    begins = time.perf_counter() + 1.0
    ends = begins + seconds

    async def one(number: int) -> None:
        turns = make_turns(number)
        try:
            async for turn in turns:
                now = time.perf_counter()
                if now > ends:
                    return
                if now >= begins:
                    tally.turns.append(turn)
        finally:
            await turns.aclose()

    await asyncio.gather(*(one(number) for number in range(people)))
    return tally
