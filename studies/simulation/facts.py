"""What a study's definition says about the texts on its pages: which question, source or seed a text is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from studies.simulation.pages import plain


@dataclass(frozen=True, slots=True)
class Facts:
    """Codes by the text that a page shows, and the form's items by their code."""

    slug: str
    questions: Mapping[str, str]
    sources: Mapping[tuple[str, str], str]
    seeds: Mapping[tuple[str, str], str]
    items: Mapping[str, Mapping[str, Any]]
    stances: tuple[str, ...]
    codes: Mapping[str, str]

    @classmethod
    def of(cls, definition: Mapping[str, Any]) -> Facts:
        """Read the definition of a published study."""
        return cls(
            slug=definition["slug"],
            questions={plain(each["text"]): each["code"] for each in definition["questions"]},
            sources=_by_text(definition.get("answers", ()), "source"),
            seeds=_by_text(definition.get("seeds", ()), "code"),
            items={each["code"]: each for each in definition.get("form", ())},
            stances=tuple(each["value"] for each in definition.get("write", {}).get("stance", ())),
            codes={code: outcome for outcome, code in (definition.get("codes") or {}).items() if code},
        )


def _by_text(rows: Iterable[Mapping[str, Any]], name: str) -> dict[tuple[str, str], str]:
    return {(each["question"], plain(each["text"])): each[name] for each in rows}
