"""What a definition may hold: small specifications that walk the tree and collect every problem with its place.

A specification turns a node into plain data (`dict`, `list`, `str`, `int`, `float`, `bool`, `None`), or adds problems
and gives `INVALID`. Keys that are left out and have no default are left out of the result, too.
"""

from __future__ import annotations

import collections.abc
import copy
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import InputProblem, Problems, nearest, shown
from core.strictyaml.nodes import ListNode, MapNode, Node, ScalarNode, load, locate
from core.strictyaml.scalars import Look


class Mark(Enum):
    """Stands where there is no data."""

    INVALID = "invalid"
    ABSENT = "absent"


INVALID: Final = Mark.INVALID
"""What a specification gives for a node that breaks it."""
ABSENT: Final = Mark.ABSENT


@dataclass(frozen=True, kw_only=True)
class Spec:
    """The base of all: whether the key must be there, what stands for it if not, whether `null` may stand there."""

    required: bool = True
    default: Any = ABSENT
    nullable: bool = False

    def check(self, node: Node, problems: Problems, at: str) -> Any:
        """Return the data of `node`; `at` is its path as a person would say it, such as ``questions[2].code``."""
        if self.nullable and isinstance(node, ScalarNode) and node.look is Look.NULL:
            return None
        return self.value(node, problems, at)

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return the data of `node`, which is not an allowed null."""
        raise NotImplementedError(f"{type(self).__name__} must define value()")


@dataclass(frozen=True)
class Mapping(Spec):
    """Known keys, each with its specification; any other key is a problem."""

    keys: collections.abc.Mapping[str, Spec]

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return a `dict` in the order of the specification."""
        if not isinstance(node, MapNode):
            return complain(problems, node, at, _("Keys and values are expected here."), _example(self.keys))
        for key, _value in node.entries:
            if key.text not in self.keys:
                remedy = "" if problems.is_full else nearest(key.text, self.keys)
                complain(problems, key, below(at, key.text), _("Unknown key."), remedy)
        found = {name: self._one(name, spec, node, problems, at) for name, spec in self.keys.items()}
        if any(value is INVALID for value in found.values()):
            return INVALID
        return {name: value for name, value in found.items() if value is not ABSENT}

    def _one(self, name: str, spec: Spec, node: MapNode, problems: Problems, at: str) -> Any:
        value = node.get(name)
        if value is not None:
            return spec.check(value, problems, below(at, name))
        if spec.required and spec.default is ABSENT:
            return complain(problems, node, below(at, name), _("This key is missing."), _("Add it."))
        return copy.deepcopy(spec.default)


@dataclass(frozen=True)
class MapOf(Spec):
    """Free keys that follow one specification, and values that follow another."""

    key: Spec
    item: Spec

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return a `dict` in the order of the file."""
        if not isinstance(node, MapNode):
            return complain(problems, node, at, _("Keys and values are expected here."))
        pairs = [
            (self.key.check(key, problems, below(at, key.text)), self.item.check(value, problems, below(at, key.text)))
            for key, value in node.entries
        ]
        return INVALID if any(each is INVALID for pair in pairs for each in pair) else dict(pairs)


@dataclass(frozen=True)
class ListOf(Spec):
    """A list; `unique` names the key whose values must differ, or is `True` for a list of scalars that must."""

    item: Spec
    minimum: int = 0
    maximum: int | None = None
    unique: str | bool = False

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return a `list`."""
        if not isinstance(node, ListNode):
            return complain(problems, node, at, _("A list is expected here."), _("Begin each item with “- ”."))
        n_before = len(problems)
        values = [self.item.check(item, problems, f"{at}[{i}]") for i, item in enumerate(node.items, start=1)]
        self._check_size(node, problems, at)
        if self.unique:
            self._check_unique(node, values, problems, at)
        return INVALID if len(problems) > n_before else values

    def _check_size(self, node: ListNode, problems: Problems, at: str) -> None:
        n = len(node.items)
        if n < self.minimum:
            message = ngettext("At least %(n)d item is needed.", "At least %(n)d items are needed.", self.minimum)
            complain(problems, node, at, message % {"n": self.minimum})
        if self.maximum is not None and n > self.maximum:
            message = ngettext("At most %(n)d item is possible.", "At most %(n)d items are possible.", self.maximum)
            complain(problems, node, at, message % {"n": self.maximum})

    def _check_unique(self, node: ListNode, values: list[Any], problems: Problems, at: str) -> None:
        first: dict[Any, int] = {}
        key = self.unique if isinstance(self.unique, str) else None
        for i, (item, value) in enumerate(zip(node.items, values, strict=True), start=1):
            mark = value.get(key) if key is not None and isinstance(value, dict) else value
            if mark is INVALID or mark is None:
                continue
            place = locate(item, key) if key is not None else item
            if mark in first:
                message = _("%(value)s stands here a second time; the first is on line %(line)d.")
                message %= {"value": shown(mark), "line": first[mark]}
                complain(problems, place, f"{at}[{i}]" + (f".{key}" if key else ""), message, _("Give each its own."))
            first.setdefault(mark, place.line)


@dataclass(frozen=True)
class OneOf(Spec):
    """A value whose form decides: a scalar, a list or a mapping, each with its specification (`None`: not allowed)."""

    scalar: Spec | None = None
    sequence: Spec | None = None
    mapping: Spec | None = None

    def value(self, node: Node, problems: Problems, at: str) -> Any:
        """Return what the specification of the node's form gives."""
        if isinstance(node, ListNode):
            spec = self.sequence
        else:
            spec = self.mapping if isinstance(node, MapNode) else self.scalar
        if spec is not None:
            return spec.check(node, problems, at)
        forms = {_("a single value"): self.scalar, _("a list"): self.sequence, _("keys and values"): self.mapping}
        allowed = [form for form, each in forms.items() if each is not None]
        return complain(problems, node, at, _("Expected here: %(forms)s.") % {"forms": ", ".join(allowed)})


def validate(node: Node, spec: Spec) -> Any:
    """Return the data of `node`; raise `BadInput` with every problem if it breaks `spec`."""
    problems = Problems()
    value = spec.check(node, problems, "")
    problems.raise_if_any()
    return value


def read(text: str, name: str, spec: Spec) -> Any:
    """Return the data of the YAML `text`; raise `BadInput` with every problem of syntax and content."""
    problems = Problems()
    value = spec.check(load(text, name, problems), problems, "")
    problems.raise_if_any()
    return value


def problem_at(node: Node, path: tuple[str | int, ...], message: str, remedy: str = "") -> InputProblem:
    """Return a problem found later, placed at `path` below `node` (list positions count from 0, as in the data)."""
    at = ""
    for step in path:
        at = below(at, step) if isinstance(step, str) else f"{at}[{step + 1}]"
    place = locate(node, *path)
    return InputProblem(place.file, place.line, place.column, message, remedy, at)


def complain(problems: Problems, node: Node, at: str, message: str, remedy: str = "") -> Mark:
    """Add a problem at `node` and return `INVALID`."""
    problems.add(InputProblem(node.file, node.line, node.column, message, remedy, at))
    return INVALID


def below(at: str, key: str) -> str:
    """Return the path of `key` under the path `at`."""
    return f"{at}.{key}" if at else key


def _example(keys: collections.abc.Iterable[str]) -> str:
    names = list(keys)
    return _("Write for instance “%(key)s: …”.") % {"key": names[0]} if names else ""
