"""What a campaign's file says against itself, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.errors import InputProblem, nearest, shown
from core.strictyaml import Node, problem_at

#: Columns of an item table that have a meaning of their own: no text and no further hidden field may take the name.
RESERVED = frozenset(
    {
        "covered",
        "distance",
        "explanation",
        "external_id",
        "gold",
        "kind",
        "model",
        "pair",
        "place",
        "proposals",
        "purpose",
        "reference",
        "repeats",
        "sequence",
        "source",
        "stratum",
    }
)
#: Of these, what is hidden and may be listed as such.
HIDDEN_COLUMNS: dict[str, str] = {
    "covered": "boolean",
    "distance": "number",
    "model": "text",
    "pair": "text",
    "reference": "text",
    "source": "text",
    "stratum": "text",
}
Path = tuple[str | int, ...]


def in_file(tree: Node, data: Mapping[str, Any]) -> Iterator[InputProblem]:
    """Yield the contradictions of `data`, which was read from `tree`."""
    for path, message, remedy in found(data):
        yield problem_at(tree, path, message, remedy)


def found(data: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Yield where, what, and the remedy."""
    parts: set[str] = set()
    for i, kind in enumerate(data["item_kinds"]):
        yield from _in_kind(kind, ("item_kinds", i))
        parts |= {part["code"] for part in kind["parts"]}
    yield from _in_hidden(data["hidden"], parts)
    yield from _in_primary(data)


def _in_kind(kind: Mapping[str, Any], at: Path) -> Iterator[tuple[Path, str, str]]:
    sides = [part["code"] for part in kind["parts"] if part["role"] == "side"]
    if len(sides) not in (0, 2):
        yield (*at, "parts"), _("A kind has two sides or none."), _("Give the role “side” to exactly two texts.")
    if not any(part["role"] != "context" for part in kind["parts"]):
        yield (*at, "parts"), _("There is nothing to judge."), _("Give a text the role “text” or “side”.")
    for j, part in enumerate(kind["parts"]):
        if part["code"] in RESERVED:
            message = _("%(name)s is a column with another meaning.") % {"name": shown(part["code"])}
            yield (*at, "parts", j, "code"), message, _("Choose another code.")
    earlier: dict[str, Mapping[str, Any]] = {}
    for j, dimension in enumerate(kind["dimensions"]):
        yield from _in_dimension(dimension, (*at, "dimensions", j), earlier, has_sides=bool(sides))
        earlier[dimension["code"]] = dimension


def _in_dimension(
    dimension: Mapping[str, Any], at: Path, earlier: Mapping[str, Mapping[str, Any]], *, has_sides: bool
) -> Iterator[tuple[Path, str, str]]:
    cannot = dimension["cannot_judge"]
    if (cannot["counts_as"] == "absent") != (cannot["label"] == ""):
        message = _("“Cannot judge” needs a label, or does not exist.")
        yield (*at, "cannot_judge"), message, _("Give it a label, or write counts_as: absent.")
    if dimension["scale"] == "interval":
        for k, label in enumerate(dimension["labels"]):
            if label["value"] is None:
                yield (*at, "labels", k), _("Labels of an interval scale need a value."), _("Add “value: …”.")
    yield from _in_mirrors(dimension, at, has_sides=has_sides)
    yield from _in_dependence(dimension["depends_on"], at, earlier)


def _in_mirrors(dimension: Mapping[str, Any], at: Path, *, has_sides: bool) -> Iterator[tuple[Path, str, str]]:
    mirrors = {label["code"]: label["mirror"] for label in dimension["labels"]}
    for k, label in enumerate(dimension["labels"]):
        mirror = label["mirror"]
        where = (*at, "labels", k, "mirror")
        if mirror is None:
            continue
        if not has_sides:
            yield where, _("Only labels of a kind with two sides have a mirror."), _("Remove it.")
        elif mirror not in mirrors:
            yield where, _("There is no such label."), nearest(mirror, mirrors)
        elif mirrors[mirror] != label["code"]:
            yield where, _("The mirror of the mirror must be the label itself."), _("Name each as the other's mirror.")


def _in_dependence(
    needs: Mapping[str, Any] | None, at: Path, earlier: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Path, str, str]]:
    if needs is None:
        return
    other = earlier.get(needs["dimension"])
    where = (*at, "depends_on")
    if other is None:
        yield (
            (*where, "dimension"),
            _("There is no such dimension before this one."),
            nearest(needs["dimension"], earlier),
        )
        return
    codes = [label["code"] for label in other["labels"]]
    for k, code in enumerate(needs["labels"]):
        if code not in codes:
            yield (*where, "labels", k), _("The other dimension has no such label."), nearest(code, codes)


def _in_hidden(hidden: list[Mapping[str, Any]], parts: set[str]) -> Iterator[tuple[Path, str, str]]:
    seen: set[str] = set()
    for i, field in enumerate(hidden):
        name, where = field["name"], ("hidden", i)
        if name in seen:
            yield where, _("%(name)s stands here a second time.") % {"name": shown(name)}, _("Keep one of the two.")
        elif name in parts:
            yield where, _("%(name)s is a text that raters see.") % {"name": shown(name)}, _("Choose another name.")
        elif name in RESERVED and name not in HIDDEN_COLUMNS:
            message = _("%(name)s is a column with another meaning.") % {"name": shown(name)}
            yield where, message, _("Choose another name.")
        seen.add(name)


def _in_primary(data: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    known = [f"{kind['code']}/{each['code']}" for kind in data["item_kinds"] for each in kind["dimensions"]]
    for i, name in enumerate(data["primary_analysis"]["dimensions"]):
        if name not in known:
            where: Path = ("primary_analysis", "dimensions", i)
            yield where, _("There is no dimension of this name."), nearest(name, known)
