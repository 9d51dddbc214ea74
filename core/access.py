"""Marks that every view carries: who may see it. A test insists on one a view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def public(reason: str) -> Callable[[View], View]:
    """Mark a view that anybody may see, with the reason why it needs no account and no token."""

    def mark(view: View) -> View:
        view.access = f"public: {reason}"  # type: ignore[attr-defined]
        return view

    return mark
