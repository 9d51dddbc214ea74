"""From a file to a definition: everything that is wrong with it at once, by file, line and column, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from core import registry, strictyaml
from core.errors import InputProblem, Problems, shown
from core.strictyaml import INVALID, ListNode, MapNode, Node, ScalarNode, locate, problem_at
from core.strictyaml.schema import nearest
from core.textfiles import read_text
from studies.definition import tables
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
        full[key] = [_with_defaults(key, entry) for entry in data.get(key, [])]
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
        for problem in _contradictions(tree, data):
            problems.add(problem)
    problems.raise_if_any()
    return Definition(complete(data), name)


def _with_tables(tree: MapNode, data: Any, folder: Path | None, problems: Problems) -> tuple[MapNode, Any]:
    """The tree and the data with the tables that are named in place of lists."""
    entries = []
    for key, node in tree.entries:
        spec = table_specs().get(key.text)
        if spec is not None and isinstance(node, ScalarNode) and node.text:
            node = tables.list_of_file(node, folder, spec, problems)
            value = INVALID if node is None else spec.check(node, problems, key.text)
            data = INVALID if value is INVALID or data is INVALID else {**data, key.text: value}
            node = node or ListNode(key.file, key.line, key.column, ())
        entries.append((key, node))
    return MapNode(tree.file, tree.line, tree.column, tuple(entries)), data


def _contradictions(tree: Node, data: Mapping[str, Any]) -> Iterator[InputProblem]:
    """What is wrong between the parts, each of which is right by itself."""
    full = complete(data)
    if full["write"]["minimum"] > full["write"]["maximum"]:
        message = _("The fewest characters (%(minimum)d) exceed the most (%(maximum)d).") % full["write"]
        yield problem_at(tree, ("write", "minimum"), message)
    known = {"question": {row["code"] for row in full["questions"]}, "source": {row["code"] for row in full["sources"]}}
    for key in table_specs():
        for index, row in enumerate(full[key]):
            yield from _unknown_codes(tree, (key, index), row, known)
    yield from _repeated_answers(tree, full["answers"])


def _unknown_codes(
    tree: Node, path: tuple[str | int, ...], row: Mapping[str, Any], known: Mapping[str, set[str]]
) -> Iterator[InputProblem]:
    for name, codes in known.items():
        if name in row and row[name] not in codes:
            what = {"question": _("question"), "source": _("source")}[name]
            message = _("There is no %(what)s with the code %(code)s.") % {"what": what, "code": shown(row[name])}
            yield problem_at(tree, (*path, name), message, nearest(row[name], sorted(codes)))


def _repeated_answers(tree: Node, answers: list[Mapping[str, Any]]) -> Iterator[InputProblem]:
    first: dict[tuple[str, str], int] = {}
    for index, row in enumerate(answers):
        pair = (row["question"], row["source"])
        if pair in first:
            message = _(
                "The answer of %(source)s to %(question)s stands here a second time; the first is on line %(line)d."
            )
            line = locate(tree, "answers", first[pair]).line
            message %= {"source": shown(pair[1]), "question": shown(pair[0]), "line": line}
            yield problem_at(tree, ("answers", index), message, _("Keep one of the two."))
        first.setdefault(pair, index)
