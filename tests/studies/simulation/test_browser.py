"""The browser of a simulated participant: cookies, redirects, and patience with a server that goes away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from studies.simulation.browser import Browser, Cookies, Unreachable

Handle = Callable[[BaseHTTPRequestHandler], None]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.handle_one(self)  # type: ignore[attr-defined]

    do_POST = do_GET  # noqa: N815 - http.server names it

    def log_message(self, *_: object) -> None:
        pass


def answer(
    handler: BaseHTTPRequestHandler, status: int = 200, body: str = "", headers: list[tuple[str, str]] | None = None
) -> None:
    """Send a whole answer."""
    handler.send_response(status)
    for name, value in headers or []:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body.encode())))
    handler.end_headers()
    handler.wfile.write(body.encode())


@pytest.fixture
def serve() -> Iterator[Callable[[Handle], str]]:
    """Serve with a function and return the address."""
    servers: list[ThreadingHTTPServer] = []

    def start(handle: Handle) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        server.handle_one = handle  # type: ignore[attr-defined]
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_post_is_redirected_to_a_get_with_the_cookies_just_set(serve: Callable[[Handle], str]) -> None:
    seen: list[tuple[str, str, str]] = []

    def handle(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode()
        seen.append((handler.command, handler.path, handler.headers.get("Cookie", "")))
        if handler.command == "POST":
            assert body == "text=a+%26+b&text=%C3%A9"
            answer(handler, 303, headers=[("Location", "../page/"), ("Set-Cookie", "key=v; Path=/s/x/; HttpOnly")])
        else:
            answer(handler, 200, "ü")

    browser = Browser(serve(handle))
    response = browser.post("/s/x/start/", [("text", "a & b"), ("text", "é")])
    browser.get("/elsewhere/")
    browser.close()

    assert (response.status, response.text, response.address[-10:]) == (200, "ü", "/s/x/page/")
    assert seen == [("POST", "/s/x/start/", ""), ("GET", "/s/x/page/", "key=v"), ("GET", "/elsewhere/", "")]


def test_a_lost_answer_is_asked_for_again(serve: Callable[[Handle], str]) -> None:
    attempts: list[str] = []

    def handle(handler: BaseHTTPRequestHandler) -> None:
        attempts.append(handler.path)
        if len(attempts) < 4:
            handler.close_connection = True
        else:
            answer(handler, 200, "here")

    browser = Browser(serve(handle), patience_s=10)

    assert browser.get("/").text == "here"
    assert len(attempts) == 4
    browser.close()


def test_nobody_waits_for_ever() -> None:
    browser = Browser("http://127.0.0.1:9", patience_s=0.3)

    with pytest.raises(Unreachable, match=r"no answer within 0\.3 s \(ConnectionRefusedError\)"):
        browser.get("/")


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "/"])
def test_a_redirect_that_leads_away_or_in_circles_is_not_followed(serve: Callable[[Handle], str], target: str) -> None:
    browser = Browser(serve(lambda handler: answer(handler, 302, headers=[("Location", target)])))

    with pytest.raises(Unreachable, match=r"away from the platform|redirects in a row"):
        browser.get("/")
    browser.close()


def test_fragments_are_asked_for_as_a_browser_with_scripts_does(serve: Callable[[Handle], str]) -> None:
    def handle(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        answer(handler, 200, handler.headers.get("HX-Request", "no"))

    browser = Browser(serve(handle), htmx=True)

    assert [browser.get("/").text, browser.post("/", []).text] == ["no", "true"]
    browser.close()


def test_a_second_tab_shares_the_cookies() -> None:
    browser = Browser("http://127.0.0.1:9")
    twin = browser.twin()
    twin.cookies.take("key=v; Path=/")

    assert browser.cookies.value("key") == "v"


def test_a_cookie_of_no_age_is_dropped() -> None:
    cookies = Cookies()
    cookies.take('notice="a b"; Path=/s/x/; Max-Age=60')
    assert (cookies.value("notice"), cookies.header("/s/x/page/")) == ("a b", "notice=a b")

    cookies.take("notice=; Path=/s/x/; Max-Age=0")
    assert cookies.header("/s/x/page/") == ""


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(ValueError, match="write http://host:port"):
        Browser("127.0.0.1:8000")
