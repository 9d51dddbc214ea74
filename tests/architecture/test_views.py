"""Every view says which methods it takes and who may see it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

OURS = ("config", "core", "studies", "voting", "clustering", "annotation", "prediction")
METHODS = {"require_GET", "require_POST", "require_safe", "require_http_methods"}
LOGINS = {"login_required", "permission_required", "staff_member_required"}
View = Callable[..., Any]


def callbacks(patterns: list[URLPattern | URLResolver]) -> Iterator[View]:
    """Yield the views behind a list of addresses, included lists too."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from callbacks(pattern.url_patterns)
        else:
            yield pattern.callback


def our_views() -> list[View]:
    """Return our own views; the admin's and the libraries' are theirs to check."""
    found = {f"{view.__module__}.{view.__qualname__}": view for view in callbacks(get_resolver().url_patterns)}
    return [view for name, view in sorted(found.items()) if name.startswith(OURS)]


def page_views() -> list[View]:
    """Return our views that are functions."""
    return [view for view in our_views() if not hasattr(view, "cls") and not hasattr(view, "admin_site")]


def api_views() -> list[type[APIView]]:
    """Return the classes behind our interface for programs."""
    return [view.cls for view in our_views() if hasattr(view, "cls")]


def decorators(view: View) -> set[str]:
    """Return the names of the decorators that stand above a view."""
    function = inspect.unwrap(view)
    tree = ast.parse(inspect.getsource(inspect.getmodule(function)))  # type: ignore[arg-type]
    definition = next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    )
    calls = [node.func if isinstance(node, ast.Call) else node for node in definition.decorator_list]
    return {ast.unparse(call).rpartition(".")[2] for call in calls}


def name_of(view: Any) -> str:
    return f"{view.__module__}.{view.__qualname__}"


def test_there_are_views_to_check() -> None:
    assert "config.views.home" in map(name_of, page_views())


@pytest.mark.parametrize("view", page_views(), ids=name_of)
def test_every_view_names_its_methods(view: View) -> None:
    assert decorators(view) & METHODS


@pytest.mark.parametrize("view", page_views(), ids=name_of)
def test_every_view_says_who_may_see_it(view: View) -> None:
    assert getattr(view, "access", "") or decorators(view) & LOGINS


@pytest.mark.parametrize("view", page_views(), ids=name_of)
def test_no_view_is_exempt_from_the_token_against_foreign_forms(view: View) -> None:
    assert not getattr(view, "csrf_exempt", False)


@pytest.mark.parametrize("view", api_views(), ids=name_of)
def test_the_interface_for_programs_denies_by_default(view: type[APIView]) -> None:
    assert view.permission_classes
    assert AllowAny not in view.permission_classes


@pytest.mark.parametrize("view", api_views(), ids=name_of)
def test_the_interface_for_programs_is_throttled(view: type[APIView]) -> None:
    assert getattr(view, "throttle_scope", None) in {"read", "schema"}
