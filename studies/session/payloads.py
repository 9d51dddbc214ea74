"""A post as the walk sees it: the fields of the form without what the page adds, and their hash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.canonical import content_sha256

# What a database column cannot hold: NUL and halves of surrogate pairs.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")
_LAYOUT = re.compile(r"(row|stacked) [0-9]{1,5}", re.ASCII)
OF_THE_PAGE = frozenset({"csrfmiddlewaretoken", "step", "layout"})
LONGEST = 20_000
"""Characters of a field that a draft or a late post keeps; no field of a study may be longer than half of it."""


def storable(text: str) -> str:
    """`text` with what no column can hold shown as U+FFFD, and cut where nobody writes by hand."""
    return _UNSTORABLE.sub("\ufffd", text[:LONGEST])


@dataclass(frozen=True, slots=True)
class Payload:
    """The fields of a post, the nonce of its step, the layout that the browser reports, and the hash of the fields."""

    nonce: str
    layout: str
    fields: Mapping[str, Sequence[str]]
    sha256: str

    @classmethod
    def of(cls, data: Mapping[str, Sequence[str]]) -> Payload:
        """Read a post (field to list of values). A line break hashes alike as CRLF, which forms send, and as LF."""
        fields = {name: list(values) for name, values in data.items() if name not in OF_THE_PAGE}
        alike = {
            _UNSTORABLE.sub("\ufffd", name): [_UNSTORABLE.sub("\ufffd", _LINE_END.sub("\n", value)) for value in values]
            for name, values in fields.items()
        }
        layout = _last(data, "layout")
        return cls(
            nonce=_last(data, "step"),
            layout=layout if _LAYOUT.fullmatch(layout) else "",
            fields=fields,
            sha256=content_sha256(alike),
        )

    def storable(self) -> dict[str, list[str]]:
        """The fields as a draft or a late post keeps them."""
        return {storable(name): [storable(value) for value in values] for name, values in self.fields.items()}


def _last(data: Mapping[str, Sequence[str]], name: str) -> str:
    values = data.get(name) or [""]
    return values[-1]
