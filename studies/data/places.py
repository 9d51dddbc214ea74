"""Folders that appear complete or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.utils.translation import gettext as _

from core.errors import Conflict


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A folder to write beside `folder`, gone afterwards unless it was put in its place."""
    _refuse_if_filled(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    except OSError as error:
        raise _cannot_write(folder, error) from error
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _refuse_if_filled(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Conflict(_("%(folder)s is no folder. Name a new or empty one.") % {"folder": folder})
    if folder.is_dir() and any(folder.iterdir()):
        message = _("The folder %(folder)s is not empty. Name a new or empty one, so that no files of two exports mix.")
        raise Conflict(message % {"folder": folder}, code="folder_not_empty")


def put(part: Path, folder: Path) -> None:
    """Put what was written in its place.

    Raises
    ------
    Conflict
        If somebody has filled it meanwhile.
    """
    try:
        part.rename(folder)
    except OSError as error:  # somebody has filled it meanwhile
        raise _cannot_write(folder, error) from error


def _cannot_write(folder: Path, error: OSError) -> Conflict:
    message = _("The folder %(folder)s cannot be written: %(reason)s.")
    return Conflict(message % {"folder": folder, "reason": error.strerror or error}, code="cannot_write")
