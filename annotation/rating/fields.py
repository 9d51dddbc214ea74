"""The form of an item: its fields as a page shows them, and what a post of it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.answers import Given
from annotation.models import Dimension, Judgement
from annotation.selectors.cards import Asked, Card
from core.text import is_blank

Values = Mapping[str, Sequence[str]]
Missing = Judgement.Missing

CANNOT_JUDGE = "__cannot_judge__"
NONE_FITS = "__none__"
SKIPPED = "__skipped__"
"""Values beside the labels, whose codes cannot begin with an underscore twice."""
KEYS = "123456789abdefghilmoqrtuvwyz"
"""Keys of the labels of a question, in their order: digits, then letters that mean nothing else on the page."""
KEY_OF_CANNOT_JUDGE = "0"
OF_THE_FORM = frozenset({"assignment", "version", "key", "action"})


def name_of(code: str) -> str:
    """The name of a question's field, which is also the id of its first input."""
    return f"answer-{code}"


def evidence_name_of(code: str) -> str:
    """The name and id of the field for what an answer rests on."""
    return f"evidence-{code}"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a question as the page shows it."""

    value: str
    text: str
    id: str
    hint: str = ""
    key: str = ""
    is_checked: bool = False
    is_suggested: bool = False
    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One question as the page shows it. `after` says in words after which answers it is asked."""

    asked: Asked
    name: str
    options: Sequence[Option]
    error: str = ""
    after: str = ""
    depends_name: str = ""
    evidence_name: str = ""
    evidence: str = ""

    @property
    def described_by(self) -> str:
        """The ids of what describes the group of choices."""
        parts = {"after": self.after, "hint": self.asked.is_multiple, "error": self.error}
        return " ".join(f"{part}-{self.name}" for part, is_there in parts.items() if is_there)


@dataclass(slots=True)
class Read:
    """What a post says: answers by the code of the question, and messages by field where it contradicts itself."""

    given: dict[str, Given] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def fields_of(card: Card, values: Values, errors: Mapping[str, str]) -> list[Field]:
    """The questions of a card, with what was chosen and typed, and with what is wrong, by the name of the field."""
    by_code = {asked.code: asked for asked in card.asked}
    return [_field(asked, by_code, values, errors) for asked in card.asked]


def _field(asked: Asked, by_code: Mapping[str, Asked], values: Values, errors: Mapping[str, str]) -> Field:
    name = name_of(asked.code)
    typed = values.get(evidence_name_of(asked.code), ())
    return Field(
        asked,
        name,
        _options(asked, set(values.get(name, ()))),
        error=errors.get(name, ""),
        after=_after(asked, by_code),
        depends_name=name_of(asked.depends_on) if asked.depends_on else "",
        evidence_name="" if asked.evidence == Dimension.Evidence.OFF else evidence_name_of(asked.code),
        evidence=typed[-1] if typed else "",
    )


def _after(asked: Asked, by_code: Mapping[str, Asked]) -> str:
    """In words, after which answers the question is asked."""
    if not asked.depends_on:
        return ""
    other = by_code[asked.depends_on]
    labels = [choice.text for choice in other.choices if choice.code in asked.depends_labels]
    says = _("Only if you chose %(labels)s at “%(question)s”. Otherwise leave this out.")
    return says % {"labels": _(" or ").join(f"“{label}”" for label in labels), "question": other.name}


def _options(asked: Asked, chosen: set[str]) -> list[Option]:
    rows = [(choice.code, choice.text, choice.hint, False) for choice in asked.choices]
    if asked.is_multiple:
        rows.append((NONE_FITS, _("None of these"), "", True))
    if asked.cannot_judge:
        rows.append((CANNOT_JUDGE, asked.cannot_judge, asked.cannot_judge_meaning, True))
    if not asked.is_required:
        rows.append((SKIPPED, _("No answer"), "", True))
    keys = iter(KEYS)
    return [
        Option(
            value,
            text,
            id=name_of(asked.code) if i == 0 else f"choice-{i + 1}-{asked.code}",
            hint=hint,
            key=KEY_OF_CANNOT_JUDGE if value == CANNOT_JUDGE else next(keys, ""),
            is_checked=value in chosen,
            is_suggested=value in asked.proposed,
            is_aside=is_aside,
        )
        for i, (value, text, hint, is_aside) in enumerate(rows)
    ]


def values_of(card: Card, answers: Mapping[str, Judgement]) -> dict[str, list[str]]:
    """What the fields hold for stored answers, as they were shown."""
    values: dict[str, list[str]] = {}
    for asked in card.asked:
        row = answers.get(asked.code)
        if row is None:
            continue
        values[name_of(asked.code)] = _chosen(row)
        values[evidence_name_of(asked.code)] = [row.evidence]
    return values


def _chosen(row: Judgement) -> list[str]:
    if row.labels is not None:
        return list(row.labels) or [NONE_FITS]
    if row.shown_label is not None:
        return [row.shown_label.code]
    return {Missing.CANNOT_JUDGE: [CANNOT_JUDGE], Missing.SKIPPED: [SKIPPED]}.get(Missing(row.missing or ""), [])


def read(card: Card, values: Values, *, accepts_suggestions: bool = False) -> Read:
    """What a post says to the questions of a card; the service decides which of them apply."""
    found = Read()
    for asked in card.asked:
        name = name_of(asked.code)
        chosen = list(asked.proposed) if accepts_suggestions and asked.proposed else list(values.get(name, ()))
        typed = values.get(evidence_name_of(asked.code), ())
        evidence = typed[-1] if typed else ""
        if NONE_FITS in chosen and len(chosen) > 1:
            found.errors[name] = _("Please choose either “None of these” or labels that fit.")
        else:
            found.given[asked.code] = _given(asked, chosen, evidence)
    return found


def _given(asked: Asked, chosen: Sequence[str], evidence: str) -> Given:
    labels = [value for value in chosen if value not in (CANNOT_JUDGE, NONE_FITS, SKIPPED)]
    missing = None
    if CANNOT_JUDGE in chosen:
        missing = str(Missing.CANNOT_JUDGE)
    elif SKIPPED in chosen or (not chosen and not asked.is_required and not is_blank(evidence)):
        missing = str(Missing.SKIPPED)
    if asked.is_multiple:
        said = labels if labels or NONE_FITS in chosen else None
        return Given(labels=said, missing=missing, evidence=evidence)
    if len(labels) > 1:  # by no page of ours; the service says what is wrong
        return Given(labels=labels, missing=missing, evidence=evidence)
    return Given(label=labels[0] if labels else None, missing=missing, evidence=evidence)


def said(card: Card, answers: Mapping[str, Judgement]) -> list[tuple[str, str]]:
    """Stored answers in words: the name of each question and what was answered."""
    return [(asked.name, _in_words(asked, answers[asked.code])) for asked in card.asked if asked.code in answers]


def _in_words(asked: Asked, row: Judgement) -> str:
    texts = {choice.code: choice.text for choice in asked.choices}
    if row.labels is not None:
        return ", ".join(texts[code] for code in row.labels) or _("None of these")
    if row.shown_label is not None:
        return row.shown_label.text
    if row.missing == Missing.CANNOT_JUDGE:
        return asked.cannot_judge
    return {Missing.NOT_APPLICABLE: _("does not apply")}.get(Missing(row.missing or ""), _("no answer"))
