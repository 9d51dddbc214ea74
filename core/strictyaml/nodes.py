"""From YAML text to a tree of nodes that know where they stand and whether they were quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from core.errors import BadInput, InputProblem, Problems, bad_file, shown
from core.strictyaml.scalars import Look, look_in_words, look_of

MAXIMUM_DEPTH = 40

_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ScalarNode(Node):
    """A text as written; `plain` if it was neither quoted nor a block."""

    text: str
    plain: bool

    @property
    def look(self) -> Look:
        """What the scalar is taken for."""
        return look_of(self.text) if self.plain else Look.TEXT


@dataclass(frozen=True, slots=True)
class ListNode(Node):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MapNode(Node):
    """A mapping; its keys are texts and differ."""

    entries: tuple[tuple[ScalarNode, Node], ...]

    def get(self, key: str) -> Node | None:
        """Return the node under `key`, if there is one."""
        return next((value for name, value in self.entries if name.text == key), None)


def load(text: str, name: str, problems: Problems | None = None) -> Node:
    """Return the tree of the one YAML document in `text`; `name` is the file's name in messages.

    What breaks the syntax raises `BadInput` at once. What can be read past (a duplicate key, an anchor, a key that
    is no text) is added to `problems` if given, so that the caller can go on collecting, else raised at the end.
    """
    collected = Problems() if problems is None else problems
    _check_characters(text, name)
    builder = _Builder(name, collected)
    try:
        node = builder.build(YAML(typ="safe", pure=True).parse(text))
    except MarkedYAMLError as error:
        raise _syntax_problem(name, error) from error
    except (ValueError, OverflowError) as error:
        message = _("An escape such as \\UFFFFFFFF stands for no character.")
        raise bad_file(name, message, _("Write the character itself."), line=builder.line) from error
    if problems is None:
        collected.raise_if_any()
    return node


def locate(node: Node, *path: str | int) -> Node:
    """Return the node at `path` below `node`, or the last one on the way that exists."""
    for step in path:
        below: Node | None = None
        if isinstance(node, MapNode) and isinstance(step, str):
            below = node.get(step)
        elif isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        if below is None:
            break
        node = below
    return node


def _check_characters(text: str, name: str) -> None:
    """Refuse what YAML forbids unescaped, and the three line ends on which its programs disagree."""
    found = _NOT_IN_YAML.search(text)
    if found is None:
        return
    before = text[: found.start()]
    raise bad_file(
        name,
        _("The character U+%(code)04X must not stand in YAML as it is.") % {"code": ord(found.group())},
        _("Remove it, or write it in double quotes as an escape such as \\u2028."),
        line=before.count("\n") + 1,
        column=found.start() - before.rfind("\n"),
    )


def _syntax_problem(name: str, error: MarkedYAMLError) -> BadInput:
    mark = error.problem_mark or error.context_mark
    parts = [str(part) for part in (error.problem, error.context) if part]
    return bad_file(
        name,
        _("This is not valid YAML: %(reason)s.") % {"reason": ", ".join(parts)},
        _("Look at this line and the one before: indentation by spaces, a space after “:”, quotes closed."),
        line=None if mark is None else mark.line + 1,
        column=None if mark is None else mark.column + 1,
    )


class _Builder:
    """Builds the tree from the parser's events, so that style, place and every duplicate are seen."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.line = 1  # of the node read last

    def build(self, events: Iterator[Any]) -> Node:
        root: Node | None = None
        for event in events:
            if isinstance(event, DocumentStartEvent):
                if root is not None:
                    self.complain(event, _("A second document begins here."), _("Keep one document a file."))
                    return root
                self.refuse_directives(event)
                root = self.node(next(events), events, depth=1)
        if root is None:
            raise bad_file(self.name, _("The file is empty."), line=1)
        return root

    def refuse_directives(self, event: Any) -> None:
        if event.version is not None or event.tags:
            self.complain(
                event, _("Directives such as %YAML are not used here."), _("Remove the line that begins with %.")
            )

    def complain(self, event: Any, message: str, remedy: str) -> None:
        mark = event.start_mark
        self.problems.add(InputProblem(self.name, mark.line + 1, mark.column + 1, message, remedy))

    def node(self, event: Any, events: Iterator[Any], *, depth: int) -> Node:
        self.line = event.start_mark.line + 1
        place = (self.name, self.line, event.start_mark.column + 1)
        if depth > MAXIMUM_DEPTH:
            message = _("More than %(n)d levels are nested.") % {"n": MAXIMUM_DEPTH}
            raise bad_file(self.name, message, line=self.line, column=place[2])
        self.refuse_marks(event)
        if isinstance(event, SequenceStartEvent):
            return ListNode(*place, tuple(self.items(events, depth)))
        if isinstance(event, MappingStartEvent):
            return MapNode(*place, tuple(self.entries(events, depth)))
        if isinstance(event, ScalarEvent):
            return ScalarNode(*place, event.value, event.style is None)
        return ScalarNode(*place, "", plain=True)  # an alias, already complained about

    def refuse_marks(self, event: Any) -> None:
        if isinstance(event, AliasEvent) or event.anchor is not None:
            self.complain(
                event, _("Anchors and aliases (& and *) are not used here."), _("Write the value out, or quote it.")
            )
        elif event.tag is not None:
            self.complain(event, _("Tags (!) are not used here."), _("Remove the tag, or quote the value."))

    def items(self, events: Iterator[Any], depth: int) -> Iterator[Node]:
        for event in events:
            if isinstance(event, SequenceEndEvent):
                return
            yield self.node(event, events, depth=depth + 1)

    def entries(self, events: Iterator[Any], depth: int) -> Iterator[tuple[ScalarNode, Node]]:
        first: dict[str, int] = {}
        for event in events:
            if isinstance(event, MappingEndEvent):
                return
            key = self.node(event, events, depth=depth + 1)
            value = self.node(next(events), events, depth=depth + 1)
            if not isinstance(key, ScalarNode):
                self.complain(event, _("A key must be a text."), _("Quote it."))
            elif key.look is not Look.TEXT:
                message = _("The key %(key)s is read as %(look)s.") % {
                    "key": shown(key.text),
                    "look": look_in_words(key.look),
                }
                self.complain(event, message, _("Put the key in quotes."))
            elif key.text in first:
                message = _("The key %(key)s stands here a second time; the first is on line %(line)d.")
                message %= {"key": shown(key.text), "line": first[key.text]}
                self.complain(event, message, _("Keep one of the two."))
            else:
                first[key.text] = key.line
                yield key, value
