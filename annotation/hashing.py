"""The hashes of a packet: of each item, of each item's hidden fields, and over them all.

Each is SHA-256 over canonical JSON (sorted keys, no spaces, UTF-8). An item's hash covers a random salt and content,
so that content and salt can be erased while the hash, and with it the hash of the packet, stays.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.canonical import content_sha256

FORMAT = 1
"""Changes if what is hashed changes."""


def new_salt() -> str:
    """A fresh salt: 32 hex digits."""
    return secrets.token_hex(16)


def item_sha256(
    *,
    salt: str,
    kind: str,
    purpose: str,
    texts: Mapping[str, str],
    proposals: Mapping[str, Any],
    sequence: str,
    place: int | None,
) -> str:
    """The hash of what a rater can see of an item, and of what it is for."""
    content = {
        "kind": kind,
        "purpose": purpose,
        "texts": dict(texts),
        "proposals": dict(proposals),
        "sequence": sequence,
        "place": place,
    }
    return content_sha256({"salt": salt, "content": content})


def hidden_sha256(*, salt: str, key: str, fields: Mapping[str, Any]) -> str:
    """The hash of the hidden fields of the item `key`."""
    return content_sha256({"salt": salt, "key": key, "fields": dict(fields)})


def joint_sha256(hashes: Iterable[tuple[str, str]]) -> str:
    """The hash over the hashes of items by key, in the order of the keys."""
    return content_sha256([list(pair) for pair in sorted(hashes)])


def packet_sha256(
    *, definition: Mapping[str, Any], seed: str, items_sha256: str, mapping_sha256: str, places: Sequence[Any]
) -> str:
    """The content hash of a packet; `places` are (key, number, swapped) in this order."""
    return content_sha256(
        {
            "format": FORMAT,
            "definition": dict(definition),
            "seed": seed,
            "items_sha256": items_sha256,
            "mapping_sha256": mapping_sha256,
            "places_sha256": content_sha256([list(place) for place in places]),
        }
    )
