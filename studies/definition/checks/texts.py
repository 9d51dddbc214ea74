"""What participants must be told, and the order in which a session tells them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from core import registry
from core.text import is_blank
from studies.definition.checks.problem import Problem, error, repeated, some, warning

Definition = Mapping[str, Any]


def check_texts(definition: Definition) -> Iterator[Problem]:
    """Consent, contact and ethics approval have to be there; what participants read first should be."""
    needed = {
        "consent": (definition["consent"], _("The consent text is missing.")),
        "contact": (definition["contact"], _("Participants need a contact: how to reach the team.")),
        "ethics.body": (definition["ethics"]["body"], _("The ethics body that approved the study is missing.")),
        "ethics.protocol": (definition["ethics"]["protocol"], _("The ethics body's protocol number is missing.")),
    }
    for where, (text, message) in needed.items():
        if is_blank(text):
            yield error(where, message)
    if is_blank(definition["summary"]):
        yield warning(
            "summary", _("The first page says nothing about the study: write the information for participants.")
        )
    if is_blank(definition["debrief"]):
        yield warning("debrief", _("The closing page says nothing: write what the study was about, and thanks."))


def check_blocks(definition: Definition) -> Iterator[Problem]:
    """A session begins with consent, ends with the debriefing, and goes through known blocks once each."""
    blocks = list(definition["blocks"])
    known = block_kinds()
    unknown = [kind for kind in blocks if kind not in known]
    if unknown:
        message = _("Unknown blocks: %(blocks)s. Known are %(known)s.")
        yield error("blocks", message % {"blocks": some(unknown), "known": ", ".join(known)})
    if repeated(blocks):
        yield error("blocks", _("These blocks stand there twice: %(blocks)s.") % {"blocks": some(repeated(blocks))})
    if blocks[:1] != ["consent"]:
        yield error("blocks", _("The first block must be “consent”: nothing is asked before it."))
    if blocks[-1:] != ["debrief"]:
        yield error("blocks", _("The last block must be “debrief”: it shows the completion code."))


def block_kinds() -> list[str]:
    """The kinds of block a session can go through. The debriefing is no app's: it stands on the end page."""
    return [*registry.block_kinds(), "debrief"]


def has_questions(definition: Definition) -> bool:
    """Whether a session of this definition goes through questions."""
    return any(_is_per_question(kind) for kind in definition["blocks"])


def _is_per_question(kind: str) -> bool:
    return kind in registry.block_kinds() and registry.block_runner(kind).per_question
