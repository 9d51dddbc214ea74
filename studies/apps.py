"""Studies: their definition, people, sessions and data."""

from __future__ import annotations

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """Registers the module of the app."""

    name = "studies"
    verbose_name = "Studies"

    def ready(self) -> None:
        """Offer blocks, sections and tables."""
        from core.registry import register
        from studies.module import module

        register(module)
