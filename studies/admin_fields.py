"""Form fields of the admin: lists of JSON written as lines, and texts that are stored as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from core.errors import Invalid, nearest, shown
from core.text import check_imported, is_blank, normalise_typed
from studies.definition.keys import OUTCOMES
from studies.definition.schema import block_kinds

SCREENS_OUT = "[screens out]"
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class TypedText(forms.CharField):
    """A text kept as typed: nothing stripped, line ends as LF, so that saving a form unchanged changes nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "strip": False})

    def to_python(self, value: Any) -> str:
        """The text, or why it cannot be stored; what shows nothing is empty."""
        text: str = super().to_python(value)
        try:
            return "" if is_blank(text) else normalise_typed(text)
        except Invalid as error:
            raise ValidationError(str(error), code=error.code) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Line ends alone are no change: every form sends its own."""
        return super().has_changed(None if initial is None else normalise_typed(initial), data)


class LinesField(forms.CharField):
    """A list written one entry a line; problems name the line."""

    widget = AdminTextareaWidget

    def prepare_value(self, value: Any) -> Any:
        """The lines of a list; what was typed stays as it is."""
        if isinstance(value, str) or value is None:
            return value
        return "\n".join(self.line_of(entry) for entry in value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Compare as lines: the initial value is a list."""
        before, after = (_lines(self.prepare_value(value) or "") for value in (initial, data))
        return before != after

    def clean(self, value: Any) -> Any:
        """The list, or what is wrong in which line."""
        text = super().clean(value)
        entries, problems = [], []
        for number, line in enumerate(_lines(text), start=1):
            if not line.strip():
                continue
            try:
                entries.append(self.entry_of(check_imported(line)))
            except Invalid as error:
                problems.append(_("Line %(n)d: %(why)s") % {"n": number, "why": error})
        problems += self.repeated(entries)
        if problems:
            raise ValidationError(problems)
        return self.value_of(entries)

    def line_of(self, entry: Any) -> str:
        """An entry as a line."""
        return str(entry)

    def entry_of(self, line: str) -> Any:
        """The entry that a line writes; raises `Invalid` if it writes none."""
        return line

    def name_of(self, entry: Any) -> str:
        """By what an entry is told from others."""
        return str(entry)

    def value_of(self, entries: Sequence[Any]) -> Any:
        """What the field gives for the entries."""
        return list(entries)

    def repeated(self, entries: Sequence[Any]) -> Iterator[str]:
        """Entries that stand there twice."""
        names = [self.name_of(entry) for entry in entries]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield _("%(name)s stands there more than once.") % {"name": shown(name)}


def _lines(text: str) -> list[str]:
    """The lines of a text, cut at line ends only: U+2028 and the like may stand in a label."""
    return [line.strip() for line in normalise_typed(text).split("\n")]


class BlocksField(LinesField):
    """The blocks of a session in their order."""

    def entry_of(self, line: str) -> str:
        """A kind of block."""
        if line not in block_kinds():
            message = _("There is no block %(kind)s. %(remedy)s")
            raise Invalid(message % {"kind": shown(line), "remedy": nearest(line, block_kinds())})
        return line


class OptionsField(LinesField):
    """Options as `value = label`; an option of a form item may end in [screens out]."""

    def __init__(self, *, may_screen_out: bool = False, **kwargs: Any) -> None:
        self.may_screen_out = may_screen_out
        super().__init__(**kwargs)

    def line_of(self, entry: Mapping[str, Any]) -> str:
        """`value = label`."""
        mark = f" {SCREENS_OUT}" if self.may_screen_out and entry.get("screens_out") else ""
        return f"{entry['value']} = {entry['label']}{mark}"

    def entry_of(self, line: str) -> dict[str, Any]:
        """Value and label, and whether choosing it screens out."""
        value, found, label = (part.strip() for part in line.partition("="))
        if not found or not label:
            raise Invalid(_("Write “value = label”, not %(line)s.") % {"line": shown(line)})
        if not _VALUE.fullmatch(value):
            message = _("The value %(value)s must be letters a-z, digits, “-”, “_” and “.”, at most 64.")
            raise Invalid(message % {"value": shown(value)})
        entry: dict[str, Any] = {"value": value, "label": label}
        if self.may_screen_out:
            entry["screens_out"] = label.endswith(SCREENS_OUT)
            entry["label"] = label.removesuffix(SCREENS_OUT).strip()
        return entry

    def name_of(self, entry: Mapping[str, Any]) -> str:
        """The value."""
        return str(entry["value"])


class CodesField(LinesField):
    """Completion codes as `outcome = code`."""

    def prepare_value(self, value: Any) -> Any:
        """A line for each code there is."""
        return super().prepare_value(list(value.items()) if isinstance(value, Mapping) else value)

    def line_of(self, entry: tuple[str, str]) -> str:
        """`outcome = code`."""
        return f"{entry[0]} = {entry[1]}"

    def entry_of(self, line: str) -> tuple[str, str]:
        """Outcome and code."""
        outcome, _found, code = (part.strip() for part in line.partition("="))
        if outcome not in OUTCOMES:
            message = _("There is no outcome %(outcome)s. %(remedy)s")
            raise Invalid(message % {"outcome": shown(outcome), "remedy": nearest(outcome, OUTCOMES)})
        if not re.fullmatch("[A-Za-z0-9_-]{4,64}", code):
            raise Invalid(_("A code has 4 to 64 letters, digits, hyphens and underscores."))
        return outcome, code

    def name_of(self, entry: tuple[str, str]) -> str:
        """The outcome."""
        return entry[0]

    def value_of(self, entries: Sequence[tuple[str, str]]) -> dict[str, str]:
        """The codes by outcome."""
        return dict(entries)
