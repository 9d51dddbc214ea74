"""Tables in place of a definition's lists: their rows become nodes that know their line, and are checked like YAML."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from django.utils.translation import gettext as _

from core.errors import BadInput, InputProblem, Problems, bad_file, shown
from core.strictyaml import Integer, ListNode, ListOf, MapNode, Mapping, Node, Number, ScalarNode, Spec, Text
from core.strictyaml.values import Choice
from core.tables import InputColumn, Kind, Row, TableSpec, stream_table

KINDS = (".csv", ".jsonl", ".ndjson")
MAXIMUM_BYTES = 100_000_000
MAXIMUM_ROWS = 50_000
"""A thousand questions and fifty models: whatever is longer is no definition, and would hold a web server's thread."""


def list_of_file(named: ScalarNode, folder: Path | None, spec: ListOf, problems: Problems) -> ListNode | None:
    """The rows of the table named where a list is expected; None, with the reason added, if there is no such table."""
    try:
        path = _path_of(named, folder)
    except BadInput as error:
        problems.take(error)
        return None
    return read_list(path, named.text, spec, problems)


def read_list(source: Path | bytes, name: str, spec: ListOf, problems: Problems) -> ListNode:
    """The rows of a table as a list that `spec` can check; rows that are none are added to `problems`."""
    keys = spec.item.keys if isinstance(spec.item, Mapping) else {}
    columns = tuple(_column(key, item) for key, item in keys.items())
    rows = stream_table(source, name, TableSpec(columns), maximum_bytes=MAXIMUM_BYTES, problems=problems)
    nodes: list[Node] = []
    for row in rows:
        if len(nodes) >= MAXIMUM_ROWS:
            message = _("The table has more than %(n)d rows.") % {"n": MAXIMUM_ROWS}
            raise bad_file(name, message, _("Split the study."), line=row.line)
        nodes.append(_row_node(row))
    return ListNode(name, 1, 1, tuple(nodes))


def _column(name: str, spec: Spec) -> InputColumn:
    is_optional = not spec.required
    # Texts are looked at by their specification, which says more about them.
    return InputColumn(name, _kind(spec), optional=is_optional, nullable=is_optional, blank=True)


def _kind(spec: Spec) -> Kind:
    if isinstance(spec, Text | Choice):
        return Kind.TEXT
    if isinstance(spec, Integer):
        return Kind.INTEGER
    return Kind.NUMBER if isinstance(spec, Number) else Kind.JSON


def _row_node(row: Row) -> MapNode:
    entries = [
        (ScalarNode(row.file, 1, column, name, plain=False), _node_of(row[name], row.file, row.line, column))
        for name, column in ((name, row.positions.get(name, 1)) for name in row.values)
        if row[name] is not None
    ]
    return MapNode(row.file, row.line, 1, tuple(entries))


def _node_of(value: Any, file: str, line: int, column: int) -> Node:
    place = (file, line, column)
    if isinstance(value, dict):
        pairs = [(ScalarNode(*place, key, plain=False), _node_of(below, *place)) for key, below in value.items()]
        return MapNode(*place, tuple(pairs))
    if isinstance(value, list):
        return ListNode(*place, tuple(_node_of(item, *place) for item in value))
    if isinstance(value, str):
        return ScalarNode(*place, value, plain=False)
    return ScalarNode(*place, json.dumps(value), plain=True)


def _path_of(named: ScalarNode, folder: Path | None) -> Path:
    """The path of a named table, which must lie in the definition's folder, links followed."""
    name = named.text
    if folder is None:
        raise _refused(named, _("A definition sent alone cannot name a table."), _("Write the rows into it."))
    if PurePosixPath(name).suffix.lower() not in KINDS:
        raise _refused(named, _("%(name)s is no table.") % {"name": shown(name)}, _("Name a .csv or .jsonl file."))
    root = folder.resolve()
    try:
        path = (root / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a NUL in the name
        message = _("%(name)s cannot be the name of a file.") % {"name": shown(name)}
        raise _refused(named, message, _("Correct the name, or replace the link by the file.")) from error
    if PurePosixPath(name).is_absolute() or "\\" in name or not path.is_relative_to(root):
        message = _("%(name)s lies outside the folder of the definition.") % {"name": shown(name)}
        raise _refused(named, message, _("Put the table beside the definition."))
    if not path.is_file():
        message = _("There is no file %(name)s beside the definition.") % {"name": shown(name)}
        raise _refused(named, message, _("Put the table there, or correct its name."))
    return path


def _refused(named: ScalarNode, message: str, remedy: str) -> BadInput:
    return BadInput([InputProblem(named.file, named.line, named.column, message, remedy)])
