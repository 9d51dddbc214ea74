"""Canonical JSON and its hash: the form in which definitions, inputs and results are compared."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON text that is equal exactly if the values are equal.

    Keys are sorted, no space is spent, text stays Unicode. Floats print as Python's shortest round-trip form.

    Raises
    ------
    ValueError
        If `value` holds ``nan`` or an infinity, which JSON cannot say: put ``None`` and a reason instead.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_sha256(value: Any) -> str:
    """SHA-256, in 64 hex digits, of the canonical JSON of `value` as UTF-8."""
    return text_sha256(canonical_json(value))


def text_sha256(text: str) -> str:
    """SHA-256, in 64 hex digits, of `text` as UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
