"""Embeddings: texts in, one list of numbers for each out."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from core.endpoints.configuration import Endpoint
from core.endpoints.exchange import Failure, Reply
from core.endpoints.retrying import Sleep, ask

PATH = "/embeddings"


def embed(endpoint: Endpoint, texts: Sequence[str], *, sleep: Sleep = time.sleep) -> list[list[float]]:
    """One vector for each text, in their order and all of one length.

    Raises
    ------
    EndpointError
        If there is no usable answer after the retries.
    """
    content = {"model": endpoint.model, "input": list(texts), "encoding_format": "float"}
    found, _attempts = ask(endpoint, PATH, content, lambda reply: _read(reply, len(texts)), sleep=sleep)
    vectors: list[list[float]] = found
    return vectors


def _read(reply: Reply, n: int) -> list[list[float]] | Failure:
    rows = reply.data.get("data")
    # The order of the list is not promised; `index` is.
    by_index = {row["index"]: row.get("embedding") for row in rows if _is_row(row)} if isinstance(rows, list) else {}
    vectors = [by_index.get(number) for number in range(n)]
    if len(by_index) != n or not all(_is_vector(vector) for vector in vectors):
        return Failure("bad_reply", _("the reply does not hold a vector for each text"), True, 200)
    if len({len(vector) for vector in vectors if vector}) != 1:
        return Failure("bad_reply", _("the vectors differ in length"), True, 200)
    return [list(map(float, vector)) for vector in vectors if vector]


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("index"), int)


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    # Whole numbers may be longer than a float holds.
    is_number = isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**53)
    return is_number and not isinstance(value, bool) and math.isfinite(value)
