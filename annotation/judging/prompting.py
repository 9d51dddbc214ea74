"""What a model is sent: the card that people see, rubric and texts byte for byte, as plain text instead of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.models import Dimension
from annotation.selectors.cards import Asked, Card, Passage
from core.endpoints import ChatRequest

VERSION = "1"
"""Of the form of the message and of the shipped instructions: another form is another version."""
CANNOT_JUDGE = "_cannot_judge"
"""The answer beside the labels, whose codes begin with a letter or a digit."""

_TILDES = re.compile(r"~+")
_ANSWERS_ARE_DATA = "The marks of ~ around a text are not part of it."


def shipped_instructions() -> str:
    """The instructions to a judge that are used if the team writes none."""
    return (Path(__file__).parent / "prompts" / VERSION / "instructions.txt").read_text(encoding="utf-8").strip()


def request_for(card: Card, *, instructions: str, parameters: Mapping[str, Any]) -> ChatRequest:
    """The request about one item. Equal cards make equal requests: no id, no order, no time is in it."""
    messages = [{"role": "system", "content": instructions}, {"role": "user", "content": message(card)}]
    return ChatRequest(messages, dict(parameters))


def message(card: Card) -> str:
    """The rubric, the texts and the questions of a card in one text."""
    return "\n\n".join(
        [
            f"# Instructions\n\n{card.rubric}",
            f"# Item\n\n{_ANSWERS_ARE_DATA}",
            *_passages(card),
            "# Questions",
            *map(_question, card.asked),
            _how_to_answer(card.asked),
        ]
    )


def _passages(card: Card) -> Iterator[str]:
    for passage in card.earlier:
        yield f"## Before it: {passage.label}\n\n{_fenced(passage)}"
    for passage in card.passages:
        yield f"## {passage.label}\n\n{_fenced(passage)}"


def _fenced(passage: Passage) -> str:
    """The text between two lines of tildes, more than there are anywhere within it."""
    longest = max((len(found) for found in _TILDES.findall(passage.text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}\n{passage.text}\n{fence}"


def _question(asked: Asked) -> str:
    lines = [f"## {asked.code}", "", asked.question, ""]
    if asked.depends_on:
        lines += [f"Answer this only if your answer to {asked.depends_on} is {' or '.join(asked.depends_labels)}.", ""]
    if asked.proposed:
        lines += [f"Suggested: {', '.join(asked.proposed)}.", ""]
    lines += [_choice(choice.code, choice.text, choice.hint) for choice in asked.choices]
    if asked.cannot_judge:
        lines.append(_choice(CANNOT_JUDGE, asked.cannot_judge, asked.cannot_judge_meaning))
    return "\n".join(lines)


def _choice(code: str, text: str, hint: str) -> str:
    return f"- {code}: {text}" + (f" ({hint})" if hint else "")


def _how_to_answer(asked: Sequence[Asked]) -> str:
    lines = [
        "# How to answer",
        "",
        "Reply with one JSON object and nothing else. Its keys name the questions, its values are your answers:",
        "",
        *(f"- {each.code}: {_form_of(each)}" for each in asked),
    ]
    return "\n".join(lines)


def _form_of(asked: Asked) -> str:
    form = "a list of any of the codes, empty if none fits" if asked.is_multiple else "one of the codes"
    if asked.cannot_judge:
        form += f", or {CANNOT_JUDGE}"
    if asked.evidence != Dimension.Evidence.OFF:
        how = "what it rests on" if asked.evidence == Dimension.Evidence.REQUIRED else "what it rests on, if you like"
        form = f'an object {{"answer": …, "evidence": "…"}} with {form} as "answer" and {how}, in a sentence'
    if asked.depends_on:
        form += "; leave it out if it is not asked"
    elif not asked.is_required:
        form += "; you may leave it out"
    return form
