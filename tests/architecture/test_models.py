"""Every field is classified, and no row writes another behind a reader's back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.apps import apps
from django.db.models import ForeignKey, Model, OneToOneField

from core import registry
from studies.models import Enrolment

ROOT = Path(__file__).resolve().parents[2]
OURS = ("core", "studies", "voting", "clustering", "annotation", "prediction")
MODELS = [model for app in OURS for model in apps.get_app_config(app).get_models()]
MODEL_FILES = [
    path
    for app in OURS
    for path in [*(ROOT / app).glob("models.py"), *(ROOT / app / "models").glob("*.py")]
]  # fmt: skip


def label(model: type[Model]) -> str:
    return model._meta.label


@pytest.mark.parametrize("model", MODELS, ids=label)
def test_every_model_says_which_fields_are_personal(model: type[Model]) -> None:
    personal = model.__dict__.get("PERSONAL")

    assert isinstance(personal, frozenset), "declare PERSONAL: frozenset[str]"
    assert personal <= {field.name for field in model._meta.get_fields()}


def test_who_refers_to_an_enrolment_erases_on_withdrawal() -> None:
    concerned = {
        model._meta.app_label
        for model in MODELS
        for field in model._meta.get_fields()
        if isinstance(field, ForeignKey | OneToOneField) and field.related_model is Enrolment
    }

    erasing = {module.slug for module in registry.modules() if module.erase is not None}

    assert concerned <= erasing


def names(path: Path) -> set[str]:
    """Return the names that a file uses or imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    }
    return used | imported


def methods(path: Path) -> set[str]:
    """Return the names of the functions that a file defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_saving_a_row_has_no_side_effect(path: Path) -> None:
    assert not names(path) & {"post_save", "pre_save", "post_delete", "pre_delete", "receiver", "GenericForeignKey"}
    assert not methods(path) & {"save", "delete"}
