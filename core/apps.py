"""The app that every other app stands on and that knows none of them."""

from __future__ import annotations

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """Runs, tables, text rules and errors."""

    name = "core"
    verbose_name = "Runs and audit"
