"""The client of model endpoints, against a server that does everything wrong that a server can."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.canonical import content_sha256
from core.endpoints import (
    ChatRequest,
    EndpointError,
    chat,
    chat_all,
    configured,
    embed,
    model_parameters,
    names,
    parse_endpoints,
)
from core.endpoints.retrying import retry_after
from core.errors import Invalid
from tests.core.fake_endpoint import Cuts, Drips, FakeEndpoint, Garbage, Hangs, Says, Status

REQUEST = ChatRequest([{"role": "user", "content": "How far?"}], {"temperature": 0})
KEY = "sk-canary-0123456789"


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        yield server


class Pauses(list[float]):
    """Stands for sleep, and remembers."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def failure(fake: FakeEndpoint, **values: Any) -> EndpointError:
    with pytest.raises(EndpointError) as raised:
        chat(fake.endpoint(**values), REQUEST, sleep=Pauses())
    return raised.value


class TestReply:
    def test_it_holds_what_came(self, fake: FakeEndpoint) -> None:
        fake.then(Says("Mostly represented: 4"))

        reply = chat(fake.endpoint(), REQUEST)

        assert reply.text == "Mostly represented: 4"
        assert json.loads(reply.raw)["choices"][0]["message"]["content"] == reply.text
        assert (reply.model, reply.refusal, reply.finish_reason) == ("fake-1-2026", "", "stop")
        assert (reply.prompt_tokens, reply.completion_tokens) == (2, 3)

    def test_what_was_asked_is_what_arrives(self, fake: FakeEndpoint) -> None:
        chat(fake.endpoint(), REQUEST)

        (received,) = fake.requests
        assert received.path == "/v1/chat/completions"
        assert received.data == {"model": "fake-1", "messages": list(REQUEST.messages), "temperature": 0}

    def test_the_hash_is_that_of_messages_and_parameters(self, fake: FakeEndpoint) -> None:
        expected = content_sha256({"messages": list(REQUEST.messages), "parameters": {"temperature": 0}})

        assert chat(fake.endpoint(), REQUEST).prompt_sha256 == REQUEST.sha256 == expected
        assert ChatRequest(REQUEST.messages, {"temperature": 1}).sha256 != expected

    @pytest.mark.parametrize("key", ["model", "messages", "stream", "n"])
    def test_what_the_client_decides_is_no_parameter(self, key: str) -> None:
        with pytest.raises(ValueError, match=key):
            ChatRequest(REQUEST.messages, {key: 1})

    def test_a_refusal_is_an_answer(self, fake: FakeEndpoint) -> None:
        fake.then(Says(None, message={"refusal": "I cannot help with that."}))

        reply = chat(fake.endpoint(), REQUEST)

        assert (reply.text, reply.refusal) == ("", "I cannot help with that.")

    def test_so_is_what_a_filter_withheld(self, fake: FakeEndpoint) -> None:
        fake.then(Says(None, choice={"finish_reason": "content_filter"}))

        assert chat(fake.endpoint(), REQUEST).refusal == "content_filter"

    def test_a_content_in_parts_is_joined(self, fake: FakeEndpoint) -> None:
        parts = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "?"}, {"type": "text", "text": "b"}]
        fake.then(Says(message={"content": parts}))

        assert chat(fake.endpoint(), REQUEST).text == "ab"

    @pytest.mark.parametrize(
        "usage", [None, [], {"prompt_tokens": -1}, {"prompt_tokens": "3"}, {"prompt_tokens": True}]
    )
    def test_tokens_that_make_no_sense_are_unknown(self, fake: FakeEndpoint, usage: Any) -> None:
        fake.then(Says(body={"usage": usage}))

        assert chat(fake.endpoint(), REQUEST).prompt_tokens is None

    def test_line_separators_and_emoji_come_through(self, fake: FakeEndpoint) -> None:
        fake.then(Says("a\u2028b 👍🏽\r\n"))

        assert chat(fake.endpoint(), REQUEST).text == "a\u2028b 👍🏽\r\n"


class TestRetries:
    @pytest.mark.parametrize(
        "move",
        [
            Status(429), Status(500), Status(502), Status(503), Status(529), Cuts(),
            Garbage(b"<html>proxy</html>"), Garbage(b"[]"), Garbage(b"{}"), Garbage(b'{"choices": []}'),
            Garbage(b'{"choices": [{"message": {"content": 7}}]}'), Garbage(b'{"usage": NaN}'), Garbage(b"\xff\xfe"),
            Garbage(b"[" * 100_000), Garbage(b'{"choices"', length=5000), Garbage(b""),
            Garbage(b'{"choices": [{"message": {"content": "\\u0000"}}]}'),
            Garbage(b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
            Says("4", body={"model": "m\0"}), Says("4", body={"model": "m\ud800"}),
            Says(None),
        ],
        ids=lambda move: repr(move)[:60],
    )  # fmt: skip
    def test_what_may_pass_is_asked_again(self, fake: FakeEndpoint, move: Any) -> None:
        fake.then(move, move, Says("at last"))

        reply = chat(fake.endpoint(), REQUEST, sleep=Pauses())

        assert (reply.text, reply.attempts, fake.n_calls) == ("at last", 3, 3)

    @pytest.mark.parametrize(
        ("move", "code", "status"),
        [
            (Status(429), "rate_limited", 429),
            (Status(503), "server_failed", 503),
            (Cuts(), "unreachable", None),
            (Garbage(b"{"), "bad_reply", 200),
            (Garbage(b"{", length=99), "unreachable", None),
        ],
        ids=repr,
    )
    def test_after_the_last_one_the_error_says_what_it_was(
        self, fake: FakeEndpoint, move: Any, code: str, status: int | None
    ) -> None:
        fake.then(*[move] * 3)

        error = failure(fake, retries=2)

        assert (error.code, error.status, error.attempts, error.is_transient) == (code, status, 3, True)
        assert fake.n_calls == 3

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
    def test_what_will_not_pass_is_asked_once(self, fake: FakeEndpoint, status: int) -> None:
        fake.then(Status(status, body=b'{"error": {"message": "max_tokens is too large"}}'))

        error = failure(fake)

        assert (error.code, error.is_transient, fake.n_calls) == ("refused_request", False, 1)
        assert "max_tokens is too large" in str(error)

    def test_waits_grow_and_differ(self, fake: FakeEndpoint) -> None:
        fake.then(*[Status(500)] * 6)
        pauses = Pauses()

        with pytest.raises(EndpointError):
            chat(fake.endpoint(retries=5, backoff_s=1.0), REQUEST, sleep=pauses)

        assert len(set(pauses)) == 5
        assert all(0 <= pause <= 2**number for number, pause in enumerate(pauses))

    def test_the_server_says_how_long(self, fake: FakeEndpoint) -> None:
        fake.then(Status(429, {"Retry-After": "7"}), Says())
        pauses = Pauses()

        chat(fake.endpoint(), REQUEST, sleep=pauses)

        assert 7 <= pauses[0] < 8

    def test_nobody_waits_an_hour(self, fake: FakeEndpoint) -> None:
        fake.then(Status(429, {"Retry-After": "3600"}))

        error = failure(fake)

        assert (error.code, error.is_transient, fake.n_calls) == ("rate_limited", True, 1)

    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ("3", 3.0),
            ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
            ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
            ("soon", None),
            ("", None),
            ("-3", None),
            ("\u0663", None),
        ],
    )
    def test_the_header_is_seconds_or_a_date(self, header: str, seconds: float | None) -> None:
        assert retry_after(header, now=datetime(2026, 11, 30, 12, tzinfo=UTC)) == seconds


class TestLimits:
    @pytest.mark.parametrize("move", [Hangs(), Drips(), Drips(headers_first=False)], ids=repr)
    def test_the_whole_reply_has_a_deadline(self, fake: FakeEndpoint, move: Any) -> None:
        fake.then(move)

        assert failure(fake, timeout_s=0.2, retries=0).code == "timeout"

    def test_a_reply_longer_than_allowed_is_not_read(self, fake: FakeEndpoint) -> None:
        fake.then(Says("x" * 2000))

        error = failure(fake, maximum_bytes=1000)

        assert (error.code, fake.n_calls) == ("too_large", 1)

    def test_a_compressed_reply_is_not_unfolded(self, fake: FakeEndpoint) -> None:
        fake.then(Garbage(b"{}", headers={"Content-Encoding": "gzip"}))

        assert failure(fake).code == "bad_reply"

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_a_redirect_is_not_followed(self, fake: FakeEndpoint, status: int) -> None:
        fake.then(Status(status, {"Location": f"{fake.base_url}/elsewhere"}))

        assert failure(fake).code == "redirected"
        assert fake.n_calls == 1

    def test_no_proxy_of_the_environment_is_used(self, fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

        assert chat(fake.endpoint(), REQUEST).text == "ok"

    def test_nobody_listening_is_said(self, fake: FakeEndpoint) -> None:
        error = failure(fake, base_url="http://127.0.0.1:9/v1", retries=1)

        assert (error.code, error.attempts) == ("unreachable", 2)

    def test_a_server_that_cannot_prove_itself_is_told_nothing(self, fake: FakeEndpoint) -> None:
        error = failure(fake, base_url=fake.base_url.replace("http:", "https:"), retries=0, timeout_s=2)

        assert (error.code, fake.n_calls) == ("unreachable", 0)


class TestKeys:
    @pytest.fixture(autouse=True)
    def _key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FAKE_KEY", KEY)

    def test_the_key_goes_to_the_server(self, fake: FakeEndpoint) -> None:
        chat(fake.endpoint(key_variable="FAKE_KEY"), REQUEST)

        assert fake.requests[0].headers["Authorization"] == f"Bearer {KEY}"

    def test_it_may_lie_in_a_file(self, fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
        monkeypatch.delenv("FAKE_KEY")
        monkeypatch.setenv("FAKE_KEY_FILE", str(tmp_path / "key"))
        (tmp_path / "key").write_text(f"{KEY}\n")

        chat(fake.endpoint(key_variable="FAKE_KEY"), REQUEST)

        assert fake.requests[0].headers["Authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize("value", ["", "two\nlines", "ünicode", "a b"])
    def test_what_cannot_be_a_key_is_refused(
        self, fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        monkeypatch.setenv("FAKE_KEY", value)

        error = failure(fake, key_variable="FAKE_KEY")

        assert (error.code, fake.n_calls) == ("no_key", 0)
        assert value == "" or value not in str(error)

    @pytest.mark.parametrize(
        "move",
        [
            Status(401, body=f'{{"error": {{"message": "Incorrect API key: {KEY}"}}}}'.encode()),
            Status(500, body=KEY.encode()),
            Garbage(KEY.encode()),
            Status(302, {"Location": f"http://127.0.0.1/{KEY}"}),
            Cuts(),
        ],
        ids=["401", "500", "garbage", "redirect", "cut"],
    )
    def test_no_message_and_no_log_repeats_it(
        self, fake: FakeEndpoint, caplog: pytest.LogCaptureFixture, move: Any
    ) -> None:
        fake.then(move, move)

        with caplog.at_level(logging.DEBUG):
            error = failure(fake, key_variable="FAKE_KEY", retries=1)

        assert KEY not in str(error) + repr(error) + caplog.text

    def test_nor_does_the_raw_reply(self, fake: FakeEndpoint) -> None:
        fake.then(Says("ok", body={"echo": KEY}))

        assert KEY not in chat(fake.endpoint(key_variable="FAKE_KEY"), REQUEST).raw

    def test_however_json_writes_it(
        self, fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        key = 'sk-a/b"c\\d+e=='
        monkeypatch.setenv("FAKE_KEY", key)
        written = json.dumps(f"Bearer {key}").replace("/", "\\/").replace("sk", "\\u0073k")
        fake.then(
            Garbage(b'{"choices": [{"message": {"content": %s}}], "echo": %s}' % (written.encode(), written.encode())),
            Status(401, body=b'{"error": {"message": %s}}' % written.encode()),
        )

        with caplog.at_level(logging.DEBUG):
            reply = chat(fake.endpoint(key_variable="FAKE_KEY"), REQUEST)
            error = failure(fake, key_variable="FAKE_KEY")

        assert reply.text == "Bearer [key]"
        assert json.loads(reply.raw) == {"choices": [{"message": {"content": "Bearer [key]"}}], "echo": "Bearer [key]"}
        assert str(error).rstrip(".").endswith("Bearer [key]")
        assert key not in caplog.text


class TestMany:
    def test_each_reply_belongs_to_its_request(self, fake: FakeEndpoint) -> None:
        fake.answer = lambda data: data["messages"][0]["content"].upper()
        requests = [ChatRequest([{"role": "user", "content": f"n{number}"}]) for number in range(20)]

        found = dict(chat_all(fake.endpoint(), requests))

        assert {index: reply.text for index, reply in found.items()} == {n: f"N{n}" for n in range(20)}  # type: ignore[union-attr]

    def test_as_many_at_once_as_the_endpoint_bears(self, fake: FakeEndpoint) -> None:
        together = threading.Barrier(3, timeout=10)

        def answer(data: dict[str, Any]) -> str:
            together.wait()
            return "ok"

        fake.answer = answer

        found = list(chat_all(fake.endpoint(concurrency=3, retries=0), [REQUEST] * 9))

        assert len(found) == 9
        assert fake.most_at_once == 3

    def test_one_failure_does_not_lose_the_others(self, fake: FakeEndpoint) -> None:
        fake.answer = lambda data: Status(400) if data["messages"][0]["content"] == "bad" else "ok"
        requests = [ChatRequest([{"role": "user", "content": text}]) for text in ("a", "bad", "b")]

        found = dict(chat_all(fake.endpoint(), requests))

        assert isinstance(found[1], EndpointError)
        assert [found[0].text, found[2].text] == ["ok", "ok"]  # type: ignore[union-attr]

    def test_who_leaves_early_sends_nothing_new(self, fake: FakeEndpoint) -> None:
        replies = chat_all(fake.endpoint(concurrency=1), [REQUEST] * 50)

        next(replies)
        replies.close()  # type: ignore[attr-defined]

        assert fake.n_calls == 1


class TestEmbeddings:
    def test_vectors_come_in_the_order_of_the_texts(self, fake: FakeEndpoint) -> None:
        both, second = embed(fake.endpoint(), ["a", "b"]), embed(fake.endpoint(), ["b"])

        assert both[1] == second[0]
        assert both[0] != both[1]
        assert fake.requests[0].path == "/v1/embeddings"

    @pytest.mark.parametrize(
        "data",
        [
            [],
            [{"index": 0, "embedding": [1.0]}],
            [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
            [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
            [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}],
            [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": []}],
            [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [10**400]}],
            ["x", None],
            {"index": 0},
        ],
        ids=["none", "one", "twice", "lengths", "words", "empty", "huge", "no rows", "no list"],
    )
    def test_what_does_not_fit_is_refused(self, fake: FakeEndpoint, data: Any) -> None:
        fake.then(Says(body={"data": data}))

        with pytest.raises(EndpointError) as raised:
            embed(fake.endpoint(retries=0), ["a", "b"])

        assert raised.value.code == "bad_reply"


class TestConfiguration:
    ENTRY = {"name": "judge", "base_url": "https://models.example.org/v1/", "model": "m"}

    def parsed(self, **values: Any) -> Any:
        return parse_endpoints(json.dumps([{**self.ENTRY, **values}]))

    def test_none_is_none(self) -> None:
        assert parse_endpoints("") == {}

    def test_an_entry_needs_three_fields(self) -> None:
        endpoint = self.parsed()["judge"]

        assert (endpoint.base_url, endpoint.model) == ("https://models.example.org/v1", "m")
        assert (endpoint.input_price, endpoint.concurrency, endpoint.timeout_s) == (None, 4, 60.0)

    def test_prices_are_exact(self) -> None:
        endpoint = self.parsed(input_price=0.1, output_price=10)["judge"]

        assert endpoint.cost(prompt_tokens=3_000_000, completion_tokens=500_000) == Decimal("5.3")

    def test_an_unknown_price_gives_no_cost(self) -> None:
        endpoint = self.parsed(input_price=1)["judge"]

        assert endpoint.cost(prompt_tokens=10, completion_tokens=1) is None
        assert endpoint.cost(prompt_tokens=10, completion_tokens=0) == Decimal("0.00001")

    @pytest.mark.parametrize(
        ("values", "word"),
        [
            ({"name": "Judge One"}, "name"),
            ({"name": ""}, "name"),
            ({"model": ""}, "model"),
            ({"model": "a\nb"}, "model"),
            ({"base_url": "http://models.example.org/v1"}, "https"),
            ({"base_url": "https://user:secret@models.example.org"}, "base_url"),
            ({"base_url": "https://models.example.org/v1?key=1"}, "base_url"),
            ({"base_url": "https://models.example.org:port"}, "base_url"),
            ({"base_url": "file:///etc/passwd"}, "base_url"),
            ({"base_url": "ftp://models.example.org"}, "https"),
            ({"base_url": "http://localhost.example.org"}, "https"),
            ({"base_url": "https://mödels.example.org"}, "ASCII"),
            ({"key_variable": "sk-abc"}, "key_variable"),
            ({"input_price": -1}, "input_price"),
            ({"input_price": "1"}, "input_price"),
            ({"concurrency": 0}, "concurrency"),
            ({"concurrency": 1.5}, "concurrency"),
            ({"timeout_s": True}, "timeout_s"),
            ({"retries": 100}, "retries"),
            ({"api_key": "sk-abc"}, "api_key"),
        ],
        ids=repr,
    )
    def test_what_makes_no_sense_stops_the_start(self, values: dict[str, Any], word: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=word) as raised:
            self.parsed(**values)

        assert "sk-abc" not in str(raised.value)
        assert "secret" not in str(raised.value)

    @pytest.mark.parametrize("text", ["{", "{}", "[1]", "[" * 100_000])
    def test_it_must_be_a_list_of_objects(self, text: str) -> None:
        with pytest.raises(ImproperlyConfigured, match="POLYPHONY_ENDPOINTS"):
            parse_endpoints(text)

    def test_names_are_unique(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="two"):
            parse_endpoints(json.dumps([self.ENTRY, self.ENTRY]))

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "[::1]"])
    def test_this_machine_may_go_without_tls(self, host: str) -> None:
        assert self.parsed(base_url=f"http://{host}:8080/v1")["judge"].base_url.endswith(":8080/v1")

    def test_an_endpoint_is_found_by_its_name(self, settings: Any, fake: FakeEndpoint) -> None:
        settings.ENDPOINTS = {"fake": fake.endpoint()}

        assert configured("fake") == fake.endpoint()
        assert names() == ("fake",)

    def test_another_name_is_refused_with_a_hint(self, settings: Any, fake: FakeEndpoint) -> None:
        settings.ENDPOINTS = {"fake": fake.endpoint()}

        with pytest.raises(EndpointError, match="fake") as raised:
            configured("fak")

        assert raised.value.code == "unknown_endpoint"

    def test_what_a_result_says_of_it_holds_no_key(self, fake: FakeEndpoint) -> None:
        described = fake.endpoint(key_variable="FAKE_KEY").described()

        assert described == {"endpoint": "fake", "model": "fake-1", "base_url": fake.base_url}

    def test_the_setting_for_child_processes_is_read(self, fake: FakeEndpoint) -> None:
        assert parse_endpoints(fake.setting())["fake"].base_url == fake.base_url


class TestParameters:
    @pytest.mark.parametrize(
        ("text", "value"),
        [("", {}), (" \n", {}), ("{}", {}), ('{"temperature": 0.7, "stop": ["\\u2028", "é"]}',
          {"temperature": 0.7, "stop": ["\u2028", "é"]})],
    )  # fmt: skip
    def test_what_can_be_sent_is_read(self, text: str, value: Any) -> None:
        assert model_parameters(text) == value

    @pytest.mark.parametrize(
        "text",
        [
            "{", "[]", "1", "null", '{"a": NaN}', '{"a": 1e999}', '{"a": "\\u0000"}', '{"\\u0000": 1}',
            '{"a": ["\\ud800"]}', '{"a": 1, "a": 2}', '{"a":' + "[" * 1900 + "]" * 1900 + "}",
            '{"a": ' + "9" * 5000 + "}",
            '{"a": "' + "x" * 4000 + '"}', '{"model": "other"}', '{"stream": true}',
        ],
        ids=lambda text: text[:20],
    )  # fmt: skip
    def test_what_cannot_be_sent_hashed_or_stored_is_refused(self, text: str) -> None:
        with pytest.raises(Invalid):
            model_parameters(text)
