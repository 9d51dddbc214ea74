"""Every constraint of ours is named in a test that breaks it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps

TESTS = Path(__file__).resolve().parents[1]
OURS = ("core", "studies", "voting", "clustering", "annotation", "prediction")


def constraints() -> list[str]:
    """The names of all constraints of our models."""
    models = [model for app in OURS for model in apps.get_app_config(app).get_models()]
    return sorted(constraint.name for model in models for constraint in model._meta.constraints)


@pytest.fixture(scope="module")
def tests() -> str:
    """All tests as one text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))


def test_there_are_constraints() -> None:
    assert len(constraints()) > 60


@pytest.mark.parametrize("name", constraints())
def test_a_test_names_the_constraint(name: str, tests: str) -> None:
    assert name in tests
