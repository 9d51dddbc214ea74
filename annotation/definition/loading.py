"""From a file to the definition of a campaign: everything that is wrong with it at once, by line, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.utils.translation import gettext as _

from annotation.definition import contradictions
from annotation.definition.schema import file_spec
from core import strictyaml
from core.errors import BadInput, InputProblem, Problems, shown
from core.strictyaml import INVALID, Node, ScalarNode, locate
from core.textfiles import read_text

MAXIMUM_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that could be read: complete, every default filled in; `name` is the file's for messages."""

    data: Mapping[str, Any]
    name: str

    @property
    def slug(self) -> str:
        """The name in links of the campaign it defines."""
        return str(self.data["slug"])


def load_file(path: str | Path) -> Definition:
    """Read the definition at `path`; a rubric may name a Markdown file (`aut.md`) in its folder or below."""
    path = Path(path)
    return _load(read_text(path, path.name, maximum_bytes=MAXIMUM_BYTES), path.name, path.parent)


def load_bytes(content: bytes, name: str) -> Definition:
    """Read a definition that was sent; its rubrics stand in it, since no files were sent with it."""
    return _load(read_text(content, name, maximum_bytes=MAXIMUM_BYTES), name, None)


def _load(text: str, name: str, folder: Path | None) -> Definition:
    problems = Problems()
    tree = strictyaml.load(text, name, problems)
    data = file_spec().check(tree, problems, "")
    if data is not INVALID:
        data = normalised(data)
        _read_rubrics(data, tree, folder, problems)
        for problem in contradictions.in_file(tree, data):
            problems.add(problem)
    problems.raise_if_any()
    return Definition(data, name)


def normalised(data: Mapping[str, Any]) -> dict[str, Any]:
    """`data` in its one form: numbers as the database keeps them, hidden fields with what they hold."""
    mark = data["qualification"]["pass_mark"]
    for _code, dimension in dimensions_of(data):
        for label in dimension["labels"]:
            label["value"] = None if label["value"] is None else float(label["value"])
    return {
        **data,
        "qualification": {**data["qualification"], "pass_mark": None if mark is None else float(mark)},
        "hidden": [_field(entry) for entry in data["hidden"]],
    }


def dimensions_of(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the code of the kind and each of its dimensions."""
    for kind in data["item_kinds"]:
        for dimension in kind["dimensions"]:
            yield kind["code"], dimension


def _field(entry: str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"name": entry, "kind": contradictions.HIDDEN_COLUMNS.get(entry, "text")}
    return {"name": entry["name"], "kind": contradictions.HIDDEN_COLUMNS.get(entry["name"], entry["kind"])}


def _read_rubrics(data: dict[str, Any], tree: Node, folder: Path | None, problems: Problems) -> None:
    for i, kind in enumerate(data["item_kinds"]):
        node = locate(tree, "item_kinds", i, "rubric")
        if isinstance(node, ScalarNode) and _names_a_file(node.text):
            try:
                kind["rubric"] = _rubric_beside(node, folder)
            except BadInput as error:
                problems.take(error)


def _names_a_file(text: str) -> bool:
    return "\n" not in text and PurePosixPath(text).suffix == ".md"


def _rubric_beside(named: ScalarNode, folder: Path | None) -> str:
    if folder is None:
        raise _refused(named, _("A definition sent alone cannot name a rubric."), _("Write the rubric into it."))
    root = folder.resolve()
    path = (root / named.text).resolve()
    if not path.is_relative_to(root):
        raise _refused(named, _("The rubric lies outside the folder of the definition."), _("Put it beside the file."))
    if not path.is_file():
        message = _("There is no file %(name)s beside the definition.") % {"name": shown(named.text)}
        raise _refused(named, message, _("Put the rubric there, or correct its name."))
    text = read_text(path, named.text, maximum_bytes=MAXIMUM_BYTES)
    if not text.strip():
        raise _refused(named, _("The rubric is empty."), _("Write it."))
    return text


def _refused(named: ScalarNode, message: str, remedy: str) -> BadInput:
    return BadInput([InputProblem(named.file, named.line, named.column, message, remedy, "rubric")])
