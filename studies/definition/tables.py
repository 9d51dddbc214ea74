"""Tables that lie beside a definition: their rows become nodes that know their line, and are checked like YAML."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from django.utils.translation import gettext as _

from core.errors import BadInput, InputProblem, Problems, bad_file, shown
from core.strictyaml import ListNode, ListOf, MapNode, Mapping, Node, ScalarNode
from core.textfiles import opened, text_lines

KINDS = (".csv", ".jsonl")


def list_of_file(named: ScalarNode, folder: Path | None, spec: ListOf, problems: Problems) -> ListNode | None:
    """The rows of the table that stands where a list is expected; None, with the problem added, if there are none."""
    try:
        return read_list(_path_of(named, folder), named.text, spec)
    except BadInput as error:
        problems.take(error)
        return None


def read_list(source: Path | bytes, name: str, spec: ListOf) -> ListNode:
    """The rows of a CSV or JSONL file as a list that `spec` can check; raises `BadInput` for what is no table."""
    rows = _jsonl_rows if name.lower().endswith(".jsonl") else _csv_rows
    return ListNode(name, 1, 1, tuple(rows(source, name, spec)))


def _path_of(named: ScalarNode, folder: Path | None) -> Path:
    """The path of a named table, which must lie in the definition's folder, links followed."""
    pure = PurePosixPath(named.text)
    if folder is None:
        raise _refused(named, _("A definition sent alone cannot name a table."), _("Write the rows into it."))
    if pure.suffix.lower() not in KINDS:
        raise _refused(
            named, _("%(name)s is no table.") % {"name": shown(named.text)}, _("Name a .csv or .jsonl file.")
        )
    root = folder.resolve()
    path = (root / named.text).resolve()
    if pure.is_absolute() or "\\" in named.text or not path.is_relative_to(root):
        message = _("%(name)s lies outside the folder of the definition.") % {"name": shown(named.text)}
        raise _refused(named, message, _("Put the table beside the definition."))
    if not path.is_file():
        message = _("There is no file %(name)s beside the definition.") % {"name": shown(named.text)}
        raise _refused(named, message, _("Put the table there, or correct its name."))
    return path


def _refused(named: ScalarNode, message: str, remedy: str) -> BadInput:
    return BadInput([InputProblem(named.file, named.line, named.column, message, remedy)])


def _csv_rows(source: Path | bytes, name: str, spec: ListOf) -> Iterator[Node]:
    with opened(source, name) as file:
        reader = csv.reader(text_lines(file, name), strict=True)
        try:
            header = next(reader, None)
            if header is None:
                raise bad_file(name, _("The file is empty."), line=1)
            line = reader.line_num + 1
            for cells in reader:
                if cells:
                    yield _csv_row(name, line, header, cells, spec)
                line = reader.line_num + 1
        except csv.Error as error:
            raise bad_file(name, str(error), line=reader.line_num) from error


def _csv_row(name: str, line: int, header: list[str], cells: list[str], spec: ListOf) -> MapNode:
    if len(cells) != len(header):
        message = _("The row has %(n)d cells, the header %(m)d.") % {"n": len(cells), "m": len(header)}
        raise bad_file(name, message, line=line)
    entries = [
        (ScalarNode(name, 1, column, key, plain=False), _cell(name, line, column, key, cell, spec))
        for column, (key, cell) in enumerate(zip(header, cells, strict=True), start=1)
        if cell or _is_required(key, spec)
    ]
    return MapNode(name, line, 1, tuple(entries))


def _is_required(key: str, spec: ListOf) -> bool:
    keys = spec.item.keys if isinstance(spec.item, Mapping) else {}
    return key not in keys or keys[key].required


def _cell(name: str, line: int, column: int, key: str, cell: str, spec: ListOf) -> Node:
    if key == "settings":  # the one column that holds more than a text
        return _json_node(name, line, column, cell)
    return ScalarNode(name, line, column, cell, plain=False)


def _jsonl_rows(source: Path | bytes, name: str, spec: ListOf) -> Iterator[Node]:
    with opened(source, name) as file:
        for number, line in enumerate(text_lines(file, name), start=1):
            if line.strip():
                yield _json_node(name, number, 1, line)


def _json_node(name: str, line: int, column: int, text: str) -> Node:
    try:
        return _node_of(json.loads(text), name, line, column)
    except ValueError as error:
        raise bad_file(name, _("This is not valid JSON: %(why)s") % {"why": error}, line=line, column=column) from error


def _node_of(value: Any, name: str, line: int, column: int) -> Node:
    if isinstance(value, dict):
        entries = [
            (ScalarNode(name, line, column, key, plain=False), _node_of(below, name, line, column))
            for key, below in value.items()
        ]
        return MapNode(name, line, column, tuple(entries))
    if isinstance(value, list):
        return ListNode(name, line, column, tuple(_node_of(item, name, line, column) for item in value))
    if isinstance(value, str):
        return ScalarNode(name, line, column, value, plain=False)
    return ScalarNode(name, line, column, json.dumps(value), plain=True)
