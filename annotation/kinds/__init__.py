"""The kinds of audit that are shipped, each a definition to copy: a folder with `campaign.yaml` and its rubrics."""

from __future__ import annotations

import shutil
from pathlib import Path

from annotation.definition import Definition, load_file
from annotation.models import Campaign
from core.errors import Conflict

FOLDER = Path(__file__).parent


def path_of(kind: str) -> Path:
    """Where the definition of a kind lies."""
    return FOLDER / Campaign.Kind(kind).value / "campaign.yaml"


def definition_of(kind: str) -> Definition:
    """The shipped definition of a kind."""
    return load_file(path_of(kind))


def copy(kind: str, to: Path) -> Path:
    """Copy the definition of a kind and its rubrics into the folder `to`, which must not exist; return its file."""
    if to.exists():
        raise Conflict(f"{to} exists already.", code="exists")
    shutil.copytree(path_of(kind).parent, to)
    return to / "campaign.yaml"
