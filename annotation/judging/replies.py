"""Reading a model's reply: an answer where it states one in the form asked for, else that it could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.answers import EVIDENCE_MAXIMUM, Given
from annotation.judging.prompting import CANNOT_JUDGE
from annotation.models import Dimension, Judgement
from annotation.selectors.cards import Asked, Card
from core.endpoints import spoken
from core.errors import Invalid
from core.text import normalise_typed

Missing = Judgement.Missing
UNREADABLE = Given(missing=Missing.UNPARSABLE)


def refused(card: Card) -> dict[str, Given]:
    """What a model that declined has answered: that, on everything."""
    return {asked.code: Given(missing=Missing.REFUSED) for asked in card.asked}


def read(card: Card, text: str) -> dict[str, Given]:
    """The answers that a reply states. Codes are taken exactly; nothing is guessed from words or from what is near.

    What is asked only after another answer and does not apply is left out.
    """
    said = _object_in(spoken(text))
    if said is None or said.keys() - {asked.code for asked in card.asked}:
        return {asked.code: UNREADABLE for asked in card.asked}
    found: dict[str, Given] = {}
    for asked in card.asked:
        given = _given(asked, said) if _applies(asked, found) else None
        if given is not None:
            found[asked.code] = given
    return found


def _applies(asked: Asked, found: Mapping[str, Given]) -> bool:
    if not asked.depends_on:
        return True
    other = found.get(asked.depends_on, Given())
    return bool({other.label, *(other.labels or ())} & set(asked.depends_labels))


def unreadable(given: Mapping[str, Given]) -> bool:
    """Whether some answer could not be read."""
    return any(each.missing == Missing.UNPARSABLE for each in given.values())


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says nothing twice: of two answers to one question neither is taken."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key} is there twice")
        found[key] = value
    return found


def _given(asked: Asked, said: Mapping[str, Any]) -> Given | None:
    value = said.get(asked.code)
    if value is None:
        return None if not asked.is_required else UNREADABLE
    evidence = ""
    if isinstance(value, dict):
        if not value.keys() <= {"answer", "evidence"} or not isinstance(value.get("evidence", ""), str):
            return UNREADABLE
        evidence, value = _storable(value.get("evidence", "")), value.get("answer")
    if value == CANNOT_JUDGE and asked.cannot_judge:
        return Given(missing=Missing.CANNOT_JUDGE, evidence=evidence)
    if asked.evidence == Dimension.Evidence.REQUIRED and not evidence:
        return UNREADABLE
    return _labelled(asked, value, evidence)


def _storable(evidence: str) -> str:
    """What a model rests its answer on, as far as it can be stored; the whole of it stays in the raw output."""
    try:
        return normalise_typed(evidence).strip()[:EVIDENCE_MAXIMUM]
    except Invalid:
        return ""


def _labelled(asked: Asked, value: Any, evidence: str) -> Given:
    codes = {choice.code for choice in asked.choices}
    if asked.is_multiple:
        are_codes = isinstance(value, list) and all(isinstance(each, str) and each in codes for each in value)
        return Given(labels=value, evidence=evidence) if are_codes else UNREADABLE
    return Given(label=value, evidence=evidence) if isinstance(value, str) and value in codes else UNREADABLE
