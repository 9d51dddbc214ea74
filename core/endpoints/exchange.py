"""One request to an endpoint and its reply: no retries, no redirects, no proxy, no more time or bytes than allowed.

The standard library's `http.client` does all that is needed and nothing more: it follows no redirect, reads no proxy
or login from the environment and decompresses nothing, each of which a larger client would have to be told.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from core.endpoints.configuration import Endpoint
from core.endpoints.errors import EndpointError
from core.errors import one_line

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
CHUNK = 65_536
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back with status 200: the body as text, and as JSON."""

    text: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt gave no reply, whether another may, and how long the server asks to wait."""

    code: str
    message: str
    is_transient: bool
    status: int | None = None
    retry_after: str = ""

    def error(self, endpoint: Endpoint, attempts: int) -> EndpointError:
        """The failure as the error that a caller sees."""
        return EndpointError(
            f"{endpoint.name}: {self.message}",
            code=self.code,
            endpoint=endpoint.name,
            status=self.status,
            attempts=attempts,
            is_transient=self.is_transient,
        )


def post_json(endpoint: Endpoint, path: str, body: bytes, key: str) -> Reply | Failure:
    """Send `body` to `path` under the endpoint's address and read the reply. `key` is taken out of whatever is kept."""
    deadline = _Deadline(endpoint.timeout_s)
    try:
        with contextlib.closing(_connection(endpoint)) as connection, deadline.over(connection):
            connection.request("POST", urlsplit(endpoint.base_url).path + path, body, _headers(key))
            response = connection.getresponse()
            raw = _read(response, endpoint.maximum_bytes)
    except (OSError, http.client.HTTPException, ValueError) as error:
        # A reply without sense is a HTTPException, one with senseless numbers a ValueError.
        if deadline.is_past or isinstance(error, TimeoutError):
            return Failure("timeout", _("no whole reply within %(n)g seconds") % {"n": endpoint.timeout_s}, True)
        return Failure("unreachable", _("no reply: %(why)s") % {"why": _why(error)}, True)
    if deadline.is_past:
        return Failure("timeout", _("no whole reply within %(n)g seconds") % {"n": endpoint.timeout_s}, True)
    if raw is None:
        return Failure("too_large", _("the reply has over %(n)d bytes") % {"n": endpoint.maximum_bytes}, False)
    return _judged(response, raw, key)


def _connection(endpoint: Endpoint) -> http.client.HTTPConnection:
    parts = urlsplit(endpoint.base_url)
    assert parts.hostname is not None
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=endpoint.timeout_s, context=context)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=endpoint.timeout_s)


def _headers(key: str) -> dict[str, str]:
    # Identity: a small compressed reply could unfold to any size.
    headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    return {**headers, "User-Agent": "polyphony", **({"Authorization": f"Bearer {key}"} if key else {})}


class _Deadline:
    """Cuts a connection when its time is over: a socket's own time-out starts anew with each byte that drips in."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._rang = threading.Event()

    @property
    def is_past(self) -> bool:
        return self._rang.is_set()

    @contextlib.contextmanager
    def over(self, connection: http.client.HTTPConnection) -> Iterator[None]:
        connection.connect()
        # Taken now: a connection that the server will close hands its socket over to the response.
        taken = connection.sock

        def cut() -> None:
            self._rang.set()
            with contextlib.suppress(OSError):
                # The plain socket's own: that of TLS would take its state from under the reading thread.
                socket.socket.shutdown(taken, socket.SHUT_RDWR)

        timer = threading.Timer(self.seconds, cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _read(response: http.client.HTTPResponse, maximum: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while part := response.read1(CHUNK):
        size += len(part)
        if size > maximum:
            return None
        parts.append(part)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _judged(response: http.client.HTTPResponse, raw: bytes, key: str) -> Reply | Failure:
    status = response.status
    if 300 <= status < 400:
        return Failure("redirected", _("the server redirects, which is not followed"), False, status)
    if status != 200:
        code = "rate_limited" if status == 429 else "server_failed" if status in TRANSIENT else "refused_request"
        message = _("status %(status)d: %(said)s") % {"status": status, "said": _said(raw, key)}
        return Failure(code, message, status in TRANSIENT, status, response.headers.get("Retry-After", "").strip())
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        return Failure("bad_reply", _("the reply is compressed, which was not asked for"), False, status)
    return _decoded(raw, key)


def _decoded(raw: bytes, key: str) -> Reply | Failure:
    try:
        text = _without(raw.decode("utf-8"), key)
        data = json.loads(text, parse_constant=_no_number)
        if key and _escaped(key) in (whole := json.dumps(data)):
            # The key was written with escapes of JSON, as some servers write every slash of it.
            text = whole.replace(_escaped(key), "[key]")
            data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return Failure("bad_reply", _("the reply is no JSON"), True, 200)
    if not isinstance(data, dict):
        return Failure("bad_reply", _("the reply is no JSON object"), True, 200)
    return Reply(text, data)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _said(raw: bytes, key: str) -> str:
    """What the server gave as the reason, on one line and short; its own words, so only for people to read."""
    text = _without(raw[:CHUNK].decode("utf-8", errors="replace"), key)
    with contextlib.suppress(ValueError, RecursionError):
        data = json.loads(text)
        error = data.get("error") if isinstance(data, Mapping) else None
        found = error.get("message") if isinstance(error, Mapping) else error
        # JSON can write the same characters in several ways.
        text = _without(found, key) if isinstance(found, str) else text
    return one_line(text.strip()[:SHOWN]) or _("nothing said")


def _escaped(key: str) -> str:
    """A key as `json.dumps` writes it inside a text."""
    return json.dumps(key)[1:-1]


def _without(text: str, key: str) -> str:
    return text.replace(key, "[key]") if key else text


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _("its certificate cannot be verified")
    if isinstance(error, http.client.IncompleteRead):
        return _("the connection was cut in the middle of the reply")
    return type(error).__name__ + (f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else "")
