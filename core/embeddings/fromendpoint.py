"""Vectors from a configured endpoint. Its weights cannot be hashed from here: address and model stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.embeddings.interface import Described, Vectors, unit_rows
from core.endpoints import Endpoint, EndpointError, embed

BATCH = 64


class EndpointEmbedder(Described):
    """An embedder behind an OpenAI-compatible address; asks once for each different text."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.id = f"endpoint:{endpoint.model}"
        self.parts: dict[str, Any] = {"base_url": endpoint.base_url, "model": endpoint.model}
        self._endpoint = endpoint

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        unique = list(dict.fromkeys(texts))
        rows: list[list[float]] = []
        for start in range(0, len(unique), BATCH):
            rows += embed(self._endpoint, unique[start : start + BATCH])
        try:
            vectors = unit_rows(np.array(rows, dtype=np.float64))
        except ValueError as error:
            message = f"{self._endpoint.name}: {error}"
            raise EndpointError(message, code="bad_reply", endpoint=self._endpoint.name) from error
        number = {text: row for row, text in enumerate(unique)}
        return vectors[[number[text] for text in texts]]
