"""What the model is told. A changed word is another version: hashes of prompts name one text for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.endpoints import ChatRequest

VERSION = "seed-1"

SYSTEM = (
    "You write what one particular person would answer to a question about public or private life. "
    "Write as this person would: in everyday words, from their values, without naming them, without mentioning these "
    "instructions, and without balancing their view against others."
)
USER = """A person was asked:

<question>
{example_question}
</question>

They answered in their own words:

<answer>
{example}
</answer>

Now the same person is asked:

<question>
{question}
</question>

Write their answer in the same style and reflecting the same values, with {minimum} to {maximum} characters. \
Reply with the answer alone, without quotation marks."""


def request_for(
    *,
    question: str,
    example_question: str,
    example: str,
    minimum: int,
    maximum: int,
    parameters: Mapping[str, Any],
) -> ChatRequest:
    """The one-shot prompt of a statement on `question`."""
    filled = USER.format(
        question=question, example_question=example_question, example=example, minimum=minimum, maximum=maximum
    )
    return ChatRequest([{"role": "system", "content": SYSTEM}, {"role": "user", "content": filled}], parameters)
