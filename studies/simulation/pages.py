"""A page as a simulated participant reads it: its texts, and its forms with their fields, labels and buttons.

Only what is on the page counts. A form that a person could not use (a field without a label, no button) is a fault of
the page, and the walk of the simulated participant ends with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TypeAlias

Attributes: TypeAlias = dict[str, str]

# Elements without an end tag: they hold nothing.
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
CHOSEN = frozenset({"radio", "checkbox"})


class PageFault(Exception):
    """The page is not one that a person could use."""


@dataclass(slots=True)
class Field:
    """One input of a form. `label` is what a person would read beside it; empty if nothing names it."""

    name: str
    kind: str
    value: str = ""
    id: str = ""
    label: str = ""
    is_checked: bool = False
    group: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(slots=True)
class Button:
    """A button that sends a form, with the pair it adds to it."""

    text: str = ""
    name: str = ""
    value: str = ""


@dataclass(slots=True)
class Form:
    """A form, ready to be filled in."""

    action: str
    method: str
    fields: list[Field] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)

    def named(self, name: str) -> list[Field]:
        """The inputs of this name, in the order of the page."""
        return [each for each in self.fields if each.name == name]

    def names(self) -> list[str]:
        """The names of what a person can fill in, each once, in the order of the page."""
        return list(dict.fromkeys(each.name for each in self.fields if each.kind != "hidden"))

    def hidden(self) -> list[tuple[str, str]]:
        """What the page itself adds to the form."""
        return [(each.name, each.value) for each in self.fields if each.kind == "hidden"]

    def value_of(self, name: str) -> str:
        """The value of a hidden field, empty if there is none of this name."""
        return next((value for hidden, value in self.hidden() if hidden == name), "")

    def button(self, value: str) -> Button | None:
        """The button that sends `value`."""
        return next((each for each in self.buttons if each.value == value), None)

    def check(self) -> None:
        """Insist that a person can use this form.

        Raises
        ------
        PageFault
            If a field has no label, a group of choices no legend, or there is no button or no protection against
            forged posts.
        """
        if not self.buttons or not all(button.text for button in self.buttons):
            raise PageFault("a form has no button, or one without a text")
        if self.method == "post" and not self.value_of("csrfmiddlewaretoken"):
            raise PageFault("a form has no protection against forged posts")
        for each in self.fields:
            if each.kind == "hidden":
                continue
            if not each.label:
                raise PageFault(f"the field {each.name} ({each.value}) has no label")
            if each.kind in CHOSEN and not each.group:
                raise PageFault(f"the choices of {each.name} have no legend")


@dataclass(slots=True)
class Page:
    """What a page says: its heading, the texts that matter to the walk, and its forms."""

    heading: str = ""
    question: str = ""
    passage: str = ""
    statement: str = ""
    code: str = ""
    link: str = ""
    tally: tuple[int, ...] = ()
    has_errors: bool = False
    has_notice: bool = False
    forms: list[Form] = field(default_factory=list)


def read_page(html: str) -> Page:
    """Read the main part of a page, or a fragment of it."""
    start = html.find("<main")
    end = html.find("</main>", start)
    reader = _Reader()
    reader.feed(html[start:end] if start >= 0 else html)
    reader.close()
    reader.name_fields()
    return reader.page


class _Reader(HTMLParser):
    """Collects the texts of the elements that matter; each open one gathers the text inside it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._open: list[tuple[str, Attributes]] = []
        self._texts: list[tuple[int, list[str], str]] = []
        self._labels: dict[str, str] = {}
        self._legend = ""
        self._button: Button | None = None
        self._textarea: Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins here."""
        said = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self._open.append((tag, said))
            if gathered := _gathered(tag, said):
                self._texts.append((len(self._open), [], gathered))
        if tag == "form":
            self.page.forms.append(Form(said.get("action", ""), said.get("method", "get").lower()))
        elif tag == "fieldset":
            self._legend = ""
        elif tag == "input" or tag == "textarea":
            self._input(tag, said)
        elif tag == "button" and said.get("type", "submit") == "submit" and self.page.forms and self._inside("form"):
            self._button = Button("", said.get("name", ""), said.get("value", ""))
            self.page.forms[-1].buttons.append(self._button)
        self._notice(said)

    def handle_endtag(self, tag: str) -> None:
        """Hand the text of what ends here to where it belongs."""
        while self._open:
            depth, (name, said) = len(self._open), self._open.pop()
            if self._texts and self._texts[-1][0] == depth:
                _depth, pieces, gathered = self._texts.pop()
                self._gather(gathered, pieces, said)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """Give the text to every element that gathers it."""
        for _depth, pieces, _gathered in self._texts:
            pieces.append(data)

    def name_fields(self) -> None:
        """Give each field the label that names it by its id, as far as it is not inside one."""
        for form in self.page.forms:
            for each in form.fields:
                each.label = each.label or self._labels.get(each.id, "")

    def _inside(self, tag: str) -> bool:
        return any(name == tag for name, _said in self._open)

    def _input(self, tag: str, said: Attributes) -> None:
        if not self.page.forms or not self._inside("form") or "name" not in said:
            return
        kind = "textarea" if tag == "textarea" else said.get("type", "text")
        found = Field(
            name=said["name"],
            kind=kind,
            value=said.get("value", ""),
            id=said.get("id", ""),
            is_checked="checked" in said,
            group=self._legend if self._inside("fieldset") else "",
            minimum=_number(said.get("data-min")),
            maximum=_number(said.get("data-max")),
        )
        self.page.forms[-1].fields.append(found)
        if tag == "textarea":
            self._textarea = found

    def _notice(self, said: Attributes) -> None:
        classes = said.get("class", "").split()
        self.page.has_errors = self.page.has_errors or "error-summary" in classes
        self.page.has_notice = self.page.has_notice or ("data-announce" in said and "inset" in classes)

    def _gather(self, gathered: str, pieces: list[str], said: Attributes) -> None:
        text = plain("".join(pieces))
        if gathered == "label":
            self._labels[said.get("for", "")] = text
        elif gathered == "legend":
            self._legend = text
        elif gathered == "button" and self._button is not None:
            self._button.text, self._button = text, None
        elif gathered == "textarea" and self._textarea is not None:
            self._textarea.value = "".join(pieces).removeprefix("\n")
        elif gathered == "tally":
            self.page.tally = tuple(int(word.strip(".")) for word in text.split() if word.strip(".").isdigit())
        elif gathered in _ON_PAGE and not getattr(self.page, gathered):
            setattr(self.page, gathered, text)


_ON_PAGE = frozenset({"heading", "question", "passage", "statement", "code", "link"})
_BY_TAG = {"label": "label", "legend": "legend", "button": "button", "textarea": "textarea", "h1": "heading"}
_BY_ID = {"statement-text": "statement", "answer": "passage", "completion-code": "code", "resume-link": "link"}
_BY_CLASS = {"question": "question", "tally": "tally"}


def _gathered(tag: str, said: Attributes) -> str:
    """What the text of an element is; empty if it does not matter to the walk."""
    return _BY_TAG.get(tag) or _BY_ID.get(said.get("id", "")) or _BY_CLASS.get(said.get("class", ""), "")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def plain(text: str) -> str:
    """`text` as it is compared: every run of blanks and line breaks one blank."""
    return " ".join(text.split())
