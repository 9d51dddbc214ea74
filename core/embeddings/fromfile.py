"""Vectors that were computed elsewhere, found by the SHA-256 of their text.

Parquet with the columns `text_sha256` and `vector` (a list of numbers), or NAME.npy, (n, d), beside NAME.sha256 with
one hash a line in the order of the rows. A hash is that of the text as UTF-8, in 64 hex digits.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from core.canonical import text_sha256
from core.embeddings.interface import Described, Vectors, unit_rows
from core.errors import DomainError, bad_file, cannot_read, shown

HASH = re.compile(r"[0-9a-f]{64}")


class NoVector(DomainError):
    """A file of vectors lacks a text."""

    default_code = "no_vector"


class VectorFile(Described):
    """An embedder that looks up what a file holds, read once."""

    def __init__(self, path: Path) -> None:
        hashes, vectors, self.parts = _read(path)
        self.id = f"vectors:{path.name}"
        self._vectors = _checked(path, hashes, vectors)
        self._row = {digest: number for number, digest in enumerate(hashes)}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The rows of the texts; `NoVector` says how many are missing, and names one."""
        digests = [text_sha256(text) for text in texts]
        missing = [text for text, digest in zip(texts, digests, strict=True) if digest not in self._row]
        if missing:
            message = _("%(id)s has no vector for %(n)d of the texts, such as %(text)s.")
            raise NoVector(message % {"id": self.id, "n": len(missing), "text": shown(missing[0])})
        return self._vectors[[self._row[digest] for digest in digests]]


def _read(path: Path) -> tuple[list[str], NDArray[Any], dict[str, Any]]:
    beside = path.with_suffix(".sha256")
    try:
        if path.suffix == ".npy":
            hashes = beside.read_text(encoding="ascii").split()
            vectors = np.load(path, allow_pickle=False)
            parts = {"file": _digest(path), "hashes": _digest(beside)}
        elif path.suffix == ".parquet":
            hashes, vectors = _read_parquet(path)
            parts = {"file": _digest(path)}
        else:
            raise bad_file(path.name, _("This is neither .parquet nor .npy."))
    except OSError as error:
        raise cannot_read(path.name, error) from error
    except ValueError as error:
        raise bad_file(path.name, _("This is no table of vectors: %(why)s") % {"why": str(error)[:200]}) from error
    return hashes, vectors, parts


def _read_parquet(path: Path) -> tuple[list[str], NDArray[Any]]:
    import pyarrow.parquet as parquet

    table = parquet.read_table(path, columns=["text_sha256", "vector"])
    if table.num_columns != 2:
        raise bad_file(path.name, _("The columns text_sha256 and vector are needed."))
    vectors = np.array(table.column("vector").to_pylist(), dtype=np.float64)
    return [str(value) for value in table.column("text_sha256").to_pylist()], vectors


def _checked(path: Path, hashes: Sequence[str], vectors: NDArray[Any]) -> Vectors:
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape[0] != len(hashes) or not vectors.size:
        message = _("%(n)d hashes and an array of shape %(shape)s do not fit: one row for each hash is needed.")
        raise bad_file(path.name, message % {"n": len(hashes), "shape": vectors.shape})
    for number, digest in enumerate(hashes, start=1):
        if not HASH.fullmatch(digest):
            raise bad_file(path.name, _("%(text)s is no SHA-256.") % {"text": shown(digest)}, line=number)
    if twice := _first_twice(hashes):
        raise bad_file(path.name, _("The hash %(text)s occurs twice.") % {"text": twice})
    try:
        return unit_rows(vectors)
    except ValueError as error:
        raise bad_file(path.name, _("A vector is zero or not finite.")) from error


def _first_twice(hashes: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for digest in hashes:
        if digest in seen:
            return digest
        seen.add(digest)
    return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
