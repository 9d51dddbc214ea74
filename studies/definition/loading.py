"""From a file to a definition: everything that is wrong with it at once, by file, line and column, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import registry, strictyaml
from core.errors import Problems
from core.strictyaml import INVALID, MapNode, ScalarNode
from core.textfiles import read_text
from studies.definition import contradictions, tables
from studies.definition.default_form import default_form
from studies.definition.keys import COLUMNS, LISTS, SCHEMA_VERSION, default_of, get_at, set_at
from studies.definition.schema import file_spec, section_default, table_specs

MAXIMUM_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that could be read: complete, every default filled in; `name` is the file's for messages."""

    data: Mapping[str, Any]
    name: str

    @property
    def slug(self) -> str:
        """The name in links of the study it defines."""
        return str(self.data["slug"])


def load_file(path: str | Path) -> Definition:
    """Read the definition at `path` and the tables it names, which lie in its folder or below."""
    path = Path(path)
    text = read_text(path, path.name, maximum_bytes=MAXIMUM_BYTES)
    return _load(text, path.name, path.parent)


def load_bytes(content: bytes, name: str) -> Definition:
    """Read a definition that was sent; it cannot name tables, since none were sent with it."""
    return _load(read_text(content, name, maximum_bytes=MAXIMUM_BYTES), name, None)


def complete(data: Mapping[str, Any]) -> dict[str, Any]:
    """`data` with every default filled in, in the form of the canonical definition (revisions as given)."""
    full: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    for path in COLUMNS:
        given, value = get_at(data, path)
        set_at(full, path, value if given else default_of(path))
    for key in LISTS:
        absent = default_form() if key == "form" else []
        full[key] = [_with_defaults(key, entry) for entry in data.get(key, absent)]
    for section in registry.sections():
        full[section.key] = data[section.key] if section.key in data else section_default(section)
    full["revisions"] = data.get("revisions", {})
    return full


_DEFAULTS: dict[str, dict[str, Any]] = {
    "form": {"hint": "", "options": [], "minimum": None, "maximum": None},
    "questions": {"domain": ""},
    "sources": {"settings": {}},
    "answers": {},
}


def _with_defaults(key: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    full = {**_DEFAULTS[key], **entry}
    if key == "form":
        full["options"] = [{"screens_out": False, **option} for option in full["options"]]
    return full


def _load(text: str, name: str, folder: Path | None) -> Definition:
    problems = Problems()
    tree = strictyaml.load(text, name, problems)
    data = file_spec().check(tree, problems, "")
    if isinstance(tree, MapNode):
        tree, data = _with_tables(tree, data, folder, problems)
    if data is not INVALID:
        for problem in contradictions.in_file(tree, complete(data)):
            problems.add(problem)
    problems.raise_if_any()
    return Definition(complete(data), name)


def _with_tables(tree: MapNode, data: Any, folder: Path | None, problems: Problems) -> tuple[MapNode, Any]:
    """The tree and the data with the tables that are named in place of lists."""
    entries = []
    for key, node in tree.entries:
        spec = table_specs().get(key.text)
        if spec is not None and isinstance(node, ScalarNode) and node.text:
            rows = tables.list_of_file(node, folder, spec, problems)
            value = INVALID if rows is None else spec.check(rows, problems, key.text)
            data = INVALID if value is INVALID or data is INVALID else {**data, key.text: value}
            node = rows or node
        entries.append((key, node))
    return MapNode(tree.file, tree.line, tree.column, tuple(entries)), data
