"""Specifications of single values: text, numbers, choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.errors import Invalid, Message, Problems, nearest, shown
from core.strictyaml.nodes import ListNode, MapNode, Node, ScalarNode
from core.strictyaml.scalars import Look, look_in_words
from core.strictyaml.schema import INVALID, ListOf, Spec, below, complain
from core.text import check_imported, count_characters, is_blank

MAXIMUM_DIGITS = 18
"""Whole numbers of more digits are not stored exactly everywhere."""

SLUG_SAYS = gettext_lazy("Use lower-case letters a-z, digits and single hyphens between them.")
CODE_SAYS = gettext_lazy("Begin with a letter or digit, and use letters a-z, digits, hyphen, underscore, dot.")


@dataclass(frozen=True)
class Text(Spec):
    """A text: quoted, a block, or plain if no program takes it for anything else. Lengths count characters."""

    minimum: int = 0
    maximum: int | None = None
    blank: bool = False
    one_line: bool = False
    pattern: str | None = None
    pattern_says: Message = ""

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return the text unchanged."""
        text = _text_of(node, problems, at)
        if text is None:
            return INVALID
        fault = self.fault_of(text)
        return text if fault is None else complain(problems, node, at, *fault)

    def fault_of(self, text: str) -> tuple[str, str] | None:
        """Return what is wrong with `text`, and the remedy."""
        if is_blank(text):
            return None if self.blank else (_("This text is empty."), _("Write it, or remove the key."))
        if self.one_line and ("\n" in text or "\r" in text):
            return _("This text must be on one line."), _("Remove the line break.")
        if self.pattern is not None and not re.fullmatch(self.pattern, text):
            return _("%(text)s has not the right form.") % {"text": shown(text)}, str(self.pattern_says)
        return self._length_fault(text)

    def _length_fault(self, text: str) -> tuple[str, str] | None:
        n = count_characters(text)
        if n < self.minimum:
            limit = ngettext("at least %(n)d is needed", "at least %(n)d are needed", self.minimum) % {
                "n": self.minimum
            }
        elif self.maximum is not None and n > self.maximum:
            limit = ngettext("at most %(n)d is possible", "at most %(n)d are possible", self.maximum) % {
                "n": self.maximum
            }
        else:
            return None
        count = ngettext("The text has %(n)d character; %(limit)s.", "The text has %(n)d characters; %(limit)s.", n)
        return count % {"n": n, "limit": limit}, ""


@dataclass(frozen=True)
class Slug(Text):
    """A name for addresses: lower-case letters, digits and single hyphens between them."""

    maximum: int | None = 50
    pattern: str | None = r"[a-z0-9]+(?:-[a-z0-9]+)*"
    pattern_says: Message = SLUG_SAYS


@dataclass(frozen=True)
class Code(Text):
    """A stable code of a row: letters, digits, hyphen, underscore and dot."""

    maximum: int | None = 64
    pattern: str | None = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
    pattern_says: Message = CODE_SAYS


@dataclass(frozen=True)
class Choice(Spec):
    """One of several texts."""

    values: Sequence[str]

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return the text."""
        text = _text_of(node, problems, at)
        if text is None or text in self.values:
            return INVALID if text is None else text
        message = _("%(text)s is not possible here.") % {"text": shown(text)}
        return complain(problems, node, at, message, nearest(text, self.values))


@dataclass(frozen=True)
class Boolean(Spec):
    """`true` or `false`, and nothing else."""

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return a `bool`."""
        if isinstance(node, ScalarNode) and node.look is Look.BOOLEAN:
            return node.text.lower() == "true"
        return complain(
            problems, node, at, _("True or false is expected here."), _("Write true or false, without quotes.")
        )


@dataclass(frozen=True)
class Number(Spec):
    """A number."""

    minimum: float | None = None
    maximum: float | None = None

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return an `int` if it was written as one, else a `float`."""
        number = _number_of(node)
        if number is None:
            return complain(problems, node, at, _("A number is expected here."), _("Write it as 4.5, without quotes."))
        return _within(number, self.minimum, self.maximum, node, problems, at)


@dataclass(frozen=True)
class Integer(Spec):
    """A whole number, in decimal digits without leading zeros."""

    minimum: int | None = None
    maximum: int | None = None

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return an `int`."""
        number = _number_of(node)
        if not isinstance(number, int):
            return complain(
                problems, node, at, _("A whole number is expected here."), _("Write it as 45, without quotes.")
            )
        return _within(number, self.minimum, self.maximum, node, problems, at)


@dataclass(frozen=True)
class Anything(Spec):
    """Free data, by the core schema of YAML 1.2; what programs read differently must be quoted."""

    nullable: bool = field(default=True, kw_only=True)

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return whatever stands there."""
        if isinstance(node, ListNode):
            return ListOf(self).value(node, problems, at)
        if isinstance(node, MapNode):
            pairs = {key.text: self.check(value, problems, below(at, key.text)) for key, value in node.entries}
            return INVALID if any(value is INVALID for value in pairs.values()) else pairs
        return self._scalar(node, problems, at)

    def _scalar(self, node: Node, problems: Problems, at: str) -> Any:
        look = node.look if isinstance(node, ScalarNode) else Look.TEXT
        if look is Look.BOOLEAN:
            return Boolean().value(node, problems, at)
        if look in (Look.INTEGER, Look.NUMBER):
            number = _number_of(node)
            message = _("This is no number that can be stored.")
            return complain(problems, node, at, message, _("Put it in quotes.")) if number is None else number
        text = _text_of(node, problems, at)
        return INVALID if text is None else text


def _text_of(node: Node, problems: Problems, at: str) -> str | None:
    if not isinstance(node, ScalarNode):
        complain(problems, node, at, _("A text is expected here."))
    elif node.look is Look.NULL:
        complain(
            problems, node, at, _("A text is expected here, but there is none."), _("Write it, or remove the key.")
        )
    elif node.look is not Look.TEXT:
        message = _("A text is expected here, but %(text)s without quotes is read as %(look)s.")
        message %= {"text": node.text, "look": look_in_words(node.look)}
        complain(problems, node, at, message, _('Put it in quotes: "%(text)s".') % {"text": node.text})
    else:
        try:
            return check_imported(node.text)
        except Invalid as error:
            complain(problems, node, at, str(error), _("Write the character itself instead of an escape."))
    return None


def _number_of(node: Node) -> int | float | None:
    if not isinstance(node, ScalarNode) or len(node.text) > 40:
        return None
    if node.look is Look.INTEGER:
        return int(node.text) if len(node.text.lstrip("+-")) <= MAXIMUM_DIGITS else None
    if node.look is Look.NUMBER and node.text.lstrip("+-.")[:1].isdigit():
        number = float(node.text)
        return number if abs(number) != float("inf") else None
    return None


def _within(
    number: float, minimum: float | None, maximum: float | None, node: Node, problems: Problems, at: str
) -> Any:
    if minimum is not None and number < minimum:
        return complain(problems, node, at, _("The number is below %(limit)s.") % {"limit": minimum})
    if maximum is not None and number > maximum:
        return complain(problems, node, at, _("The number is above %(limit)s.") % {"limit": maximum})
    return number
