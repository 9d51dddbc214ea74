"""A file, a folder or a zip archive as named tables."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.utils.translation import gettext as _

from core.errors import bad_file, cannot_read
from core.tables import column_names
from core.tables.read import MAXIMUM_BYTES
from core.textfiles import opened

# Of one table in several formats, as `export_study` writes it, the one that comes first here is read.
ENDS = (".parquet", ".jsonl", ".ndjson", ".csv")
Source = Path | bytes
# What zipfile and the decompressors below it raise on bytes that are no archive, wherever the first wrong one stands.
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, ValueError)


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, what it is called in messages, and its columns."""

    name: str
    source: Source
    columns: tuple[str, ...]


def tables_at(path: Path) -> list[NamedTable]:
    """The tables of a file, of a folder (not of folders in it) or of a zip archive, in order of name.

    Raises
    ------
    BadInput
        If there is no such file, it cannot be read, or it holds no table.
    """
    try:
        if not path.exists():
            raise bad_file(str(path), _("There is no such file or folder."), _("Check the path."))
        inside = sorted(path.iterdir()) if path.is_dir() else None
    except OSError as error:
        raise cannot_read(str(path), error) from error
    if inside is not None:
        by_stem: dict[str, Path] = {}
        for each in sorted(inside, key=lambda each: (_rank(each.suffix), each.name)):
            if each.name.lower().endswith(ENDS):
                by_stem.setdefault(each.stem, each)
        return _looked_at(sorted((each.name, each) for each in by_stem.values()), path.name)
    if path.suffix.lower() == ".zip":
        return _looked_at(_unpacked(path), path.name)
    return _looked_at([(path.name, path)], path.name)


def _rank(suffix: str) -> int:
    return ENDS.index(suffix.lower()) if suffix.lower() in ENDS else len(ENDS)


def _looked_at(found: list[tuple[str, Path]] | list[tuple[str, bytes]], name: str) -> list[NamedTable]:
    if not found:
        raise bad_file(name, _("There is no table in it."), _("A table ends in .csv, .jsonl or .parquet."))
    return [NamedTable(each, source, tuple(column_names(source, each))) for each, source in found]


def _unpacked(path: Path) -> list[tuple[str, bytes]]:
    with _archive(path) as archive:
        found = _entries(archive, path.name)
        # All are held at once, so it is all of them together that must fit.
        size = sum(entry.file_size for entry in found.values())
        if size > MAXIMUM_BYTES:
            message = _("The tables in it have %(size)d bytes; at most %(limit)d are read.")
            raise bad_file(
                path.name,
                message % {"size": size, "limit": MAXIMUM_BYTES},
                _("Unpack it, and name the one that is meant."),
            )
        # No more than what is declared is unpacked: zipfile stops there and checks the sum.
        return sorted((name, archive.read(entry)) for name, entry in found.items())


def _entries(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """The tables of an archive by their own names: folders, also ones that lead out of it, mean nothing here."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        inside = PurePosixPath(entry.filename)
        if not inside.name.lower().endswith(ENDS) or "__MACOSX" in inside.parts:
            continue
        if entry.flag_bits & 1:
            raise bad_file(name, _("The archive is encrypted."), _("Pack it anew without a password."))
        if inside.name in found:
            message = _("The archive holds %(name)s twice.") % {"name": inside.name}
            raise bad_file(name, message, _("Pack one export alone."))
        found[inside.name] = entry
    return found


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    with opened(path, path.name) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                yield archive
        except (*BROKEN, OSError) as error:
            # The file itself was opened: an OSError is what bzip2 says of broken data, or a disk that fails.
            raise bad_file(path.name, _("This is no whole zip archive."), _("Download or pack it anew.")) from error
