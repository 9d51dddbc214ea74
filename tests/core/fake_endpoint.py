"""A small OpenAI-compatible server on this machine: answers, misbehaves as it is told, and remembers what it was asked.

    with FakeEndpoint() as fake:
        fake.then(Status(429, {"Retry-After": "0"}), Says("4"))
        chat(fake.endpoint(), ChatRequest([{"role": "user", "content": "Rate this"}]))

What `then` queues is used up in order, one for each request; after that `answer` makes the text of each reply. It may
be replaced by a function of the posted JSON. Several tests' worth of threads may ask at once.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.endpoints import Endpoint

DIMENSION = 8


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    data: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The contents of all messages."""
        return "\n".join(message["content"] for message in self.data["messages"])


@dataclass(frozen=True)
class Says:
    """An ordinary reply; `message` and `choice` replace or add fields, `body` the whole."""

    text: str | None = "ok"
    message: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """A status with headers and a body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b'{"error": {"message": "no"}}'


@dataclass(frozen=True)
class Garbage:
    """Status 200 with these bytes, `length` announced if it is another than theirs."""

    body: bytes
    length: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hangs:
    """No byte until the client or the test gives up."""


@dataclass(frozen=True)
class Drips:
    """A reply that never ends, a blank at a time."""

    headers_first: bool = True


@dataclass(frozen=True)
class Cuts:
    """The connection closed without a word."""


Move = Says | Status | Garbage | Hangs | Drips | Cuts


class FakeEndpoint:
    """The server, as a context."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.answer: Callable[[dict[str, Any]], str | Move] = lambda data: "ok"
        self.most_at_once = 0
        self._now = 0
        self._queue: list[Move] = []
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> FakeEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def n_calls(self) -> int:
        """How many requests came in."""
        return len(self.requests)

    def endpoint(self, **values: Any) -> Endpoint:
        """An endpoint that asks this server, quick to retry."""
        defaults = {"name": "fake", "base_url": self.base_url, "model": "fake-1", "backoff_s": 0.001, "timeout_s": 5.0}
        return Endpoint(**{**defaults, **values})

    def setting(self, **values: Any) -> str:
        """The same as the text of POLYPHONY_ENDPOINTS, for child processes."""
        return json.dumps(
            [{"name": "fake", "base_url": self.base_url, "model": "fake-1", "backoff_s": 0.001, **values}]
        )

    def then(self, *moves: Move) -> None:
        """Do these, one a request, before `answer` is asked."""
        with self._lock:
            self._queue += moves

    def move(self, received: Received) -> Move:
        """What to do with a request; remembers it."""
        with self._lock:
            self.requests.append(received)
            if self._queue:
                return self._queue.pop(0)
        answer = self.answer(received.data)
        return Says(answer) if isinstance(answer, str) else answer

    def entered(self, step: int) -> None:
        """Count the requests under way."""
        with self._lock:
            self._now += step
            self.most_at_once = max(self.most_at_once, self._now)

    def wait(self, seconds: float) -> bool:
        """Wait, or return True at once when the test is over."""
        return self._over.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    fake: FakeEndpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:  # what a followed redirect would send
        self.server.fake.move(Received(self.path, dict(self.headers), {"messages": []}))
        self._send(200, b"{}")

    def do_POST(self) -> None:
        fake = self.server.fake
        fake.entered(+1)
        try:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received = Received(self.path, dict(self.headers), json.loads(body))
            self._do(fake.move(received), received)
        finally:
            fake.entered(-1)

    def _do(self, move: Move, received: Received) -> None:
        match move:
            case Says():
                embeds = received.path.endswith("/embeddings")
                made = embeddings(received.data) if embeds else completion(move, received.data)
                self._send(200, json.dumps({**made, **move.body}).encode())
            case Status():
                self._send(move.status, move.body, move.headers)
            case Garbage():
                self._send(200, move.body, move.headers, length=move.length)
            case Hangs():
                self.server.fake.wait(60)
            case Drips():
                self._drip(move)
            case Cuts():
                self.connection.close()

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, *, length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _drip(self, move: Drips) -> None:
        if move.headers_first:
            self.send_response(200)
            self.end_headers()
        else:
            self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        while not self.server.fake.wait(0.02):
            self.wfile.write(b" ")
            self.wfile.flush()


def completion(move: Says, data: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a chat completion."""
    message = {"role": "assistant", "content": move.text, **move.message}
    words = sum(len(str(each["content"]).split()) for each in data["messages"])
    usage = {"prompt_tokens": words, "completion_tokens": len((move.text or "").split())}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **move.choice}
    return {"object": "chat.completion", "model": "fake-1-2026", "choices": [choice], "usage": usage}


def embeddings(data: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a reply with embeddings, one for each text, last first: their order is not promised."""
    rows = [
        {"object": "embedding", "index": number, "embedding": [byte + 1.0 for byte in _digest(text)[:DIMENSION]]}
        for number, text in enumerate(data["input"])
    ]
    return {"object": "list", "model": data["model"], "data": rows[::-1]}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
