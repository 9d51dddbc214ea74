"""Writing a definition as YAML that every reader, and above all ours, reads back as the same data.

Text of several lines becomes a block literal where that shows it truly; text that could be taken for something
else, or that holds anything invisible, is written in double quotes with escapes. No reader has to guess.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.strictyaml.scalars import Look, look_of
from core.text import check_imported

MAXIMUM_KEY = 128
"""Longest key in characters: YAML reads no longer ones reliably on one line."""

_INDENT = "  "
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_PLAIN = re.compile(r"[^\W\d_][\w.,;()/'!?-]*(?: [\w(.,;)/'!?][\w.,;()/'!?-]*)*")
# What must not stand in YAML as it is, or would show a text other than it is: controls, line ends of Unicode,
# marks that reverse the direction of writing, byte order marks and non-characters.
_ESCAPED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_IN_BLOCK = re.compile(r"(?![ \t\n])(?s:.)*[^ \t\n]\n?")


def dump(definition: Mapping[str, Any]) -> str:
    """Return `definition` (JSON-like data with text keys) as YAML, keys in their order.

    Raises
    ------
    ValueError
        If it holds what YAML of ours cannot: NaN or an infinity, keys that are no text or too long, NUL characters.
    """
    return "".join(f"{line}\n" for line in _entries(definition, "")) if definition else "{}\n"


def _entries(mapping: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in mapping.items():
        if not isinstance(key, str) or len(key) > MAXIMUM_KEY:
            raise ValueError(f"a key must be a text of at most {MAXIMUM_KEY} characters, not {key!r}")
        yield from _after(f"{indent}{_one_line(key)}:", value, indent)


def _after(head: str, value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of `value`, the first of them after `head`; what is nested stands deeper than `indent`."""
    deeper = indent + _INDENT
    if isinstance(value, Mapping) and value:
        yield head
        yield from _entries(value, deeper)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value and not _is_short(value):
        yield head
        for item in value:
            yield from _item(item, deeper)
    elif isinstance(value, str) and _fits_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        yield from (deeper + line if line else "" for line in value.removesuffix("\n").split("\n"))
    else:
        yield f"{head} {_scalar(value)}"


def _item(item: Any, indent: str) -> Iterator[str]:
    """Yield the lines of one item of a list: a mapping begins on the line of its hyphen."""
    if isinstance(item, Mapping) and item:
        lines = _entries(item, indent + _INDENT)
        yield f"{indent}- {next(lines).removeprefix(indent + _INDENT)}"
        yield from lines
    else:
        yield from _after(f"{indent}-", item, indent)


def _is_short(values: Sequence[Any]) -> bool:
    """Tell whether a list is best read on one line, such as ``[consent, write, vote]``."""
    return len(values) <= 12 and all(isinstance(value, str) and _WORD.fullmatch(value) for value in values)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_one_line, value))}]"
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value, allow_nan=False)
    raise ValueError(f"a definition cannot hold {type(value).__name__}: {value!r}")


def _one_line(text: str) -> str:
    check_imported(text)
    if len(text) <= 80 and _PLAIN.fullmatch(text) and look_of(text) is Look.TEXT:
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{_ESCAPED.sub(_escape, quoted)}"'


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04X}"


def _fits_block(text: str) -> bool:
    """Tell whether a block literal shows `text` truly: several lines, nothing invisible, no space at a line's end."""
    check_imported(text)
    return (
        "\n" in text.removesuffix("\n")
        and _IN_BLOCK.fullmatch(text) is not None
        and _ESCAPED.search(text.replace("\n", "")) is None
        and re.search(r"[ \t]\n", text) is None
    )
