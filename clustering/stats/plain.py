"""JSON-ready copies of results: the boundary where arrays and ``nan`` end."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Copy of a result made of dicts, lists, strings, numbers, booleans and ``None`` alone.

    Parameters
    ----------
    value : object
        A dataclass, mapping, sequence, ndarray, numpy scalar or plain value, nested at will.

    Returns
    -------
    object
        Floats are unrounded. ``nan`` becomes ``None`` (the reason stands in a field of the result
        beside it); mappings get string keys; tuples and arrays become lists.

    Raises
    ------
    TypeError
        If a value of another type is met.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if value is None or isinstance(value, str | int | bool):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form")
