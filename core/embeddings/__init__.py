"""Vectors of texts, for the worker: `embedder().encode(texts)`.

The default is a small model that comes as a package; a setting names another one (`endpoint:NAME`), or a file of
vectors computed elsewhere (`vectors:PATH`). Users import from here.
"""

from __future__ import annotations

import threading
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from core.embeddings.fromendpoint import EndpointEmbedder
from core.embeddings.fromfile import NoVector, VectorFile
from core.embeddings.interface import Embedder, described, unit_rows
from core.embeddings.minilm import MiniLM
from core.embeddings.wordpiece import WrongFile
from core.endpoints import configured
from core.errors import Invalid

__all__ = [
    "DEFAULT",
    "Embedder",
    "NoVector",
    "VectorFile",
    "WrongFile",
    "described",
    "embedder",
    "unit_rows",
]

DEFAULT = "minilm"
_loaded: dict[str, Embedder] = {}
_lock = threading.Lock()


def embedder(name: str | None = None) -> Embedder:
    """The embedder of that name, by default the one that this copy is set to.

    What it reads from files is read once in a process.

    `name` is `minilm`, `endpoint:NAME` for a configured endpoint, or the setting's own `vectors:PATH`. Another path
    is refused, since names come from parameters of runs; a command gives its file to `VectorFile` itself.

    Raises
    ------
    Invalid
        If nothing is called so.
    EndpointError
        If no endpoint is.
    BadInput
        If the file of vectors cannot be read.
    """
    name = name or settings.EMBEDDER
    kind, _colon, rest = name.partition(":")
    if kind == "endpoint" and rest:
        return EndpointEmbedder(configured(rest))
    if name != DEFAULT and not (kind == "vectors" and rest and name == settings.EMBEDDER):
        message = _("No embedder is called “%(name)s”: write minilm or endpoint:NAME.")
        raise Invalid(message % {"name": name[:64]}, code="unknown_embedder")
    with _lock:
        if name not in _loaded:
            _loaded[name] = MiniLM() if name == DEFAULT else VectorFile(Path(rest))
        return _loaded[name]
