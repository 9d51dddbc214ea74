"""What every embedder is: texts in, unit vectors out, and a name and hash that go into each result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.canonical import content_sha256

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """One way to turn texts into vectors."""

    @property
    def id(self) -> str:
        """The name of the model or file."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON of `parts`: equal exactly for vectors that may be compared."""

    @property
    def parts(self) -> dict[str, Any]:
        """What makes the vectors what they are: hashes of files, addresses, settings."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text, (n, d), float32, in their order; the same for any other company."""


class Described:
    """The hash of an embedder from its parts."""

    parts: dict[str, Any]

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON of `parts`."""
        return content_sha256(self.parts)


def unit_rows(vectors: NDArray[Any]) -> Vectors:
    """`vectors` (n, d) with each row divided by its length, computed in double precision.

    Raises
    ------
    ValueError
        If a row has no direction: it is zero, or holds what is no number.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise ValueError("a vector is zero or not finite")
    unit: Vectors = (wide / lengths).astype(np.float32)
    return unit


def described(embedder: Embedder) -> dict[str, Any]:
    """What a result says about its embedder."""
    return {"id": embedder.id, "sha256": embedder.sha256, "parts": embedder.parts}
