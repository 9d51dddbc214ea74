"""Random orders that anyone with the seed can draw again.

Every draw that a participant sees derives from SHA-256(study seed, public code, purpose), so an order can be replayed
from the export alone. What was shown is stored as shown nevertheless: stored rows are the data, the seed is the proof.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

# No 0/O, 1/I/L: codes are read aloud and typed by hand.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


def generator_for(seed: str, code: str, purpose: str) -> random.Random:
    """A generator for one purpose of one participant; the same arguments give the same draws on any machine."""
    digest = hashlib.sha256(f"{seed}\x1f{code}\x1f{purpose}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - an experimental order, not a secret


def drawn_order(items: Sequence[T], *, seed: str, code: str, purpose: str) -> list[T]:
    """`items` in the order drawn for this participant and purpose. The caller passes them in a canonical order."""
    return generator_for(seed, code, purpose).sample(list(items), len(items))


def new_seed() -> str:
    """A fresh study seed: 32 hex digits."""
    return secrets.token_hex(16)


def new_code(length: int) -> str:
    """An opaque code of `length` unambiguous capitals and digits (4.95 bits each), from the system's secure source."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
