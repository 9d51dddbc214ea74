"""What a report is about, and with what it was computed: the head of every form of it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from annotation.files import RatingsFile, RatingsOptions

PACKAGES = ("polyphony", "numpy", "scipy")


@dataclass(frozen=True, slots=True)
class About:
    """The source of a report.

    Attributes
    ----------
    kind : "file", "campaign" or "study"
    name : of the file, or the slug
    sha256 : of the file's bytes, or of the judgements as they are locked
    facts : what else there is to say: JSON-ready
    notes : what was found out rather than told, and warnings
    """

    kind: str
    name: str
    sha256: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return {
            "kind": self.kind,
            "name": self.name,
            "sha256": self.sha256,
            "facts": dict(self.facts),
            "notes": list(self.notes),
        }


def about_file(file: RatingsFile, options: RatingsOptions) -> About:
    """A ratings file as the source."""
    told = {
        name: list(value) if isinstance(value, tuple) else value
        for name in RatingsOptions.__slots__
        if (value := getattr(options, name)) not in (None, ())
    }
    facts = {"format": file.format, "n_rows": file.n_rows, "options": told}
    return About("file", file.name, file.sha256, facts, file.notes)


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    found = {name: version(name) for name in PACKAGES if name != "polyphony"}
    return {"python": platform.python_version(), **found}
