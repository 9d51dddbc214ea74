"""Chat completions: a request that can be hashed, a reply that keeps what came."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from core.canonical import content_sha256
from core.endpoints.configuration import Endpoint
from core.endpoints.errors import EndpointError
from core.endpoints.exchange import Failure, Reply
from core.endpoints.retrying import Sleep, ask
from core.errors import Invalid
from core.text import check_imported

PATH = "/chat/completions"
# The endpoint says which model; one whole reply is what this client reads.
RESERVED = frozenset({"model", "messages", "stream", "n"})
CHARACTERS_PER_TOKEN = 4
"""For estimates before anything is sent; English text has about so many."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked: messages (`role`, `content`) and the parameters sent with them (temperature and the like)."""

    messages: Sequence[Mapping[str, Any]]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if taken := sorted(RESERVED & set(self.parameters)):
            raise ValueError(f"not for the caller to set: {', '.join(taken)}")
        if not self.messages:
            raise ValueError("a request needs a message")

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON of messages and parameters: equal exactly if the same was asked.

        The model is not part of it, so that one prompt can be found across models.
        """
        return content_sha256({"messages": [dict(each) for each in self.messages], "parameters": dict(self.parameters)})

    def roughly_tokens(self) -> int:
        """About how many tokens the prompt has, for an estimate of costs: a quarter of its characters, rounded up."""
        n = sum(len(str(message.get("content", ""))) for message in self.messages)
        return -(-n // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back.

    `raw` is the body as it was received, to be kept beside whatever is made of `text`. `refusal` is empty, or says
    that the model or its filter declined; `text` may then be empty. `model` is what the server says answered, which
    may be more exact than what was asked for. Token counts are None where the server states none.
    """

    text: str
    raw: str
    model: str
    prompt_sha256: str
    prompt_tokens: int | None
    completion_tokens: int | None
    refusal: str
    finish_reason: str = ""
    attempts: int = 1


def chat(endpoint: Endpoint, request: ChatRequest, *, sleep: Sleep = time.sleep) -> ChatReply:
    """Ask one thing and wait for the whole answer.

    Raises
    ------
    EndpointError
        If there is no usable answer after the retries. A refusal is an answer.
    """
    content = {
        **request.parameters,
        "model": endpoint.model,
        "messages": [dict(message) for message in request.messages],
    }
    digest = request.sha256
    found, attempts = ask(endpoint, PATH, content, lambda reply: _read(reply, endpoint), sleep=sleep)
    return ChatReply(prompt_sha256=digest, attempts=attempts, **found)


def chat_all(
    endpoint: Endpoint, requests: Sequence[ChatRequest], *, sleep: Sleep = time.sleep
) -> Generator[tuple[int, ChatReply | EndpointError]]:
    """Ask many things, `endpoint.concurrency` at a time; yield (index in `requests`, reply or error) as they come.

    One failure does not lose the others, and what was yielded can be stored at once. Leaving the loop early sends
    nothing new; requests already under way are waited for.
    """
    todo = iter(enumerate(requests))
    with ThreadPoolExecutor(endpoint.concurrency, thread_name_prefix="endpoint") as pool:
        running: dict[Future[ChatReply], int] = {}
        while True:
            for index, request in islice(todo, endpoint.concurrency - len(running)):
                running[pool.submit(chat, endpoint, request, sleep=sleep)] = index
            if not running:
                return
            done, _rest = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=running.__getitem__):
                index = running.pop(future)
                try:
                    yield index, future.result()
                except EndpointError as error:
                    yield index, error


def _read(reply: Reply, endpoint: Endpoint) -> dict[str, Any] | Failure:
    choices = reply.data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Failure("bad_reply", _("the reply holds no message"), True, 200)
    finish_reason = _string(choice.get("finish_reason"))
    refusal = _string(message.get("refusal")) or (finish_reason if finish_reason == "content_filter" else "")
    text = _content(message.get("content"))
    if text is None and not refusal:
        return Failure("bad_reply", _("the message holds no text"), True, 200)
    model = _string(reply.data.get("model")) or endpoint.model
    try:
        for each in (text or "", refusal, finish_reason, model):
            check_imported(each)
    except Invalid as error:
        return Failure("bad_reply", str(error), True, 200)
    usage = reply.data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return {
        "text": text or "",
        "raw": reply.text,
        "model": model,
        "prompt_tokens": _count(usage.get("prompt_tokens")),
        "completion_tokens": _count(usage.get("completion_tokens")),
        "refusal": refusal,
        "finish_reason": finish_reason,
    }


def _content(value: Any) -> str | None:
    """The text of a message, whose content is a text or a list of parts; None if there is none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    texts = [part.get("text") for part in value if isinstance(part, dict) and part.get("type") == "text"]
    parts = [text for text in texts if isinstance(text, str)]
    return "".join(parts) if parts and len(parts) == len(texts) else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
