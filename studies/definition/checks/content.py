"""Questions, answers and the form: what is missing, doubled or contradictory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.text import is_blank
from studies.definition.checks.problem import Problem, error, repeated, some, warning
from studies.definition.checks.texts import has_questions

Definition = Mapping[str, Any]
CHOICES = ("single", "multiple")
_IDENTIFYING = re.compile(
    r"\b(?:e-?mail|phone|telephone|date of birth|birthday|full name|first name|last name|surname|initials|"
    r"(?:home|street|postal) address|post ?code|zip code|employer|user ?name)\b",
    re.IGNORECASE,
)


def check_questions(definition: Definition) -> Iterator[Problem]:
    """Each participant needs enough questions, and no question twice."""
    if not has_questions(definition):
        return
    n, each = len(definition["questions"]), definition["assignment"]["questions_each"]
    if n < each:
        message = ngettext(
            "There is %(n)d question, but each participant is to get %(each)d.",
            "There are %(n)d questions, but each participant is to get %(each)d.",
            n,
        )
        yield error("questions", message % {"n": n, "each": each})
    for group in _equal_texts(definition["questions"]):
        message = _("These questions have the same text: %(codes)s.")
        yield error("questions", message % {"codes": some([row["code"] for row in group])})
    if any(is_blank(row["text"]) for row in definition["questions"]):
        codes = [row["code"] for row in definition["questions"] if is_blank(row["text"])]
        yield error("questions", _("These questions have no text: %(codes)s.") % {"codes": some(codes)})


def check_answers(definition: Definition) -> Iterator[Problem]:
    """To be rated, every source needs an answer to every question."""
    if "rate" not in definition["blocks"]:
        return
    if not definition["sources"]:
        yield error(
            "sources", _("There is nothing to rate: add sources and their answers, or leave out the block “rate”.")
        )
    there = {(row["question"], row["source"]) for row in definition["answers"]}
    pairs = [(row["code"], source["code"]) for row in definition["questions"] for source in definition["sources"]]
    lacking = [f"{question}/{source}" for question, source in pairs if (question, source) not in there]
    if lacking:
        message = ngettext(
            "%(n)d answer is missing (question/source): %(pairs)s.",
            "%(n)d answers are missing (question/source): %(pairs)s.",
            len(lacking),
        )
        yield error("answers", message % {"n": len(lacking), "pairs": some(lacking)})
    blank = [f"{row['question']}/{row['source']}" for row in definition["answers"] if is_blank(row["text"])]
    if blank:
        yield error("answers", _("These answers have no text: %(pairs)s.") % {"pairs": some(blank)})
    yield from _equal_answers(definition)


def _equal_answers(definition: Definition) -> Iterator[Problem]:
    by_question = defaultdict(list)
    for row in definition["answers"]:
        by_question[row["question"]].append(row)
    for question, rows in by_question.items():
        for group in _equal_texts(rows):
            message = _("To question %(question)s these sources answer with the same text: %(codes)s.")
            codes = some([row["source"] for row in group])
            yield warning("answers", message % {"question": question, "codes": codes})


def check_seeds(definition: Definition) -> Iterator[Problem]:
    """A statement that is there twice splits its votes."""
    by_question = defaultdict(list)
    for row in definition.get("seeds", []):
        by_question[row["question"]].append(row)
    for question, rows in by_question.items():
        for group in _equal_texts(rows):
            message = _("These seeds of question %(question)s have the same text: %(codes)s.")
            codes = some([row["code"] for row in group])
            yield error("seeds", message % {"question": question, "codes": codes})


def check_personal(definition: Definition) -> Iterator[Problem]:
    """Recruiters forbid asking who somebody is, and consent rarely covers it."""
    for item in definition["form"]:
        found = _IDENTIFYING.search(f"{item['label']} {item['hint']}")
        if found:
            message = _("“%(word)s”: the item seems to ask who somebody is. Prolific forbids that.")
            yield warning(f"form.{item['code']}", message % {"word": found.group()})


def _equal_texts(rows: list[Any]) -> list[list[Any]]:
    by_text = defaultdict(list)
    for row in rows:
        by_text[" ".join(row["text"].split())].append(row)
    return [group for group in by_text.values() if len(group) > 1]


def check_form(definition: Definition) -> Iterator[Problem]:
    """A form block has items, and an item options or bounds that can be met."""
    items, blocks = definition["form"], list(definition["blocks"])
    if "form" in blocks and not items:
        yield error("form", _("The form has no items: add some, or leave out the block “form”."))
    if "form" not in blocks and items:
        yield warning("form", _("The form is not among the blocks, so its items are never shown."))
    for item in items:
        yield from _check_item(item)
    if any(option["screens_out"] for item in items for option in item["options"]) and blocks[1:2] != ["form"]:
        message = _("An option screens out, so the form must follow directly after consent: nobody works in vain.")
        yield error("blocks", message)


def _check_item(item: Mapping[str, Any]) -> Iterator[Problem]:
    where, options = f"form.{item['code']}", item["options"]
    if item["kind"] in CHOICES and len(options) < 2:
        yield error(where, _("A choice needs at least two options."))
    if item["kind"] not in CHOICES and options:
        yield error(where, _("Only choices have options."))
    for key in ("value", "label"):
        doubled = repeated(option[key] for option in options)
        if doubled:
            yield error(where, _("These options stand there twice: %(options)s.") % {"options": some(doubled)})
    minimum, maximum = item["minimum"], item["maximum"]
    if minimum is not None and maximum is not None and minimum > maximum:
        message = _("The smallest value (%(minimum)d) exceeds the largest (%(maximum)d).")
        yield error(where, message % {"minimum": minimum, "maximum": maximum})
    if item["kind"] == "text" and maximum is not None and maximum < 1:
        yield error(where, _("A text must be allowed at least one character."))


def check_writing(definition: Definition) -> Iterator[Problem]:
    """What is asked about a question beside the free response: stance and importance."""
    write = definition["write"]
    if "write" not in definition["blocks"]:
        return
    if write["minimum"] > write["maximum"]:
        yield error("write", _("The fewest characters exceed the most."))
    if len(write["stance"]) == 1:
        yield error("write.stance", _("One stance is no choice: give at least two, or none to leave it out."))
    for key in ("value", "label"):
        doubled = repeated(option[key] for option in write["stance"])
        if doubled:
            yield error("write.stance", _("These stand there twice: %(options)s.") % {"options": some(doubled)})
    if is_blank(write["importance"]["low"]) or is_blank(write["importance"]["high"]):
        yield error("write.importance", _("The ends of the scale need words."))


def check_rating(definition: Definition) -> Iterator[Problem]:
    """How model answers are rated is explained, and the scale has named ends."""
    rate = definition["rate"]
    if "rate" not in definition["blocks"]:
        return
    if is_blank(rate["instructions"]):
        yield error("rate.instructions", _("The rating instructions are missing."))
    if is_blank(rate["low"]) or is_blank(rate["high"]):
        yield error("rate", _("The ends of the scale need words."))
