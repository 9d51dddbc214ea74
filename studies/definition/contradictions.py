"""What is wrong between the parts of a definition, each of which is right by itself; told with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from core.errors import InputProblem, nearest, shown
from core.strictyaml import Node, locate, problem_at
from studies.models.validators import is_time_zone

#: By which columns a row of each list is known again.
KEYS: dict[str, tuple[str, ...]] = {
    "questions": ("code",),
    "sources": ("code",),
    "answers": ("question", "source"),
    "seeds": ("question", "code"),
}
Path = tuple[str | int, ...]
Codes = Mapping[str, set[str]]


def in_file(tree: Node, full: Mapping[str, Any]) -> Iterator[InputProblem]:
    """What is wrong in the complete definition `full`, read from `tree`."""
    if full["write"]["minimum"] > full["write"]["maximum"]:
        message = _("The fewest characters (%(minimum)d) exceed the most (%(maximum)d).") % full["write"]
        yield problem_at(tree, ("write", "minimum"), message)
    if not is_time_zone(full["time_zone"]):
        message = _("There is no time zone %(name)s.") % {"name": shown(full["time_zone"])}
        yield problem_at(tree, ("time_zone",), message, _("Write one such as UTC or Europe/Berlin."))
    known = codes_of(full)
    for key, columns in KEYS.items():
        if key in full:
            yield from in_rows(tree, full[key], known=known, columns=columns, path=(key,))


def codes_of(full: Mapping[str, Any]) -> Codes:
    """The codes to which answers and seeds may refer."""
    return {
        "question": {row["code"] for row in full["questions"]},
        "source": {row["code"] for row in full["sources"]},
    }


def in_rows(
    tree: Node, rows: Sequence[Mapping[str, Any]], *, known: Codes, columns: tuple[str, ...], path: Path = ()
) -> Iterator[InputProblem]:
    """Rows that refer to what is not there, or that repeat the `columns` by which they are known."""
    for index, row in enumerate(rows):
        for name in (name for name in columns if name in known and row[name] not in known[name]):
            what = {"question": _("question"), "source": _("source")}[name]
            message = _("There is no %(what)s with the code %(code)s.") % {"what": what, "code": shown(row[name])}
            remedy = nearest(row[name], sorted(known[name])) or _("Add it first.")
            yield _placed(tree, (*path, index, name), message, remedy)
    if len(columns) > 1:  # one column that repeats is told by the list itself
        yield from _repeated(tree, rows, columns, path)


def _repeated(
    tree: Node, rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...], path: Path
) -> Iterator[InputProblem]:
    first: dict[tuple[str, ...], int] = {}
    for index, row in enumerate(rows):
        key = tuple(row[name] for name in columns)
        if key in first:
            message = _("%(key)s stand here together a second time; the first is on line %(line)d.")
            line = locate(tree, *path, first[key]).line
            message %= {"key": ", ".join(map(shown, key)), "line": line}
            yield _placed(tree, (*path, index), message, _("Keep one of the two."))
        first.setdefault(key, index)


def _placed(tree: Node, path: Path, message: str, remedy: str) -> InputProblem:
    """The problem at `path`; in a table its line says which row it is, so that the column's name is enough."""
    problem = problem_at(tree, path, message, remedy)
    is_table = isinstance(path[0], int)
    return replace(problem, name=str(path[-1]) if len(path) > 1 else "") if is_table else problem
